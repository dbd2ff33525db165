import type { z } from 'zod';
import { parseAllowedDomains } from './access/allowed-domains.ts';
import { normalizeEmailAddress } from './access/email-address.ts';
import { parseSecret, parseSecretVersions } from './access/secrets.ts';
import {
  count,
  flag,
  isLink,
  isOrigin,
  optionalText,
  parsedWith,
  parseShare,
  parseSwitch,
  text,
} from './config-checks.ts';
import { quotaPacks } from './policy/quota.ts';
import { parsePrivateSources } from './policy/source-url.ts';

const linkComplaint = 'should be a link such as "https://img.example/privacy"';

interface Setting {
  /** Variables are set in wrangler.toml; secrets with `wrangler secret put`. */
  readonly kind: 'variable' | 'required-secret' | 'optional-secret';
  /** The value in wrangler.toml, ignoring whitespace; null for secrets. */
  readonly default: string | null;
  /** The default in words, if it is too long for a table. */
  readonly defaultInWords?: string;
  /** For operators, in Markdown without links. */
  readonly description: string;
  /** Parses the text, or states what it should look like. */
  readonly check: z.ZodType;
}

/**
 * All settings. The documentation is generated from this table; wrangler.toml, .dev.vars.example and the texts of the
 * deploy button in package.json are tested against it.
 */
