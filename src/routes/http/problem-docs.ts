import { z } from '@hono/zod-openapi';
import { ApiError, type ErrorCode, errorTable } from '../../errors.ts';
import { apiKeyLimits } from '../../policy/limits.ts';
import { stallLimit, totalLimit } from './body-reader.ts';
import { type CommonHeader, commonHeaders, count, headersWith, timestamp } from './contract.ts';
import { jsonTooLarge, notJson } from './json-body.ts';

interface Entry {
  /** When a caller meets it; code stands in backticks. */
  readonly when: string;
  /** One `detail` that it may come with. */
  readonly detail: string;
  /** The further members of that example. */
  readonly members?: Readonly<Record<string, unknown>>;
}

/** Every error, as the OpenAPI document and the error page explain it. */
export const problemCatalogue: Readonly<Record<ErrorCode, Entry>> = {
  invalid_email: {
    when: 'The e-mail address is empty, or does not look like one.',
    detail: 'Give an e-mail address such as you@gmail.com.',
  },
  email_domain_not_allowed: {
    when: 'Addresses of this domain cannot sign in here: the operator decides which can.',
    detail: 'Addresses of this domain cannot sign in here: use another one.',
  },
  invalid_request: {
    when: 'The request is malformed: broken JSON, a wrong type, a missing field, a value out of range, no image or a second one.',
    detail: '"name": should not be empty.',
    members: { errors: [{ path: 'name', message: 'should not be empty' }] },
  },
  invalid_options: {
    when: 'An option is unknown, given twice, malformed, in the query beside a form or JSON, or cannot apply to this image; `detail` says which.',
    detail: 'Option "width": should be a whole number of pixels.',
    members: { errors: [{ path: 'width', message: 'should be a whole number of pixels' }] },
  },
  source_not_allowed: {
    when: 'The image URL is one that is not fetched, or redirects to one: not https, a port other than 443 and 80, a user name or password, a private host.',
    detail: 'Use another image URL: only https is fetched.',
  },
  email_undeliverable: {
    when: 'The mail provider refuses this recipient for good. The cool-down of the address stays.',
    detail: 'Mail to this address is refused for good: use another one.',
  },
  invalid_signature: {
    when: 'The signature of a payment event does not fit its body, or is too old. Only Stripe makes this call.',
    detail: 'Sign the exact body with the secret of this webhook, not more than five minutes ago.',
  },
  key_in_query: {
    when: 'Something that looks like an API key stands in the query string. Revoke that key: URLs are logged.',
    detail:
      'An API key stood in the query string, where it may have been logged: revoke it, and send its successor in the Authorization header.',
  },
  invalid_code: {
    when: 'The code is wrong, expired, used, was never asked for, or was tried too often: one answer for all.',
    detail:
      'This code does not work: check it, or ask for a new one; after many wrong ones wait an hour.',
  },
  auth_required: {
    when: 'There is no session, or it has ended.',
    detail: 'Sign in first: this call needs the session cookie.',
  },
  invalid_api_key: {
    when: 'The API key is missing, malformed, unknown or revoked: one answer for all.',
    detail: 'Send an active API key in the header "Authorization: Bearer <key>".',
  },
  quota_exceeded: {
    when: 'Neither free nor paid files are left. `free_resets_at` says when there are free ones again.',
    detail: 'This month’s free files and all paid ones are used up: buy more, or wait.',
    members: { free_resets_at: '2026-12-01T00:00:00.000Z' },
  },
  origin_not_allowed: {
    when: 'A page of a foreign origin wants to change something. Clients that send neither `Origin` nor `Sec-Fetch-Site`, such as curl, are let through.',
    detail: 'Pages of this origin may not do that: use the cabinet, or a program.',
  },
  not_found: {
    when: 'Nothing is at this path.',
    detail: 'Nothing is at this path; see /v1/openapi.json.',
  },
  key_not_found: {
    when: 'There is no key of this id, or it is another user’s.',
    detail: 'You have no key of this id; GET /v1/keys lists yours.',
  },
  method_not_allowed: {
    when: 'The path has other methods; the header `Allow` lists them.',
    detail: 'Use one of the methods POST, OPTIONS on this path.',
  },
  request_timeout: {
    when: `The body stalled for ${stallLimit / 1000} seconds, or took more than ${totalLimit / 1000} seconds in all.`,
    detail: 'The body came too slowly: send it again.',
  },
  key_not_active: {
    when: 'The key is revoked already.',
    detail: 'This key is revoked already: make a new one instead.',
  },
  key_limit_reached: {
    when: `There are ${apiKeyLimits.active} active keys, or ${apiKeyLimits.records.toLocaleString('en-US')} with the revoked ones.`,
    detail: 'There are 50 active keys, the most there can be: revoke one that you do not use.',
  },
  body_too_large: {
    when: 'The body is larger than `limit_bytes`, the most that this call takes. Where work on the file takes much more memory than the file, that is less than usual.',
    ...wordsOf(jsonTooLarge()),
  },
  image_too_large: {
    when: 'The picture has `width` × `height` pixels, more than the memory of the service holds for this format and these options; `limit_pixels` of its kind would fit.',
    detail:
      'This picture has 12.2 megapixels; with these options up to 5.3 fit: keep its format, or ask for a smaller width.',
    members: { width: 4032, height: 3024, limit_pixels: 5_281_460 },
  },
  unsupported_media_type: {
    when: 'The body is not of a type that this call reads: JPEG, PNG, WebP or AVIF for an image, as `supported` says, and `application/json` elsewhere.',
    ...wordsOf(notJson()),
  },
  invalid_image: {
    when: 'The image is broken, truncated or contradicts itself; or it is one that keeps its format and size: an animation, a CMYK or HDR picture, or one whose colours are not known well enough.',
    detail: 'The JPEG ends in the middle of its picture.',
  },
  source_fetch_failed: {
    when: 'The image URL could not be fetched: unreachable, a status other than 200, too many redirects, too slow. Nothing of the foreign answer is passed on.',
    detail:
      'The image URL could not be fetched: it should answer with status 200 and the bytes of an image.',
  },
  too_many_requests: {
    when: 'A rate limit was reached; try again after `Retry-After` seconds.',
    detail: 'Too many requests: try again in 60 s.',
  },
  internal_error: {
    when: 'Something failed inside the service. Nothing was charged; quote `request_id` if it stays.',
    detail: 'Something failed on our side; quote the request id if it stays.',
  },
  email_not_sent: {
    when: 'The mail could not be sent. Asking again at once is allowed.',
    detail: 'The mail could not be sent: ask again.',
  },
  payment_provider_failed: {
    when: 'The payment provider did not answer as it should. No money was taken.',
    detail: 'The payment page could not be opened: nothing was charged, try again.',
  },
  overloaded: {
    when: 'Too much is going on right now, or a part of the service does not answer. Nothing was charged. After `Retry-After` seconds send it again if it reads or optimizes; after any other call look first whether it was done.',
    detail: 'Too much is going on here right now: try again.',
  },
  payments_not_configured: {
    when: 'This deployment sells nothing: no payment secret is set.',
    detail: 'Nothing can be bought here: ask the operator.',
  },
};

