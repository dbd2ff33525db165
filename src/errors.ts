import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { apiKeyLimits, bodyLimits, siteLimits } from './policy/limits.ts';
import type { ProblemMember } from './problem-members.ts';

/** Where callers encounter an error; the documentation lists errors under these headings. */
export const errorAreas = [
  { id: 'optimizing', title: 'Optimizing' },
  { id: 'signing-in', title: 'Signing in' },
  { id: 'managing-keys', title: 'Managing keys' },
  { id: 'images-by-url', title: 'Images by URL' },
  { id: 'paying', title: 'Paying' },
  { id: 'any-call', title: 'Any call' },
] as const;

interface ErrorDefinition {
  readonly status: ContentfulStatusCode;
  /** Short, and the same for every occurrence (RFC 9457 §3.1.3). */
  readonly title: string;
  readonly area: (typeof errorAreas)[number]['id'];
  /** When callers get it; code is in backticks. */
  readonly when: string;
  /** What callers should do; code is in backticks. */
  readonly help: string;
  /** The default `detail`, also used in the documented example. */
  readonly detail: string;
  /** Additional members, with the values of the documented example. */
  readonly members?: Readonly<Partial<Record<ProblemMember, unknown>>>;
  /** Members that the documented example does not need. */
  readonly otherMembers?: readonly ProblemMember[];
  /** A header that is always sent with it. */
  readonly header?: 'Allow' | 'Retry-After' | 'WWW-Authenticate';
}

