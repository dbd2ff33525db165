import type { ErrorCode } from '../../../errors.ts';

/** Where a caller meets an error. */
export const errorAreas = [
  { id: 'optimizing', title: 'Optimizing' },
  { id: 'signing-in', title: 'Signing in' },
  { id: 'managing-keys', title: 'Managing keys' },
  { id: 'paying', title: 'Paying' },
  { id: 'any-call', title: 'Any call' },
] as const;

interface ErrorHelp {
  readonly area: (typeof errorAreas)[number]['id'];
  /** What to do; code stands in backticks. */
  readonly action: string;
}

/** What /docs/errors says of each error besides when it comes. */
export const errorHelp: Readonly<Record<ErrorCode, ErrorHelp>> = {
  invalid_options: {
    area: 'optimizing',
    action: 'Read `detail`: it names the option. The page on options lists what goes together.',
  },
  invalid_api_key: {
    area: 'optimizing',
    action:
      'Send `Authorization: Bearer` and the whole key. If it was revoked, make a new one in the cabinet. Do not try again with the same key.',
  },
  quota_exceeded: {
    area: 'optimizing',
    action: 'Serve originals until `free_resets_at`, or buy files in the cabinet.',
  },
  image_too_large: {
    area: 'optimizing',
    action:
      'Keep its format, or ask for a smaller width: with either, much larger pictures fit. Otherwise make the picture smaller before you send it.',
  },
  unsupported_media_type: {
    area: 'optimizing',
    action:
      'Convert the picture first, or serve it as it is: GIF, SVG, HEIC, TIFF and JPEG XL are not read. For a JSON body set `Content-Type: application/json`.',
  },
  invalid_image: {
    area: 'optimizing',
    action:
      'Read `detail`. A damaged file has to come from its source again; the others are taken with `format=keep` and without `width` and `height`.',
  },
  source_not_allowed: {
    area: 'optimizing',
    action: 'Use a public https URL, or send the bytes yourself.',
  },
  source_fetch_failed: {
    area: 'optimizing',
    action:
      'Open the URL from outside your network. If it works now and then, try again, or send the bytes yourself.',
  },
  invalid_email: {
    area: 'signing-in',
    action: 'Check it for typing errors.',
  },
  email_domain_not_allowed: {
    area: 'signing-in',
    action: 'Use an address of another provider, or ask the operator.',
  },
  email_undeliverable: {
    area: 'signing-in',
    action: 'Use another address.',
  },
  email_not_sent: {
    area: 'signing-in',
    action: 'Ask again. A code that you got earlier still works, if it has not expired.',
  },
  invalid_code: {
    area: 'signing-in',
    action:
      'Use the newest mail, in the browser that asked for it, or ask for a new code. After many wrong ones wait an hour.',
  },
  auth_required: {
    area: 'signing-in',
    action: 'Sign in. Keys do not work here: they are for optimizing and for `GET /v1/quota`.',
  },
  key_not_found: {
    area: 'managing-keys',
    action: 'Take the id from `GET /v1/keys`; it begins with `key_`.',
  },
  key_not_active: {
    area: 'managing-keys',
    action: 'Make a new key instead.',
  },
  key_limit_reached: {
    area: 'managing-keys',
    action:
      'Revoke a key that is no longer used, or reissue one: that works at the limit of active keys, too. Revoked keys stay on record, and count towards the limit of all.',
  },
  payment_provider_failed: {
    area: 'paying',
    action: 'Try again in a minute.',
  },
  payments_not_configured: {
    area: 'paying',
    action: 'Use the free files, or ask the operator.',
  },
  invalid_signature: {
    area: 'paying',
    action:
      'As the operator, check that STRIPE_WEBHOOK_SECRET is that of this endpoint, and that events come straight from Stripe.',
  },
  invalid_request: {
    area: 'any-call',
    action: 'Read `detail` and `errors`, correct the request, and do not send it again as it is.',
  },
  key_in_query: {
    area: 'any-call',
    action: 'Revoke that key, and send its successor in the header `Authorization`.',
  },
  origin_not_allowed: {
    area: 'any-call',
    action: 'Call from the cabinet’s own origin, or let the operator add yours to CABINET_ORIGINS.',
  },
  not_found: {
    area: 'any-call',
    action: 'Compare it with the API reference. All paths of the API begin with `/v1`.',
  },
  method_not_allowed: {
    area: 'any-call',
    action: 'Use one of the methods in the header `Allow`.',
  },
  request_timeout: {
    area: 'any-call',
    action: 'Send it again, over a better line if it happens often.',
  },
  body_too_large: {
    area: 'any-call',
    action: 'Send a smaller file, and with its length: `limit_bytes` says what would do.',
  },
  too_many_requests: {
    area: 'any-call',
    action: 'Wait as many seconds as `Retry-After` says. The page on limits lists them all.',
  },
  overloaded: {
    area: 'any-call',
    action:
      'Wait as many seconds as `Retry-After` says. Then send it again if it reads or optimizes; after any other call look first whether it was done.',
  },
  internal_error: {
    area: 'any-call',
    action: 'Try again a few times, with longer and longer pauses.',
  },
};
