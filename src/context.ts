import type { Context } from 'hono';
import { z } from 'zod';
import { type AllowedDomains, parseAllowedDomains } from './access/allowed-domains.ts';
import { normalizeEmailAddress } from './access/email-address.ts';
import { type KeySecrets, parseKeySecrets, parseSecret } from './access/key-secrets.ts';
import type { Session } from './access/session.ts';
import { isOrigin } from './origin.ts';
import {
  type StripeSettings,
  stripeComplaints,
  stripeSettings,
  stripeVariables,
} from './payments/stripe-settings.ts';
import { type QuotaPack, quotaPacks } from './policy/quota-packs.ts';
import type { RequestNotes } from './request-log.ts';
import { parsePrivateSources } from './routes/optimize/remote/private-sources.ts';

/** Settings of this deployment, read from its variables and secrets once. */
export interface Config {
  readonly serviceName: string;
  /** Sender of the mails. */
  readonly mailFrom: string;
  readonly allowedEmailDomains: AllowedDomains;
  /** Files free of charge per user and UTC month. */
  readonly freeFilesPerMonth: number;
  /** Answers that cost work and are not charged, per user and UTC day. */
  readonly unchargedPerDay: number;
  /** What is for sale. */
  readonly packs: readonly QuotaPack[];
  /** How payments are taken; null: they are not. */
  readonly stripe: StripeSettings | null;
  /** Origins besides the service's own whose pages may use the cookie routes. */
  readonly cabinetOrigins: ReadonlySet<string>;
  /** Whether images are fetched over plain http too. */
  readonly allowHttpSources: boolean;
  /** Each `host:port` that images are fetched from though rules for hosts, addresses and ports are against it. */
  readonly privateSources: ReadonlySet<string>;
  /** Origin for links, without a trailing slash; null: that of the request. */
  readonly publicOrigin: string | null;
  /** 32 bytes that sign-in codes are authenticated under. */
  readonly codeSecret: Uint8Array<ArrayBuffer>;
  readonly keySecrets: KeySecrets;
  /** Whether each request is logged. */
  readonly logsRequests: boolean;
}

/** What every handler finds in its context. */
export interface AppEnv {
  Bindings: Env;
  Variables: { requestId: string; config: Config; notes: RequestNotes };
}

/** What a handler behind the sign-in finds besides. */
export interface SignedInEnv extends AppEnv {
  Variables: AppEnv['Variables'] & { session: Session };
}

/** Where links to this service point, without a trailing slash. */
export function linkOrigin<RouteEnv extends AppEnv>(c: Context<RouteEnv>): string {
  return c.var.config.publicOrigin ?? new URL(c.req.url).origin;
}

/** Variables are strings: `500` in wrangler.toml is a number. */
const text = z.string({
  error: ({ input }) => (input === undefined ? 'is missing' : 'should be text, in quotes'),
});

const count = (example: string) =>
  text.regex(/^\d{1,9}$/, `should be a whole number such as "${example}"`).transform(Number);

const flag = z
  .enum(['', '1', 'true'], { error: 'should be "true", or empty' })
  .transform((value) => value !== '');

const variables = z.object({
  SERVICE_NAME: text
    .trim()
    .min(1)
    .refine((value) => !/\p{Cc}/u.test(value), 'should be one line'),
  MAIL_FROM: text.refine(
    (value) => normalizeEmailAddress(value) !== null,
    'should be an address such as "no-reply@img.example"',
  ),
  ALLOWED_EMAIL_DOMAINS: text.transform((value, context) => {
    const domains = parseAllowedDomains(value);
    if (domains) return domains;
    context.addIssue('should be domains such as "gmail.com, example.org", or "*" for all');
    return z.NEVER;
  }),
  FREE_FILES_PER_MONTH: count('500'),
  UNCHARGED_PER_DAY: count('2000'),
  QUOTA_PACKS: quotaPacks,
  ...stripeVariables,
  CABINET_ORIGINS: text
    .transform((value) => new Set(value.split(/[\s,]+/).filter((part) => part !== '')))
    .refine(
      (origins) => [...origins].every(isOrigin),
      'should be origins such as "https://cabinet.example", comma-separated',
    ),
  ALLOW_HTTP_SOURCES: flag,
  PRIVATE_SOURCES: text.transform((value, context) => {
    const sources = parsePrivateSources(value);
    if (sources) return sources;
    context.addIssue('should be hosts with ports such as "images.lan:8080", comma-separated');
    return z.NEVER;
  }),
  REQUEST_LOG: flag,
  PUBLIC_ORIGIN: text
    .refine(
      (value) => value === '' || isOrigin(value),
      'should be an origin such as "https://img.example"',
    )
    .transform((value) => value || null),
  CODE_SECRET: text.transform((value, context) => {
    const secret = parseSecret(value);
    if (secret) return secret;
    context.addIssue('should be 32 bytes in base64, such as "openssl rand -base64 32" prints');
    return z.NEVER;
  }),
  KEY_SECRETS: text.transform((value, context) => {
    const secrets = parseKeySecrets(value);
    if (secrets) return secrets;
    context.addIssue(
      'should be "version:base64" pairs of 32 bytes, newest first, such as "1:3q2+7w…"',
    );
    return z.NEVER;
  }),
});

const schema = variables.superRefine((values, context) => {
  for (const [name, message] of stripeComplaints(values)) {
    context.addIssue({ code: 'custom', path: [name], message });
  }
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
  const { data } = parsed;
  return {
    serviceName: data.SERVICE_NAME,
    mailFrom: data.MAIL_FROM,
    allowedEmailDomains: data.ALLOWED_EMAIL_DOMAINS,
    freeFilesPerMonth: data.FREE_FILES_PER_MONTH,
    unchargedPerDay: data.UNCHARGED_PER_DAY,
    packs: data.QUOTA_PACKS,
    stripe: stripeSettings(data),
    cabinetOrigins: data.CABINET_ORIGINS,
    allowHttpSources: data.ALLOW_HTTP_SOURCES,
    privateSources: data.PRIVATE_SOURCES,
    publicOrigin: data.PUBLIC_ORIGIN,
    codeSecret: data.CODE_SECRET,
    keySecrets: data.KEY_SECRETS,
    logsRequests: data.REQUEST_LOG,
  };
}
