import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import {
  ApiError,
  definitionOf,
  type ErrorCode,
  errorCodes,
  errorTable,
  membersOf,
} from '../../errors.ts';
import type { ImageError } from '../../image/engine.ts';
import { type ProblemMember, problemMembers } from '../../problem-members.ts';
import { type AppEnv, linkOrigin, note } from './context.ts';
import { commonHeaders, count, headersWith, timestamp } from './openapi-parts.ts';
import { overloaded } from './rate-limit.ts';

/** The error for invalid input: each issue with the path that it refers to. */
export function invalidRequest(
  issues: readonly Pick<z.core.$ZodIssue, 'path' | 'message'>[],
): ApiError {
  const errors = issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  const [first] = errors;
  const subject = first?.path ? `"${first.path}"` : 'The body';
  return new ApiError('invalid_request', `${subject}: ${first?.message ?? 'does not fit'}.`, {
    members: { errors },
  });
}

/** Creates every error response: problem details of RFC 9457. */
export function problem<RouteEnv extends AppEnv>(c: Context<RouteEnv>, error: ApiError): Response {
  note(c, { code: error.code });
  const body = problemBody(error, { origin: linkOrigin(c), requestId: c.var.requestId });
  return c.body(JSON.stringify(body), body.status, {
    'Content-Type': 'application/problem+json',
    'Cache-Control': 'no-store',
    ...error.headers,
  });
}

/** What is sent as JSON for an error. */
export function problemBody(
  { code, message, members }: ApiError,
  { origin, requestId }: { readonly origin: string; readonly requestId: string },
) {
  const { title, status } = errorTable[code];
  return {
    type: `${origin}/docs/errors#${code}`,
    title,
    status,
    detail: message,
    code,
    request_id: requestId,
    ...members,
  };
}

const memberNames = Object.keys(problemMembers) as ProblemMember[];

const memberSchemas: Readonly<Record<ProblemMember, z.ZodType>> = {
  errors: z
    .array(
      z.object({
        path: z.string().openapi({ description: 'The field or option. Empty: the whole body.' }),
        message: z.string(),
      }),
    )
    .min(1),
  free_resets_at: timestamp,
  limit: count,
  resets_at: timestamp,
  limit_bytes: count,
  width: z.int().min(1),
  height: z.int().min(1),
  limit_pixels: count,
  frames: z.int().min(2),
  limit_frames: count,
  smallest_bytes: count,
  limit_results: count,
  supported: z.array(z.string()).min(1),
};

function described(name: ProblemMember): string {
  const codes = errorCodes.filter((code) => membersOf(code).includes(name));
  const list = codes.map((code) => `\`${code}\``).join(' and ');
  return `${problemMembers[name].text} Only with ${list}.`;
}

/** Problem details of RFC 9457, as used by all errors of the API. */
export const problemSchema = z
  .object({
    type: z.url().openapi({ description: 'URL of the entry for `code` on the error page.' }),
    title: z
      .string()
      .openapi({ description: 'A short summary, the same for every error with this `code`.' }),
    status: z.int().openapi({ description: 'The HTTP status.' }),
    detail: z.string().openapi({ description: 'One sentence that says what to do.' }),
    code: z.enum(errorCodes).openapi({
      description: 'Stable: rely on this in your code.',
      'x-enumDescriptions': Object.fromEntries(
        errorCodes.map((code) => [code, errorTable[code].when]),
      ),
    }),
    request_id: z.string().openapi({ description: 'The same as the `Request-Id` header.' }),
    ...Object.fromEntries(
      memberNames.map((name) => [
        name,
        memberSchemas[name].optional().openapi({ description: described(name) }),
      ]),
    ),
  })
  .openapi('Problem', { description: 'An error, as problem details (RFC 9457).' });