export const settings = {
  SERVICE_NAME: {
    kind: 'variable',
    default: 'Fewer Bytes',
    description: 'Name of the service on its pages and in its mails.',
    check: text
      .trim()
      .min(1)
      .refine((value) => !/\p{Cc}/u.test(value), 'should be one line'),
  },
  MAIL_FROM: {
    kind: 'variable',
    default: 'no-reply@example.com',
    description:
      'Sender of all mails: an address at a domain that your Cloudflare account may send from.',
    check: text.refine(
      (value) => normalizeEmailAddress(value) !== null,
      'should be an address such as "no-reply@img.example"',
    ),
  },
  ALLOWED_EMAIL_DOMAINS: {
    kind: 'variable',
    default: `
gmail.com, outlook.com, icloud.com, yahoo.com, proton.me, gmx.net, googlemail.com, hotmail.com,
hotmail.co.uk, hotmail.fr, live.com, msn.com, yahoo.co.uk, yahoo.co.jp, yahoo.co.in, yahoo.fr, yahoo.de,
yahoo.com.br, ymail.com, aol.com, me.com, mac.com, protonmail.com, pm.me, tuta.com, tutanota.com,
fastmail.com, hey.com, zoho.com, mail.com, gmx.com, gmx.de, gmx.at, gmx.ch, web.de, t-online.de, freenet.de,
orange.fr, free.fr, laposte.net, sfr.fr, wanadoo.fr, libero.it, virgilio.it, seznam.cz, wp.pl, o2.pl,
onet.pl, ukr.net, yandex.com, yandex.ru, mail.ru, rambler.ru, qq.com, foxmail.com, 163.com, 126.com,
sina.com, naver.com, daum.net, hanmail.net, rediffmail.com, uol.com.br, bol.com.br, terra.com.br,
btinternet.com, comcast.net, verizon.net, att.net, cox.net, bigpond.com, shaw.ca, rogers.com
`,
    defaultInWords: 'the large public providers',
    description:
      'Domains whose addresses may sign in, comma-separated; `*.edu` for all below `edu`, `*` for everyone. Put your own first: visitors are told the first six.',
    check: parsedWith(
      parseAllowedDomains,
      'should be domains such as "example.org, *.edu, gmail.com", or "*" for all',
    ),
  },
  FREE_FILES_PER_MONTH: {
    kind: 'variable',
    default: '500',
    description: 'Files optimized free of charge, per mailbox and UTC month.',
    check: count('500'),
  },
  MAX_FILES_PER_MINUTE: {
    kind: 'variable',
    default: '3000',
    description: 'Images that an account may send per minute, in all locations together.',
    check: count('3000'),
  },
  MAX_NEW_RESULTS_PER_MINUTE: {
    kind: 'variable',
    default: '300',
    description:
      'Images by URL that a site may begin to make per minute, failed ones included, in all locations together.',
    check: count('300'),
  },
  UNCHARGED_PER_DAY: {
    kind: 'variable',
    default: '2000',
    description: 'Responses that cost work and are not charged, per mailbox and UTC day.',
    check: count('2000'),
  },
  UNCHARGED_CPU_SECONDS_PER_DAY: {
    kind: 'variable',
    default: '1800',
    description:
      'Predicted CPU seconds of responses that are not charged, per mailbox and UTC day.',
    check: count('1800'),
  },
  MAILS_PER_DAY: {
    kind: 'variable',
    default: '5000',
    description:
      'Mails per UTC day, for all users together. A fifth is reserved for browsers in which the address has signed in before; quota mails stop after three fifths.',
    check: count('5000'),
  },
  TURNSTILE_SITE_KEY: {
    kind: 'variable',
    default: '',
    description:
      'Site key of a Turnstile widget. Together with its secret key: visitors must pass its check before a code is sent. Empty: no check.',
    check: optionalText(
      (value) => /^[\w-]{10,100}$/.test(value),
      'should be the site key of a Turnstile widget, such as "0x4AAAAAAA…"',
    ),
  },
  TURNSTILE_API_BASE: {
    kind: 'variable',
    default: '',
    description:
      'For tests: origin on this machine that stands in for Turnstile. Empty: Turnstile.',
    check: optionalText(
      (value) => isOrigin(value) && /^http:\/\/(localhost|127\.0\.0\.1)(:|$)/.test(value),
      'should be an origin on this machine such as "http://127.0.0.1:12112", and only in tests',
    ),
  },
  QUOTA_PACKS: {
    kind: 'variable',
    default: `
[
  { "id": "small", "files": 1000, "amount": 500, "currency": "usd" },
  { "id": "medium", "files": 10000, "amount": 4000, "currency": "usd" },
  { "id": "large", "files": 100000, "amount": 30000, "currency": "usd" }
]
`,
    defaultInWords: 'three packs',
    description:
      'Packs for sale once Stripe’s secrets are set: a JSON list of `id`, `files`, `amount` in the minor unit of the currency (cents) and `currency` in lower case.',
    check: quotaPacks,
  },
  STRIPE_API_BASE: {
    kind: 'variable',
    default: '',
    description:
      'For tests: origin that stands in for Stripe. Empty: Stripe. Refused together with a live key.',
    check: optionalText(
      isOrigin,
      'should be an origin such as "http://127.0.0.1:12111", and only in tests',
    ),
  },
  TINIFY_API: {
    kind: 'variable',
    default: 'on',
    description:
      '`on`: clients of Tinify (TinyPNG) can be pointed at this service, which then keeps an image for up to ten minutes. `off`: their calls are not found.',
    check: parsedWith(parseSwitch, 'should be "on" or "off"'),
  },
  KEY_LOG: {
    kind: 'variable',
    default: 'on',
    description:
      '`on`: the owner of an API key sees its last 1,000 requests, of the last 7 days: times, routes, results and sizes, no names and no images. `off`: none are recorded or shown.',
    check: parsedWith(parseSwitch, 'should be "on" or "off"'),
  },
  CABINET_ORIGINS: {
    kind: 'variable',
    default: '',
    description:
      'Other origins of the same site whose pages may use the session cookie, comma-separated. Usually empty.',
    check: text
      .transform((value) => new Set(value.split(/[\s,]+/).filter((part) => part !== '')))
      .refine(
        (origins) => [...origins].every(isOrigin),
        'should be origins such as "https://cabinet.example", comma-separated',
      ),
  },
  ALLOW_HTTP_SOURCES: {
    kind: 'variable',
    default: '',
    description: '`true`: image URLs may use plain http, too. Empty: https only.',
    check: flag,
  },
  PRIVATE_SOURCES: {
    kind: 'variable',
    default: '',
    description:
      'Private hosts that images may be fetched from, each as `host:port`, comma-separated. Usually empty.',
    check: parsedWith(
      parsePrivateSources,
      'should be hosts with ports such as "images.lan:8080", comma-separated',
    ),
  },
  REQUEST_LOG: {
    kind: 'variable',
    default: 'true',
    description:
      '`true`: log one object per request, with nothing secret or personal in it. A share such as `0.01`: log that fraction of requests, chosen at random, and every response with a status of 500 or more. Empty: log faults only.',
    check: parsedWith(parseShare, 'should be "true", a share such as "0.01", or empty'),
  },
  PUBLIC_ORIGIN: {
    kind: 'variable',
    default: '',
    description:
      'Origin of links in mails, errors, payments and answers to Tinify’s clients, such as `https://img.example`. Empty: that of the request.',
    check: text
      .refine(
        (value) => value === '' || isOrigin(value),
        'should be an origin such as "https://img.example"',
      )
      .transform((value) => value || null),
  },
  PRIVACY_URL: {
    kind: 'variable',
    default: '',
    description: 'URL of your privacy policy, linked in the footer of every page. Empty: no link.',
    check: optionalText(isLink, linkComplaint),
  },
  TERMS_URL: {
    kind: 'variable',
    default: '',
    description:
      'URL of your terms of service, linked in the footer of every page. Empty: no link.',
    check: optionalText(isLink, linkComplaint),
  },
  CONTACT_URL: {
    kind: 'variable',
    default: '',
    description:
      'How to reach you: URL of a page, or `mailto:` with an address, linked in the footer of every page. Empty: no link.',
    check: optionalText(isLink, linkComplaint),
  },
  SOURCE_URL: {
    kind: 'variable',
    default: '',
    description:
      'URL of the source of your version, linked in the footer of every page. Empty: no link.',
    check: optionalText(isLink, linkComplaint),
  },
  CODE_SECRET: {
    kind: 'required-secret',
    default: null,
    description:
      '32 bytes in base64, as printed by `openssl rand -base64 32`. Sign-in codes are stored as HMAC under it.',
    check: parsedWith(
      parseSecret,
      'should be 32 bytes in base64, such as "openssl rand -base64 32" prints',
    ),
  },
  KEY_SECRETS: {
    kind: 'required-secret',
    default: null,
    description:
      'Pairs `version:base64` of 32 bytes, comma-separated, newest first, as printed by `echo "1:$(openssl rand -base64 32)"`. API keys are encrypted under the first; the others only decrypt.',
    check: parsedWith(
      (value) => parseSecretVersions(value),
      'should be "version:base64" pairs of 32 bytes, newest first, such as "1:3q2+7w…"',
    ),
  },
  TOKEN_SECRETS: {
    kind: 'required-secret',
    default: null,
    description:
      'Pairs as in `KEY_SECRETS`, each version one letter or digit. API keys and cookies carry a MAC under the first; MACs under the others are still accepted.',
    check: parsedWith(
      (value) => parseSecretVersions(value, 1),
      'should be "version:base64" pairs of 32 bytes, newest first, each version one letter or digit, such as "1:3q2+7w…"',
    ),
  },
  METRICS_TOKEN: {
    kind: 'optional-secret',
    default: null,
    description:
      'What Prometheus sends as `Authorization: Bearer …` to read `/metrics`: at least 32 letters and digits, as printed by `openssl rand -hex 32`. Without it, `/metrics` is not found.',
    check: optionalText(
      (value) => /^[\w-]{32,200}$/.test(value),
      'should be at least 32 letters and digits, such as "openssl rand -hex 32" prints',
    ),
  },
  TURNSTILE_SECRET_KEY: {
    kind: 'optional-secret',
    default: null,
    description: 'Secret key of the Turnstile widget; required with `TURNSTILE_SITE_KEY`.',
    check: optionalText(
      (value) => /^[\w-]{10,100}$/.test(value),
      'should be the secret key of a Turnstile widget, such as "0x4AAAAAAA…"',
    ),
  },
  STRIPE_SECRET_KEY: {
    kind: 'optional-secret',
    default: null,
    description:
      'Secret or restricted key of Stripe, `sk_…` or `rk_…`. Without it nothing is sold.',
    check: optionalText(
      (value) => /^(sk|rk)_\w{8,}$/.test(value),
      'should be a secret key of Stripe, such as "sk_test_…" or "rk_live_…"',
    ),
  },
  STRIPE_WEBHOOK_SECRET: {
    kind: 'optional-secret',
    default: null,
    description:
      'Signing secret of the webhook endpoint at Stripe, `whsec_…`; required with `STRIPE_SECRET_KEY`.',
    check: optionalText(
      (value) => /^whsec_[\w+/=-]{8,}$/.test(value),
      'should be the signing secret of a webhook endpoint at Stripe, such as "whsec_…"',
    ),
  },
} as const satisfies Record<string, Setting>;

