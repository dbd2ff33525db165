import { z } from 'zod';
import type { AllowedDomains } from './access/allowed-domains.ts';
import type { Secret, SecretVersions } from './access/secrets.ts';
import { type TurnstileSettings, turnstileOrigin } from './access/turnstile.ts';
import type { StripeSettings } from './payments/checkout-session.ts';
import type { QuotaPack } from './policy/quota.ts';
import type { SourceFetch } from './policy/source-url.ts';
import { settings } from './settings.ts';
import type { Samples } from './telemetry/counts.ts';

/** URLs of the legal and contact information that every website needs. */
interface SiteLinks {
  readonly privacy: string;
  readonly terms: string;
  readonly contact: string;
  readonly source: string;
}

/** Settings of this deployment, parsed from its variables and secrets. */
export interface Config {
  readonly serviceName: string;
  /** Sender of the mails. */
  readonly mailFrom: string;
  readonly allowedEmailDomains: AllowedDomains;
  /** Files free of charge per mailbox and UTC month. */
  readonly freeFilesPerMonth: number;
  /** Images that may be optimized per account and minute. */
  readonly maxFilesPerMinute: number;
  /** Images by URL that a site may begin to make per minute. */
  readonly maxNewResultsPerMinute: number;
  /** Uncharged responses that required work, per mailbox and UTC day. */
  readonly unchargedPerDay: number;
  /** Maximum predicted CPU time of uncharged responses in milliseconds, per mailbox and UTC day. */
  readonly unchargedCpuMsPerDay: number;
  /** Mails per UTC day: sign-in codes, and quota mails as long as enough are left. */
  readonly mailsPerDay: number;
  /** The bot check that visitors must pass before a code is sent; null if there is none. */
  readonly turnstile: TurnstileSettings | null;
  /** The packs for sale. */
  readonly packs: readonly QuotaPack[];
  /** The payment settings; null if nothing is sold. */
  readonly stripe: StripeSettings | null;
  /** Whether the API of Tinify is available. */
  readonly tinifyApi: boolean;
  /** Whether requests are recorded for the owners of their keys. */
  readonly keyLog: boolean;
  /** Other origins whose pages may use the cookie routes. */
  readonly cabinetOrigins: ReadonlySet<string>;
  /** Whether images may also be fetched over plain http. */
  readonly allowHttpSources: boolean;
  /** Exceptions to the rules for hosts, addresses and ports of image URLs, each as `host:port`. */
  readonly privateSources: ReadonlySet<string>;
  /** What fetches images, in place of the platform's own. */
  readonly fetchSource?: SourceFetch;
  /** The token that reads metrics; null if nobody may. */
  readonly metricsToken: string | null;
  /** Reads what is not counted but looked at, where one process is all of the service. */
  readonly currentFigures?: () => Samples;
  /** Origin for links, without a trailing slash; null: that of the request. */
  readonly publicOrigin: string | null;
  /** Links in the footer of each page; empty ones are omitted. */
  readonly links: SiteLinks;
  /** The secret that authenticates sign-in codes. */
  readonly codeSecret: Secret;
  /** The secrets that encrypt API keys. */
  readonly keySecrets: SecretVersions;
  /** The secrets that authenticate API keys and cookies. */
  readonly tokenSecrets: SecretVersions;
  /**
   * The fraction of requests that is logged, from 0 to 1; unless it is 0, all requests that failed with a server error
   * are logged.
   */
  readonly requestLogShare: number;
}

type Settings = typeof settings;

const checks = Object.fromEntries(
  Object.entries(settings).map(([name, { check }]) => [name, check]),
) as { [Name in keyof Settings]: Settings[Name]['check'] };

const schema = z.object(checks).superRefine((values, context) => {
  for (const [name, message] of [...stripeComplaints(values), ...turnstileComplaints(values)]) {
    context.addIssue({ code: 'custom', path: [name], message });
  }
});

type Values = z.infer<typeof schema>;

/**
 * Reads the configuration. Called while the Worker starts, so that a mistake prevents the start or the deployment
 * instead of affecting the first customer.
 * @throws Error that names each invalid variable and what it should look like, but never its value
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
    maxFilesPerMinute: data.MAX_FILES_PER_MINUTE,
    maxNewResultsPerMinute: data.MAX_NEW_RESULTS_PER_MINUTE,
    unchargedPerDay: data.UNCHARGED_PER_DAY,
    unchargedCpuMsPerDay: 1000 * data.UNCHARGED_CPU_SECONDS_PER_DAY,
    mailsPerDay: data.MAILS_PER_DAY,
    turnstile: turnstileSettings(data),
    packs: data.QUOTA_PACKS,
    stripe: stripeSettings(data),
    tinifyApi: data.TINIFY_API,
    keyLog: data.KEY_LOG,
    cabinetOrigins: data.CABINET_ORIGINS,
    allowHttpSources: data.ALLOW_HTTP_SOURCES,
    privateSources: data.PRIVATE_SOURCES,
    publicOrigin: data.PUBLIC_ORIGIN,
    links: {
      privacy: data.PRIVACY_URL,
      terms: data.TERMS_URL,
      contact: data.CONTACT_URL,
      source: data.SOURCE_URL,
    },
    codeSecret: data.CODE_SECRET,
    keySecrets: data.KEY_SECRETS,
    tokenSecrets: data.TOKEN_SECRETS,
    metricsToken: data.METRICS_TOKEN || null,
    requestLogShare: data.REQUEST_LOG,
  };
}

/** Problems with the combination of Stripe variables, each with the name of the variable. */
function stripeComplaints(values: Values): [keyof Settings, string][] {
  const { STRIPE_SECRET_KEY: key, STRIPE_WEBHOOK_SECRET: secret, STRIPE_API_BASE: base } = values;
  const complaints: [keyof Settings, string][] = [];
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

/** The Stripe settings; null if payments are not configured. */
function stripeSettings(values: Values): StripeSettings | null {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret } = values;
  const apiBase = URL.parse(values.STRIPE_API_BASE);
  return secretKey === '' ? null : { secretKey, webhookSecret, apiBase };
}

/**
 * Problems with the combination of Turnstile variables, each with the name of the variable. The secret may be set
 * alone: it is set first, and the site key follows with the next deployment.
 */
function turnstileComplaints(values: Values): [keyof Settings, string][] {
  const { TURNSTILE_SITE_KEY: siteKey, TURNSTILE_SECRET_KEY: secretKey } = values;
  if (siteKey === '' || secretKey !== '') return [];
  return [['TURNSTILE_SECRET_KEY', 'is missing, though TURNSTILE_SITE_KEY is set']];
}

/** The Turnstile settings; null if Turnstile is off. */
function turnstileSettings(values: Values): TurnstileSettings | null {
  const { TURNSTILE_SITE_KEY: siteKey, TURNSTILE_SECRET_KEY: secretKey } = values;
  const origin = values.TURNSTILE_API_BASE || turnstileOrigin;
  return siteKey === '' ? null : { siteKey, secretKey, origin };
}
