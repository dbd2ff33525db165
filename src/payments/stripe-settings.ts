import { z } from 'zod';
import { isOrigin } from '../origin.ts';

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
export const stripeVariables = {
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
export function stripeComplaints(variables: StripeVariables): [keyof StripeVariables, string][] {
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
export function stripeSettings(variables: StripeVariables): StripeSettings | null {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret } = variables;
  const apiBase = URL.parse(variables.STRIPE_API_BASE);
  return secretKey === '' ? null : { secretKey, webhookSecret, apiBase };
}