/** Narrows a problem to these codes, each with the members that are always present. */
function schemaOf(codes: readonly ErrorCode[]): z.ZodType {
  const [plain, special] = [false, true].map((wanted) =>
    codes.filter((code) => requiredOf(code).length > 0 === wanted),
  );
  const parts = [
    ...(plain?.length ? [z.object({ code: z.enum(plain) })] : []),
    ...(special ?? []).map((code) =>
      z.object({
        code: z.literal(code),
        ...Object.fromEntries(requiredOf(code).map((name) => [name, memberSchemas[name]])),
      }),
    ),
  ];
  const [first, ...others] = parts;
  if (first === undefined) throw new Error('there is no code');
  return others.length === 0 ? first : z.union([first, ...others]);
}

function requiredOf(code: ErrorCode): ProblemMember[] {
  const codeMembers = membersOf(code);
  return memberNames.filter(
    (name) => codeMembers.includes(name) && problemMembers[name].isAlwaysPresent,
  );
}

/** An error as an OpenAPI example, with the detail and members of the error table. */
export function problemExample(code: ErrorCode) {
  return exampleOf(new ApiError(code, undefined, { members: definitionOf(code).members ?? {} }));
}

/** An error as a route throws it, as an OpenAPI example. */
function exampleOf(error: ApiError) {
  const { title, when } = errorTable[error.code];
  const value = problemBody(error, {
    origin: 'https://img.example',
    requestId: '5f0c9f7e-3f0a-4a53-9c58-0e6b8f3f0c11',
  });
  return { summary: title, description: when, value };
}

/**
 * OpenAPI responses for errors, grouped by status.
 * @param thrown errors as the route throws them, if they differ from the examples of their codes
 */
export function problemResponses(codes: readonly ErrorCode[], thrown: readonly ApiError[]) {
  const byStatus = Map.groupBy(codes, (code) => errorTable[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [status, problemResponse(group, thrown)]),
  );
}

function problemResponse(group: readonly ErrorCode[], thrown: readonly ApiError[]) {
  const example = (code: ErrorCode) => {
    const specific = thrown.find((error) => error.code === code);
    return specific ? exampleOf(specific) : { $ref: `#/components/examples/${code}` };
  };
  return {
    description: group.map((code) => `- \`${code}\`: ${errorTable[code].when}`).join('\n'),
    headers: headersOf(group),
    content: {
      'application/problem+json': {
        schema: problemSchema.and(schemaOf(group)),
        examples: Object.fromEntries(group.map((code) => [code, example(code)])),
      },
    },
  };
}

/** The headers of a group of errors; a header that only some of them have is optional. */
function headersOf(group: readonly ErrorCode[]) {
  const names = new Set(group.map((code) => definitionOf(code).header));
  const [name] = [...names].filter((it) => it !== undefined);
  if (name === undefined) return headersWith([]);
  if (names.size === 1) return headersWith([name]);
  return headersWith([], { [name]: { ...commonHeaders[name], required: false } });
}

/** Value of `Retry-After` in seconds while a part of the service is unavailable. */
const unavailableRetryAfter = '2';

/**
 * The error for a temporary failure of the database, KV or a meter. A write may have succeeded although its response
 * was lost, so only reads can be repeated blindly, and optimizing, because a file is charged only after its response
 * has left.
 */
export function temporarilyUnavailable<RouteEnv extends AppEnv>(c: Context<RouteEnv>): ApiError {
  const isRepeatable = /^(GET|HEAD)$/.test(c.req.method) || /\/(optimize|try)$/.test(c.req.path);
  const advice = isRepeatable ? 'try again.' : 'check whether it took effect, then try again.';
  return new ApiError('overloaded', `Part of the service is not responding right now: ${advice}`, {
    headers: { 'Retry-After': unavailableRetryAfter },
  });
}

/** An error of the engine as the API tells it. */
export function apiErrorOf({ code, detail, members }: ImageError): ApiError {
  return code === 'overloaded' ? overloaded() : new ApiError(code, detail, { members });
}