/** Every error of the API. Responses, the OpenAPI document and the documentation are all generated from this table. */
export const errorTable = {
  invalid_email: {
    status: 400,
    title: 'Not an email address',
    area: 'signing-in',
    when: 'The email address is empty or malformed.',
    help: 'Check the address for typos.',
    detail: 'Provide an email address such as you@gmail.com.',
  },
  email_domain_not_allowed: {
    status: 400,
    title: 'Email domain not allowed',
    area: 'signing-in',
    when: 'The operator does not allow addresses at this domain to sign in.',
    help: 'Use an address at one of the domains that `detail` names, or ask the operator to add yours to `ALLOWED_EMAIL_DOMAINS`.',
    detail:
      'Addresses at this domain cannot sign in here. This service accepts addresses at gmail.com, outlook.com, icloud.com, yahoo.com, proton.me, gmx.net and 67 more. Its operator can add yours.',
  },
  invalid_request: {
    status: 400,
    title: 'Invalid request',
    area: 'any-call',
    when: 'The request is malformed: broken JSON, a broken form, a wrong type, a missing field, a value out of range, no image or more than one.',
    help: 'Read `detail` and `errors`, and fix the request. Sending it again unchanged does not help.',
    detail: '"name": should not be empty.',
    members: { errors: [{ path: 'name', message: 'should not be empty' }] },
  },
  invalid_options: {
    status: 400,
    title: 'Invalid options',
    area: 'optimizing',
    when: 'An option is unknown, malformed, given twice, in the query beside a form or JSON, or does not apply to this image.',
    help: 'Read `detail`: it names the option. The page on options lists what can be combined.',
    detail: 'Option "width": should be a whole number of pixels.',
    members: { errors: [{ path: 'width', message: 'should be a whole number of pixels' }] },
    otherMembers: ['limit_results'],
  },
  source_not_allowed: {
    status: 400,
    title: 'Image URL not allowed',
    area: 'optimizing',
    when: 'The image URL, or one that it redirects to, is not allowed: not https, a port other than 443 or 80, a user name or password, or a private host.',
    help: 'Use a public https URL, or send the image itself.',
    detail:
      'Use a different image URL: this one does not begin with https://, the only scheme that is fetched.',
  },
  email_undeliverable: {
    status: 400,
    title: 'Email cannot be delivered',
    area: 'signing-in',
    when: 'The mail provider permanently rejects this recipient. The wait until the next code for this address still applies.',
    help: 'Use another address.',
    detail: 'Mail to this address is permanently rejected: use a different one.',
  },
  turnstile_failed: {
    status: 400,
    title: 'Human check failed',
    area: 'signing-in',
    when: 'This deployment requires a Turnstile check before it sends a code, and `turnstile_token` is missing, invalid, expired or already used.',
    help: 'Complete the check on the page again, then retry.',
    detail: 'The human check failed: complete it again.',
  },
  invalid_signature: {
    status: 400,
    title: 'Invalid signature',
    area: 'paying',
    when: 'The signature of a payment event does not match its body, or is too old. Only Stripe makes this call.',
    help: 'Operators: check that `STRIPE_WEBHOOK_SECRET` belongs to this endpoint, and that events come straight from Stripe.',
    detail:
      'Sign the exact body with the secret of this webhook; the signature must be at most five minutes old.',
  },
  key_in_query: {
    status: 400,
    title: 'API key in the query string',
    area: 'any-call',
    when: 'The query string contains something that looks like an API key. URLs end up in logs, so consider that key leaked.',
    help: 'Revoke the key, and send its replacement in the `Authorization` header.',
    detail:
      'An API key was sent in the query string, where it may have been logged: revoke it, and send its replacement in the Authorization header.',
  },
  invalid_code: {
    status: 401,
    title: 'Invalid code',
    area: 'signing-in',
    when: 'The code is wrong, expired, already used, was never requested, or had too many wrong tries. The response is the same for all of these.',
    help: 'Enter the code from the newest mail in the browser that requested it, or request a new one. After many wrong codes, wait an hour.',
    detail:
      'This code does not work: check it, or request a new one; after many wrong codes, wait an hour.',
  },
  auth_required: {
    status: 401,
    title: 'Sign-in required',
    area: 'signing-in',
    when: 'There is no session cookie, or the session has ended.',
    help: 'Sign in. API keys do not work here: they only optimize images and call `GET /v1/quota`.',
    detail: 'Sign in first: this call requires the session cookie.',
  },
  invalid_api_key: {
    status: 401,
    title: 'Invalid API key',
    area: 'optimizing',
    when: 'The API key is missing, malformed, unknown, revoked or expired. The response is the same for all keys; without a key, `detail` says where to make one.',
    help: 'Send `Authorization: Bearer` followed by the whole key. If it was revoked, create a new one in the dashboard; if it has expired, set a later date there. Retrying does not help.',
    detail:
      'Send an API key that is active and has not expired, in the header "Authorization: Bearer <key>".',
    header: 'WWW-Authenticate',
  },
  quota_exceeded: {
    status: 402,
    title: 'Quota exceeded',
    area: 'optimizing',
    when: 'The account has neither free nor paid files left.',
    help: 'Serve originals until `free_resets_at`, or buy files in the dashboard where they are sold.',
    detail: 'This month’s free files and all paid files are used up: buy more, or wait.',
    members: { free_resets_at: '2026-12-01T00:00:00.000Z' },
  },
  key_limit_exceeded: {
    status: 402,
    title: 'Key limit exceeded',
    area: 'optimizing',
    when: 'This key has reached its `monthly_limit`, including requests in progress. The account still has files left.',
    help: 'Serve originals until `resets_at`, or raise the limit of the key in the dashboard, which takes effect at once.',
    detail: 'This key has used its monthly limit: raise the limit in the dashboard, or wait.',
    members: { limit: 1000, resets_at: '2026-12-01T00:00:00.000Z' },
  },
  origin_not_allowed: {
    status: 403,
    title: 'Origin not allowed',
    area: 'any-call',
    when: 'A page from another origin tries to change something. Clients that send neither `Origin` nor `Sec-Fetch-Site`, such as curl, are not affected.',
    help: 'Call from the origin of the dashboard, or ask the operator to add yours to `CABINET_ORIGINS`.',
    detail:
      'Pages of this origin may not make this call: use the dashboard, or a program outside of a browser.',
  },
  invalid_url_signature: {
    status: 403,
    title: 'Invalid URL signature',
    area: 'images-by-url',
    when: 'The site answers signed URLs only, and this one has no signature, or one that none of its secrets made for this path and query.',
    help: 'Sign the path and query exactly as they are requested. After a rotation, use the new secret.',
    detail: 'This URL needs a valid signature: see the page on signing.',
  },
  url_expired: {
    status: 403,
    title: 'URL expired',
    area: 'images-by-url',
    when: 'The time in `exp` of a signed URL is over.',
    help: 'Sign a new URL with a later `exp`.',
    detail: 'This URL was valid until the time in "exp": sign a new one.',
  },
  site_paused: {
    status: 403,
    title: 'Site paused',
    area: 'images-by-url',
    when: 'The owner of the site has paused it, and its `on_error` is `error`.',
    help: 'Set its `status` to `active`.',
    detail: 'This site is paused: its owner can make it active again.',
  },
  preset_required: {
    status: 403,
    title: 'Preset required',
    area: 'images-by-url',
    when: 'The site answers presets only, and the URL has other options.',
    help: 'Use `p_` with the name of a preset, or `_`.',
    detail: 'This site answers presets only: write p_ and the name of one, or _ for none.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    area: 'any-call',
    when: 'There is nothing at this path.',
    help: 'Check the path against the API reference. All API paths begin with `/v1`.',
    detail: 'There is nothing at this path; see /v1/openapi.json.',
  },
  key_not_found: {
    status: 404,
    title: 'API key not found',
    area: 'managing-keys',
    when: 'No key has this id, or it belongs to someone else.',
    help: 'Take the id from `GET /v1/keys`. It begins with `key_`; the key itself, `fewer_…`, is not an id.',
    detail: 'You have no key with this id; GET /v1/keys lists yours.',
  },
  site_not_found: {
    status: 404,
    title: 'Site not found',
    area: 'images-by-url',
    when: 'There is no site with this slug, or you have none with this id.',
    help: 'Check the first part of the path after `/i/`, or take the id from `GET /v1/sites`.',
    detail: 'There is no such site.',
  },
  source_not_found: {
    status: 404,
    title: 'Image not found',
    area: 'images-by-url',
    when: 'The source of the site answers that there is no image at this path.',
    help: 'Check the path: it is appended to the `source` of the site.',
    detail: 'The source has no image at this path.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    area: 'any-call',
    when: 'This path does not support the method.',
    help: 'Use one of the methods in the `Allow` header.',
    detail: 'Use one of the methods POST, OPTIONS on this path.',
    header: 'Allow',
  },
  request_timeout: {
    status: 408,
    title: 'Request timed out',
    area: 'any-call',
    when: `The upload stalled for ${bodyLimits.stallTimeout / 1000} seconds, or took more than ${bodyLimits.totalTimeout / 1000} seconds in all. For a JSON body: more than ${bodyLimits.smallTimeout / 1000} seconds.`,
    help: 'Retry. If it keeps happening, use a faster connection or send a smaller file.',
    detail: 'The body arrived too slowly: send it again.',
  },
  key_not_active: {
    status: 409,
    title: 'API key not active',
    area: 'managing-keys',
    when: 'The key has already been revoked, or is already being replaced.',
    help: 'Use its replacement, or create a new key.',
    detail: 'This key has been revoked or replaced: use its replacement, or create a new one.',
  },
  key_limit_reached: {
    status: 409,
    title: 'Too many API keys',
    area: 'managing-keys',
    when: `There are ${apiKeyLimits.active} active keys, or ${apiKeyLimits.overlapping} more that have been replaced and still work.`,
    help: 'Revoke a key that is no longer used, or reissue one: that works with all active keys in use, too.',
    detail: `You have ${apiKeyLimits.active} active keys, the maximum: revoke one that you do not use.`,
  },
  slug_taken: {
    status: 409,
    title: 'Slug taken',
    area: 'images-by-url',
    when: 'Another site has this slug, or had it within the last 90 days.',
    help: 'Choose another one.',
    detail: 'This slug is taken: choose another one.',
  },
  site_limit_reached: {
    status: 409,
    title: 'Too many sites',
    area: 'images-by-url',
    when: `The account has ${siteLimits.perAccount} sites, or ${siteLimits.records} counting those deleted in the last ${siteLimits.reservedDays} days.`,
    help: 'Delete one that is no longer used, or point an existing one at other images.',
    detail: `You can have ${siteLimits.perAccount} sites, or ${siteLimits.records} counting those you deleted in the last ${siteLimits.reservedDays} days.`,
  },
  body_too_large: {
    status: 413,
    title: 'Body too large',
    area: 'any-call',
    when: 'The body is larger than `limit_bytes`. That is the maximum for this call, or less if processing this file would take much more memory than the file itself.',
    help: 'Send a file of at most `limit_bytes`, with a `Content-Length` header.',
    detail: `Send a JSON body of at most ${bodyLimits.maxJsonBytes / 1024} KiB.`,
    members: { limit_bytes: bodyLimits.maxJsonBytes },
  },
  image_too_large: {
    status: 413,
    title: 'Image too large',
    area: 'optimizing',
    when: 'The image has too many pixels for the memory or the computing time that this format and these options would take. It has `width` × `height`; `limit_pixels` would fit. Or an animation has too many frames, or too many pixels in all of them together: it has `frames`, of which `limit_frames` would fit.',
    help: 'Keep its format or request a smaller `width`: much larger images fit then. Or reduce the image before you send it. Of an animation with too many frames, `animation=first` returns the first.',
    detail:
      'This image has 12.2 megapixels; with these options up to 4.7 fit: keep its format, or request a smaller width.',
    members: { width: 4032, height: 3024, limit_pixels: 4_736_376 },
    otherMembers: ['frames', 'limit_frames'],
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    area: 'optimizing',
    when: 'This call does not read bodies of this type. `supported` lists the types that it reads: image formats, or `application/json` for all other calls.',
    help: 'Convert the image first, or serve it as it is. With a JSON body, send `Content-Type: application/json`.',
    detail: 'Send JSON with "Content-Type: application/json".',
    members: { supported: ['application/json'] },
  },
  invalid_image: {
    status: 422,
    title: 'Invalid image',
    area: 'optimizing',
    when: 'The image is damaged or truncated; one damaged frame is enough. Or you asked for an animation in a format that cannot move, such as JPEG. Or you asked for another format or size, and this image can only keep its own: an HDR image, an animated AVIF, or one whose colour space is not known well enough. Or a JPEG that has no counterpart in JPEG XL was to become one.',
    help: 'Read `detail`. Get a damaged file from its source again. Ask for a format that animations can have, or for a still image with `animation=first`. Send the others with `format=keep` and without `width` and `height`.',
    detail: 'The JPEG ends in the middle of its picture.',
  },
  max_bytes_unreachable: {
    status: 422,
    title: 'Size out of reach',
    area: 'optimizing',
    when: 'The image does not fit into `max_bytes` with these options, not even at the lowest quality that is still acceptable. `smallest_bytes` is what it would take.',
    help: 'Request a smaller `width`, another `format`, or a `max_bytes` of at least `smallest_bytes`.',
    detail:
      'This image takes at least 48120 bytes with these options: request a smaller width, another format or a larger max_bytes.',
    members: { smallest_bytes: 48_120 },
  },
  source_fetch_failed: {
    status: 422,
    title: 'Image URL could not be fetched',
    area: 'optimizing',
    when: 'Fetching the image URL failed: the server was unreachable or too slow, redirected too often, or answered with a status other than 200. Nothing of its response is passed on.',
    help: 'Check that the URL opens from outside your network. If it works only some of the time, retry, or send the image itself.',
    detail:
      'The image URL could not be fetched: it should answer with status 200 and the bytes of an image.',
  },
  too_many_requests: {
    status: 429,
    title: 'Too many requests',
    area: 'any-call',
    when: 'A rate limit was reached.',
    help: 'Retry after the number of seconds in `Retry-After`. The page on limits lists all rate limits.',
    detail: 'Too many requests: try again in 60 s.',
    header: 'Retry-After',
  },
  site_limit_exceeded: {
    status: 429,
    title: 'Site limit exceeded',
    area: 'images-by-url',
    when: 'The site has made as many results as its `monthly_limit` allows, or as many of one image as an unsigned site may, or too many within a minute; and its `on_error` is `error`.',
    help: 'Raise the limit of the site, sign its URLs, or wait: results that are kept are served as before.',
    detail: 'This site has reached a limit of new results: kept ones are served as before.',
    header: 'Retry-After',
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    area: 'any-call',
    when: 'Something failed inside the service. Nothing was charged.',
    help: 'Retry a few times, with increasing pauses. If it keeps happening, report it with the `request_id`.',
    detail: 'Something failed on our side; quote the request id if it keeps happening.',
  },
  email_not_sent: {
    status: 502,
    title: 'Email not sent',
    area: 'signing-in',
    when: 'The mail could not be sent.',
    help: 'Request another code; there is no need to wait. A code that you received earlier still works until it expires.',
    detail: 'The mail could not be sent: request another code.',
  },
  payment_provider_failed: {
    status: 502,
    title: 'Payment provider failed',
    area: 'paying',
    when: 'Stripe did not respond as expected. No money was taken.',
    help: 'Try again in a minute.',
    detail: 'The payment page could not be opened: nothing was charged, try again.',
  },
  overloaded: {
    status: 503,
    title: 'Overloaded',
    area: 'any-call',
    when: 'The service is too busy right now, or part of it is not responding. Nothing was charged.',
    help: 'Wait the number of seconds in `Retry-After`. Then retry a call that reads or optimizes; after any other call, first check whether it took effect.',
    detail: 'The service is too busy right now: try again.',
    header: 'Retry-After',
  },
  payments_not_configured: {
    status: 503,
    title: 'Payments not configured',
    area: 'paying',
    when: 'This deployment sells nothing: no Stripe secrets are set.',
    help: 'Use the free files, or ask the operator.',
    detail: 'Nothing is for sale here: ask the operator.',
  },
  delivery_loop: {
    status: 508,
    title: 'Delivery loop',
    area: 'images-by-url',
    when: 'The request for an image by URL comes from this service: the source of a site leads back to a site.',
    help: 'Let the `source` of the site point at the server that has the images.',
    detail: 'This request comes from this service: the source of a site leads back to a site.',
  },
} as const satisfies Record<string, ErrorDefinition>;

export type ErrorCode = keyof typeof errorTable;

/** All codes, in the order of the table. */
export const errorCodes = Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]];

/** The definition of an error with all of its optional parts. */
export function definitionOf(code: ErrorCode): ErrorDefinition {
  return errorTable[code];
}

/** The members that an error may have besides those of every problem, in the order of its example. */
export function membersOf(code: ErrorCode): readonly ProblemMember[] {
  const { members = {}, otherMembers = [] } = definitionOf(code);
  return [...(Object.keys(members) as ProblemMember[]), ...otherMembers];
}

interface Extras {
  /** Additional members of the problem object, as the table lists them for the code. */
  readonly members?: Readonly<Partial<Record<ProblemMember, unknown>>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/**
 * An error response.
 * @param detail one sentence that says what to do, shown to callers verbatim; by default that of the table
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly members: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    detail: string = errorTable[code].detail,
    { members = {}, headers = {}, cause }: Extras = {},
  ) {
    super(detail, { cause });
    this.code = code;
    this.members = members;
    this.headers = headers;
  }
}
