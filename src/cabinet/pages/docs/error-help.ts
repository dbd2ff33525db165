import type { ErrorCode } from '../../../errors.ts';

/** Where a caller meets an error. */
export const errorAreas = [
  { id: 'optimizing', title: 'Optimizing' },
  { id: 'signing-in', title: 'Signing in' },
  { id: 'managing-keys', title: 'Managing keys' },
  { id: 'paying', title: 'Paying' },
  { id: 'any-call', title: 'Any call' },
] as const;

type ErrorArea = (typeof errorAreas)[number]['id'];

interface ErrorHelp {
  readonly area: ErrorArea;
  readonly when: string;
  /** What to do. */
  readonly action: string;
  /** Further members of the body, by their names. */
  readonly members?: Readonly<Record<string, string>>;
}

const complaints = {
  errors:
    'A list with one entry for each complaint: `path` names the field, `message` says what is wrong with it.',
};

/** What /docs/errors says of each error; `code` stands in backticks. */
export const errorHelp = {
  invalid_options: {
    area: 'optimizing',
    when: 'An option is unknown, given twice, out of range, in the query beside a form or JSON, or cannot be had for this picture.',
    action: 'Read `detail`: it names the option. The page on options lists what goes together.',
    members: complaints,
  },
  invalid_api_key: {
    area: 'optimizing',
    when: 'The key is missing, misspelt, unknown or revoked. All of these get the same answer.',
    action:
      'Send `Authorization: Bearer` and the whole key. If it was revoked, make a new one in the cabinet. Do not try again with the same key.',
  },
  quota_exceeded: {
    area: 'optimizing',
    when: 'The free files of this month and all that were bought are used up.',
    action: 'Serve originals until `free_resets_at`, or buy files in the cabinet.',
    members: { free_resets_at: 'When the free files of the next month are there.' },
  },
  image_too_large: {
    area: 'optimizing',
    when: 'The picture has more pixels than can be worked on in the memory there is, for this format and these options.',
    action:
      'Keep its format, or ask for a smaller size: both take much more. Otherwise make the picture smaller before you send it.',
    members: {
      width: 'Width of the picture in pixels.',
      height: 'Height of the picture in pixels.',
      limit_pixels: 'How many pixels a picture of this kind may have.',
    },
  },
  unsupported_media_type: {
    area: 'optimizing',
    when: 'The bytes are no JPEG, PNG, WebP or AVIF: GIF, SVG, HEIC, TIFF and JPEG XL are not read. On other calls: the body is not sent as `application/json`.',
    action:
      'Convert the picture first, or keep it as it is. For a JSON body set `Content-Type: application/json`.',
    members: { supported: 'The media types that are read.' },
  },
  invalid_image: {
    area: 'optimizing',
    when: 'The picture is damaged, cut short or contradicts itself; or it is an animation, a CMYK or an HDR picture that should change its format or size.',
    action:
      'Read `detail`. A damaged file has to come from its source again; the others are taken with `format=keep` and without `width` and `height`.',
  },
  source_not_allowed: {
    area: 'optimizing',
    when: 'The URL is one that is never fetched: not https, another port than 443 and 80, with a password in it, or a private host. It may also redirect to such a one.',
    action: 'Use a public https URL, or send the bytes yourself.',
  },
  source_fetch_failed: {
    area: 'optimizing',
    when: 'The URL could not be fetched: no answer, a status other than 200, more than 3 redirects, or more than 15 seconds. What that server said is not passed on.',
    action:
      'Open the URL from outside your network. If it works now and then, try again, or send the bytes yourself.',
  },
  overloaded: {
    area: 'optimizing',
    when: 'Too many or too large pictures are on their way at once. Nothing was charged.',
    action: 'Wait as many seconds as `Retry-After` says, and send the same request again.',
  },
  invalid_email: {
    area: 'signing-in',
    when: 'The address is empty or does not look like one.',
    action: 'Check it for typing errors.',
  },
  email_domain_not_allowed: {
    area: 'signing-in',
    when: 'Addresses of this domain cannot sign in here: the operator decides which can.',
    action: 'Use an address of another provider, or ask the operator.',
  },
  email_undeliverable: {
    area: 'signing-in',
    when: 'The mail provider refuses this recipient for good, for instance after earlier mails came back.',
    action: 'Use another address. The pause of 60 seconds between two codes goes on.',
  },
  email_not_sent: {
    area: 'signing-in',
    when: 'The mail could not be handed over this time.',
    action: 'Ask again, at once if you like. A code that you got earlier still works.',
  },
  invalid_code: {
    area: 'signing-in',
    when: 'The code is wrong, older than 10 minutes, used already, was never asked for, or was guessed at too often. All of these get the same answer.',
    action:
      'Use the newest mail, in the browser that asked for it, or ask for a new code. After many wrong ones wait an hour.',
  },
  auth_required: {
    area: 'signing-in',
    when: 'The call needs the cookie of a session, and there is none, or the session has ended.',
    action: 'Sign in. Keys do not work here: they are for optimizing and for `GET /v1/quota`.',
  },
  key_not_found: {
    area: 'managing-keys',
    when: 'You have no key of this id. Another user’s key counts as none.',
    action: 'Take the id from `GET /v1/keys`; it begins with `key_`.',
  },
  key_not_active: {
    area: 'managing-keys',
    when: 'The key to be revoked or reissued is revoked already.',
    action: 'Make a new key instead.',
  },
  key_limit_reached: {
    area: 'managing-keys',
    when: 'There are 50 active keys, or 1,000 with the revoked ones.',
    action:
      'Revoke a key that is no longer used. Replacing a key by reissuing it is always possible while there are fewer than 1,000 in all.',
  },
  payment_provider_failed: {
    area: 'paying',
    when: 'Stripe did not answer as it should. No money was taken.',
    action: 'Try again in a minute.',
  },
  payments_not_configured: {
    area: 'paying',
    when: 'Nothing can be bought here: the operator has not set payments up.',
    action: 'Use the free files, or ask the operator.',
  },
  invalid_signature: {
    area: 'paying',
    when: 'An event for the payment webhook was not signed with its secret, or more than five minutes ago. Only Stripe calls this.',
    action: 'As the operator, check that STRIPE_WEBHOOK_SECRET is that of this endpoint.',
  },
  invalid_request: {
    area: 'any-call',
    when: 'The request is malformed: broken JSON, a missing field, a wrong type, a value out of range, no image or a second one.',
    action: 'Read `detail` and `errors`, correct the request, and do not send it again as it is.',
    members: complaints,
  },
  key_in_query: {
    area: 'any-call',
    when: 'Something that looks like an API key stands in the query string, where logs and histories keep it.',
    action: 'Revoke that key, and send its successor in the header `Authorization`.',
  },
  origin_not_allowed: {
    area: 'any-call',
    when: 'A page of another site wants to change something with the cookie. Programs that send neither `Origin` nor `Sec-Fetch-Site`, such as curl, are let through.',
    action: 'Call from the cabinet’s own origin, or let the operator add yours to CABINET_ORIGINS.',
  },
  not_found: {
    area: 'any-call',
    when: 'There is nothing at this path.',
    action: 'Compare it with the API reference. All paths of the API begin with `/v1`.',
  },
  method_not_allowed: {
    area: 'any-call',
    when: 'The path exists, but not with this method.',
    action: 'Use one of the methods in the header `Allow`.',
  },
  request_timeout: {
    area: 'any-call',
    when: 'The body stalled for 10 seconds, or took more than 120 seconds in all.',
    action: 'Send it again, over a better line if it happens often.',
  },
  body_too_large: {
    area: 'any-call',
    when: 'The body is larger than this call takes: 32 MiB for a picture, 64 KiB for JSON. A few ways of working need room for a copy of the file, and then take less.',
    action: 'Send a smaller file, and with its length: `limit_bytes` says what would do.',
    members: { limit_bytes: 'The most bytes that are taken.' },
  },
  too_many_requests: {
    area: 'any-call',
    when: 'A limit on how often was reached.',
    action: 'Wait as many seconds as `Retry-After` says. The page on limits lists them all.',
  },
  internal_error: {
    area: 'any-call',
    when: 'Something failed on our side. Nothing was charged.',
    action:
      'Try again a few times, with longer and longer pauses. If it stays, quote `request_id`.',
  },
} as const satisfies Record<ErrorCode, ErrorHelp>;

/** What is said of one error. */
export function helpFor(code: ErrorCode): ErrorHelp {
  return errorHelp[code];
}
