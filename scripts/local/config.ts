import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { experimental_readRawConfig, type Unstable_RawConfig } from 'wrangler';
import { root } from './root.ts';

const file = join(root, 'wrangler.toml');
/** Beside the other, since its paths are relative, and since `.dev.vars` is looked for beside it. */
const withSecrets = join(root, 'wrangler.local.json');

/**
 * The configuration to run locally with: wrangler.toml, or a copy that requires
 * these secrets too. Wrangler takes no others from `.dev.vars`, and as `--var`
 * they would stand in the list of processes for everyone to see.
 */
export function localConfig(secrets: readonly string[]): string {
  if (secrets.length === 0) return file;
  const { rawConfig } = experimental_readRawConfig({ config: file });
  const text = JSON.stringify(requiring(rawConfig, secrets), null, 2);
  // a running service watches the file
  const present = existsSync(withSecrets) ? readFileSync(withSecrets, 'utf8') : '';
  if (present !== text) writeFileSync(withSecrets, text);
  return withSecrets;
}

/** A configuration that requires these secrets too. */
export function requiring(
  config: Unstable_RawConfig,
  secrets: readonly string[],
): Unstable_RawConfig {
  return { ...config, secrets: { required: [...(config.secrets?.required ?? []), ...secrets] } };
}