/** An error as it is thrown where it is most usual. */
function wordsOf({ message, members }: ApiError): Pick<Entry, 'detail' | 'members'> {
  return { detail: message, members };
}

interface Member {
  /** The errors that have it. */
  readonly of: readonly ErrorCode[];
  readonly text: string;
}

/** What some errors say besides what all of them say; code stands in backticks. */
export const problemMembers = {
  errors: {
    of: ['invalid_request', 'invalid_options'],
    text: 'Every complaint: `path` names the field or option, `message` says what is wrong with it.',
  },
  free_resets_at: { of: ['quota_exceeded'], text: 'When the next free files are there.' },
  limit_bytes: { of: ['body_too_large'], text: 'The most bytes that are taken.' },
  width: { of: ['image_too_large'], text: 'Pixels across, upright.' },
  height: { of: ['image_too_large'], text: 'Pixels down, upright.' },
  limit_pixels: {
    of: ['image_too_large'],
    text: 'Pixels that would fit, shaped like this picture.',
  },
  supported: { of: ['unsupported_media_type'], text: 'For an image: the media types to send.' },
} as const satisfies Record<string, Member>;

/** The further members of an error. */
export function membersOf(code: ErrorCode): readonly { name: string; text: string }[] {
  const all: readonly (readonly [string, Member])[] = Object.entries(problemMembers);
  return all.filter(([, { of }]) => of.includes(code)).map(([name, { text }]) => ({ name, text }));
}

/** Whether an error that may have a member always has it. Not every complaint is about fields. */
export function isRequired(name: keyof typeof problemMembers): boolean {
  return name !== 'errors';
}

const codes = Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]];

const meanings = Object.fromEntries(codes.map((code) => [code, problemCatalogue[code].when]));

type Name = keyof typeof problemMembers;
const names = Object.keys(problemMembers) as Name[];

const schemas: Readonly<Record<Name, z.ZodType>> = {
  errors: z
    .array(
      z.object({
        path: z.string().openapi({ description: 'The field or option; empty: the whole body.' }),
        message: z.string(),
      }),
    )
    .min(1),
  free_resets_at: timestamp,
  limit_bytes: count,
  width: z.int().min(1),
  height: z.int().min(1),
  limit_pixels: count,
  supported: z.array(z.string()).min(1),
};

