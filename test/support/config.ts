import { type Config, readConfig } from '../../src/config.ts';
import { settings } from '../../src/settings.ts';
import { secretText, tokenSecrets } from './tokens.ts';

/** The configuration of wrangler.toml, with secrets, without logs of requests. */
export function configWith(changes: Readonly<Record<string, string>> = {}): Config {
  const defaults = Object.entries(settings).map(([name, it]) => [name, it.default ?? '']);
  return readConfig({
    ...Object.fromEntries(defaults),
    ...{ REQUEST_LOG: '', KEY_LOG: 'off' },
    CODE_SECRET: Buffer.alloc(32, 7).toString('base64'),
    KEY_SECRETS: secretText(['1', 7]),
    TOKEN_SECRETS: tokenSecrets,
    ...changes,
  });
}
