import { z } from '@hono/zod-openapi';
import { type ErrorCode, errorTable } from '../../errors.ts';

const codes = Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]];

const member = (schema: z.ZodType, description: string) =>
  schema.optional().openapi({ description });

/** RFC 9457 problem details as every error of the API has them. */
export const problemSchema = z
  .looseObject({
    type: z.url().openapi({ description: 'The entry of `code` on the error page.' }),
    title: z.string(),
    status: z.int(),
    detail: z.string().openapi({ description: 'One sentence that says what to do.' }),
    code: z.enum(codes).openapi({ description: 'Stable; program against this.' }),
    request_id: z.string(),
    errors: member(
      z.array(z.object({ path: z.string(), message: z.string() })),
      'Of `invalid_request` and `invalid_options`: every complaint, with what it is about.',
    ),
    free_resets_at: member(z.iso.datetime(), 'Of `quota_exceeded`.'),
    limit_bytes: member(z.int(), 'Of `body_too_large`.'),
    limit_pixels: member(z.int(), 'Of `image_too_large`: what would fit, shaped like this one.'),
    width: member(z.int(), 'Of `image_too_large`.'),
    height: member(z.int(), 'Of `image_too_large`.'),
    supported: member(z.array(z.string()), 'Of `unsupported_media_type`.'),
  })
  .openapi('Problem');

/** OpenAPI responses for the errors that a route can answer with, grouped by status. */
export function problemResponses(...answers: ErrorCode[]) {
  const byStatus = Map.groupBy(answers, (code) => errorTable[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      {
        description: group.map((code) => `\`${code}\`: ${errorTable[code].title}`).join('; '),
        headers: headersOf(group),
        content: { 'application/problem+json': { schema: problemSchema } },
      },
    ]),
  );
}

function headersOf(group: readonly ErrorCode[]) {
  const isTransient = group.includes('too_many_requests') || group.includes('overloaded');
  return {
    'Request-Id': { schema: { type: 'string' as const } },
    ...(isTransient && {
      'Retry-After': { description: 'Seconds.', schema: { type: 'integer' as const } },
    }),
    ...(group.includes('invalid_api_key') && {
      'WWW-Authenticate': { description: '`Bearer`', schema: { type: 'string' as const } },
    }),
  };
}
