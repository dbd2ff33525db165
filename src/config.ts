import type { Context } from 'hono';
import { z } from 'zod';
import { type KeySecrets, parseKeySecrets, parseSecret } from './access/api-key.ts';
import {
  type AllowedDomains,
  normalizeEmailAddress,
  parseAllowedDomains,
} from './access/email-address.ts';
import type { Session } from './access/session.ts';
import { type QuotaPack, quotaPacks } from './policy/quota-packs.ts';
import type { RequestNotes } from './routes/http/request-log.ts';
import { parsePrivateSources } from './routes/optimize/remote/source-url.ts';

/** Whether a text is the origin of a website as browsers write it, such as `https://img.example`. */
function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.parse(text)?.origin === text;
}

/** How this deployment reaches Stripe, and knows that an event comes from there. */
export interface StripeSettings {
  readonly secretKey: string;
  readonly webhookSecret: string;
  /** Origin to call instead of Stripe's own; for tests. */
  readonly apiBase: URL | null;
}

/** An empty secret is as good as none. */
const optionalSecret = (pattern: RegExp, message: string) =>
  z
    .string()
    .refine((text) => text === '' || pattern.test(text), message)
    .default('');

/** The variables that payments are configured by; without the secrets nothing is sold, and that is null. */
const stripeVariables = {
  STRIPE_SECRET_KEY: optionalSecret(
    /^(sk|rk)_\w{8,}$/,
    'should be a secret key of Stripe, such as "sk_test_…" or "rk_live_…"',
  ),
  STRIPE_WEBHOOK_SECRET: optionalSecret(
    /^whsec_[\w+/=-]{8,}$/,
    'should be the signing secret of a webhook endpoint at Stripe, such as "whsec_…"',
  ),
  STRIPE_API_BASE: z
    .string()
    .refine(
      (text) => text === '' || isOrigin(text),
      'should be an origin such as "http://127.0.0.1:12111", and only in tests',
    )
    .default(''),
};

type StripeVariables = { readonly [name in keyof typeof stripeVariables]: string };

/** What is wrong with the variables together, each with its name. */
function stripeComplaints(variables: StripeVariables): [keyof StripeVariables, string][] {
  const {
    STRIPE_SECRET_KEY: key,
    STRIPE_WEBHOOK_SECRET: secret,
    STRIPE_API_BASE: base,
  } = variables;
  const complaints: [keyof StripeVariables, string][] = [];
  if (key !== '' && secret === '') {
    complaints.push(['STRIPE_WEBHOOK_SECRET', 'is missing, though STRIPE_SECRET_KEY is set']);
  }
  if (key === '' && secret !== '') {
    complaints.push(['STRIPE_SECRET_KEY', 'is missing, though STRIPE_WEBHOOK_SECRET is set']);
  }
  if (base !== '' && key.includes('_live_')) {
    complaints.push(['STRIPE_API_BASE', 'should be empty beside a live key: it is for tests']);
  }
  return complaints;
}

/** The settings; null: payments are not configured. */
function stripeSettings(variables: StripeVariables): StripeSettings | null {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret } = variables;
  const apiBase = URL.parse(variables.STRIPE_API_BASE);
  return secretKey === '' ? null : { secretKey, webhookSecret, apiBase };
}

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