/**
 * Descriptions of the bindings in wrangler.toml for the deploy button, in Markdown.
 * @internal
 */
export const bindings = {
  DB: 'D1 database of accounts, keys, quotas and payments; migrations create its tables.',
  KV: 'Holds sign-in codes and sessions, all with an expiration.',
  EMAIL:
    'Sends the sign-in codes. Needs a domain that is [onboarded for sending](https://developers.cloudflare.com/email-service/).',
  ASSETS: 'Scripts, styles and pictures of the pages.',
  RESULTS: 'R2 bucket that keeps images by URL until nobody asks for them for a month.',
} as const;

/**
 * Rate limits per minute and location, by their bindings in wrangler.toml. They are approximate; exact limits are
 * counted in D1 or by meters. A visitor is a known device, or otherwise a network; an IPv6 /48 has twice the limit of a
 * network.
 */
export const rateLimits = {
  REQUEST_CODE_RATE_LIMIT: { perMinute: 60, what: 'Requests for sign-in codes', per: 'visitor' },
  VERIFY_CODE_RATE_LIMIT: { perMinute: 300, what: 'Sign-in codes entered', per: 'visitor' },
  FAILED_TOKEN_RATE_LIMIT: {
    perMinute: 300,
    what: 'Calls with a wrong API key or a forged session cookie',
    per: 'network',
  },
  WEBHOOK_RATE_LIMIT: { perMinute: 600, what: 'Payment events', per: 'network' },
} as const;

export type RateLimitName = keyof typeof rateLimits;
