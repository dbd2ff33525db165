/** Something that a deployment can set. */
export interface Setting {
  readonly name: string;
  /** As in wrangler.toml; a word on it where it is long. */
  readonly fallback: string;
  readonly meaning: string;
}

/** The variables of wrangler.toml; a test compares names and defaults. */
export const variables: readonly Setting[] = [
  {
    name: 'SERVICE_NAME',
    fallback: 'Image Optimization Service',
    meaning: 'What the service is called on its pages and in its mails.',
  },
  {
    name: 'MAIL_FROM',
    fallback: 'no-reply@example.com',
    meaning: 'Sender of the sign-in mails: an address of a domain that the account may send from.',
  },
  {
    name: 'ALLOWED_EMAIL_DOMAINS',
    fallback: 'the large public providers',
    meaning: 'Domains whose addresses may sign in, comma-separated; `*` for all.',
  },
  {
    name: 'FREE_FILES_PER_MONTH',
    fallback: '500',
    meaning: 'Files free of charge per user and UTC month.',
  },
  {
    name: 'UNCHARGED_PER_DAY',
    fallback: '2000',
    meaning: 'Answers that cost work and are not charged, per user and UTC day.',
  },
  {
    name: 'QUOTA_PACKS',
    fallback: 'three packs',
    meaning:
      'What is for sale, as JSON: a list of `id`, `files`, `amount` in the minor unit of the currency (cents) and `currency` in lower case.',
  },
  {
    name: 'PUBLIC_ORIGIN',
    fallback: '',
    meaning:
      'Origin of the links in mails, errors and payments, such as `https://img.example`; empty: that of the request.',
  },
  {
    name: 'CABINET_ORIGINS',
    fallback: '',
    meaning:
      'Further origins of the same site whose pages may use the session cookie, comma-separated.',
  },
  {
    name: 'ALLOW_HTTP_SOURCES',
    fallback: '',
    meaning: '`true`: images are fetched over plain http, too.',
  },
  {
    name: 'PRIVATE_SOURCES',
    fallback: '',
    meaning:
      'Hosts of a private network that images may be fetched from, each as `host:port`, comma-separated.',
  },
  {
    name: 'REQUEST_LOG',
    fallback: 'true',
    meaning: '`true`: one object is logged for each request; empty: only faults are.',
  },
  {
    name: 'STRIPE_API_BASE',
    fallback: '',
    meaning: 'Origin that answers in Stripe’s place, in tests. Refused beside a live key.',
  },
];

/** The secrets of a deployment. */
export const secrets: readonly Setting[] = [
  {
    name: 'CODE_SECRET',
    fallback: 'required',
    meaning: '32 bytes in base64. Sign-in codes are kept as HMAC under it.',
  },
  {
    name: 'KEY_SECRETS',
    fallback: 'required',
    meaning:
      '`version:base64` pairs of 32 bytes, comma-separated, newest first. API keys are sealed under the first; the others still open what they sealed.',
  },
  {
    name: 'STRIPE_SECRET_KEY',
    fallback: 'optional',
    meaning: 'Secret or restricted key of Stripe, `sk_…` or `rk_…`. Without it nothing is sold.',
  },
  {
    name: 'STRIPE_WEBHOOK_SECRET',
    fallback: 'optional, beside the other',
    meaning: 'Signing secret of the webhook endpoint, `whsec_…`.',
  },
];

/** What Stripe should tell the webhook of. */
export const webhookEvents = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
  'charge.refunded',
  'charge.dispute.created',
  'charge.dispute.closed',
] as const;