function described(name: Name): string {
  const { of, text } = problemMembers[name];
  return `${text} Only with ${of.map((code) => `\`${code}\``).join(' and ')}.`;
}

/** RFC 9457 problem details as every error of the API has them. */
export const problemSchema = z
  .object({
    type: z.url().openapi({ description: 'The entry of `code` on the error page.' }),
    title: z.string().openapi({ description: 'Short, the same for every error of this `code`.' }),
    status: z.int().openapi({ description: 'The HTTP status.' }),
    detail: z.string().openapi({ description: 'One sentence that says what to do.' }),
    code: z.enum(codes).openapi({
      description: 'Stable; program against this.',
      'x-enumDescriptions': meanings,
    }),
    request_id: z.string().openapi({ description: 'The same as the header `Request-Id`.' }),
    ...Object.fromEntries(
      names.map((name) => [
        name,
        schemas[name].optional().openapi({ description: described(name) }),
      ]),
    ),
  })
  .openapi('Problem', { description: 'An error, as RFC 9457 has it.' });

/** What narrows a problem down to these codes, each with the members that it always has. */
function narrowed(codes: readonly ErrorCode[]): z.ZodType {
  const [plain, special] = [false, true].map((wanted) =>
    codes.filter((code) => requiredOf(code).length > 0 === wanted),
  );
  const parts = [
    ...(plain?.length ? [z.object({ code: z.enum(plain) })] : []),
    ...(special ?? []).map((code) =>
      z.object({
        code: z.literal(code),
        ...Object.fromEntries(requiredOf(code).map((name) => [name, schemas[name]])),
      }),
    ),
  ];
  const [first, ...others] = parts;
  if (first === undefined) throw new Error('there is no code');
  return others.length === 0 ? first : z.union([first, ...others]);
}

function requiredOf(code: ErrorCode): Name[] {
  const own = membersOf(code).map(({ name }) => name);
  return names.filter((name) => own.includes(name) && isRequired(name));
}

/** Every error as an OpenAPI example, by its code. */
export function problemExample(code: ErrorCode) {
  const { detail, members = {} } = problemCatalogue[code];
  return exampleOf(new ApiError(code, detail, { members }));
}

/** An error as it is thrown, as an OpenAPI example. */
function exampleOf({ code, message, members }: ApiError) {
  const { status, title } = errorTable[code];
  return {
    summary: title,
    description: problemCatalogue[code].when,
    value: {
      type: `https://img.example/docs/errors#${code}`,
      title,
      status,
      detail: message,
      code,
      request_id: '5f0c9f7e-3f0a-4a53-9c58-0e6b8f3f0c11',
      ...members,
    },
  };
}

/** Headers without which an error is never sent. */
const headersByCode: Partial<Record<ErrorCode, CommonHeader>> = {
  invalid_api_key: 'WWW-Authenticate',
  method_not_allowed: 'Allow',
  overloaded: 'Retry-After',
  too_many_requests: 'Retry-After',
};

/** OpenAPI responses for the errors that a route can answer with, grouped by status. */
export function problemResponses(...answers: ErrorCode[]) {
  return problemResponsesLike([], ...answers);
}

/**
 * The same for a route whose errors differ from the usual ones of their code.
 * @param thrown what the route throws, as examples
 */
export function problemResponsesLike(thrown: readonly ApiError[], ...answers: ErrorCode[]) {
  const byStatus = Map.groupBy(new Set(answers), (code) => errorTable[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [status, response(group, thrown)]),
  );
}

function response(group: readonly ErrorCode[], thrown: readonly ApiError[]) {
  const example = (code: ErrorCode) => {
    const own = thrown.find((error) => error.code === code);
    return own ? exampleOf(own) : { $ref: `#/components/examples/${code}` };
  };
  return {
    description: group.map((code) => `- \`${code}\`: ${problemCatalogue[code].when}`).join('\n'),
    headers: headersOf(group),
    content: {
      'application/problem+json': {
        schema: problemSchema.and(narrowed(group)),
        examples: Object.fromEntries(group.map((code) => [code, example(code)])),
      },
    },
  };
}

/** A header that only some errors of a status have is optional in the status's response. */
function headersOf(group: readonly ErrorCode[]) {
  const names = new Set(group.map((code) => headersByCode[code]));
  const [name] = [...names].filter((it) => it !== undefined);
  if (name === undefined) return headersWith([]);
  if (names.size === 1) return headersWith([name]);
  return headersWith([], { [name]: { ...commonHeaders[name], required: false } });
}
