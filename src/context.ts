import { z } from 'zod';
import { type KeySecrets, parseKeySecrets } from './access/key-secrets.ts';

/** Settings of this deployment, read from its variables and secrets once. */
export interface Config {
  readonly serviceName: string;
  /** Files free of charge per user and UTC month. */
  readonly freeFilesPerMonth: number;
  /** Origin for links, without a trailing slash; null: that of the request. */
  readonly publicOrigin: string | null;
  readonly keySecrets: KeySecrets;
}

/** What every handler finds in its context. */
export interface AppEnv {
  Bindings: Env;
  Variables: { requestId: string; config: Config };
}

const schema = z.object({
  SERVICE_NAME: z.string().trim().min(1),
  FREE_FILES_PER_MONTH: z
    .string()
    .regex(/^\d{1,9}$/, 'should be a whole number such as "500"')
    .transform(Number),
  PUBLIC_ORIGIN: z
    .literal('')
    .or(z.url({ protocol: /^https?$/, error: 'should be an origin such as "https://img.example"' }))
    .transform((url) => (url === '' ? null : new URL(url).origin)),
  KEY_SECRETS: z.string({ error: 'is missing' }).transform((text, context) => {
    const secrets = parseKeySecrets(text);
    if (secrets) return secrets;
    context.addIssue(
      'should be "version:base64" pairs of 32 bytes, newest first, such as "1:3q2+7w…"',
    );
    return z.NEVER;
  }),
});

/**
 * Reads the configuration. Called while the Worker starts, so that a mistake
 * stops the start or the deploy instead of the first customer.
 * @throws Error that names each variable and what it should look like, never its value
 */
export function readConfig(env: object): Config {
  const parsed = schema.safeParse(env);
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
    throw new Error(`The configuration cannot be used:\n${lines.join('\n')}`);
  }
  return {
    serviceName: parsed.data.SERVICE_NAME,
    freeFilesPerMonth: parsed.data.FREE_FILES_PER_MONTH,
    publicOrigin: parsed.data.PUBLIC_ORIGIN,
    keySecrets: parsed.data.KEY_SECRETS,
  };
}
