import { z } from '@hono/zod-openapi';
import { type ErrorCode, errorTable } from '../../errors.ts';

const codes = Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]];

/** RFC 9457 problem details as every error of the API has them. */
export const problemSchema = z
  .looseObject({
    type: z.url().openapi({ description: 'The entry of `code` on the error page.' }),
    title: z.string(),
    status: z.int(),
    detail: z.string().openapi({ description: 'One sentence that says what to do.' }),
    code: z.enum(codes).openapi({ description: 'Stable; program against this.' }),
    request_id: z.string(),
  })
  .openapi('Problem');

/** OpenAPI responses for the errors that a route can answer with, grouped by status. */
export function problemResponses(...answers: ErrorCode[]) {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of answers) {
    const { status } = errorTable[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      {
        description: group.map((code) => `\`${code}\`: ${errorTable[code].title}`).join('; '),
        content: { 'application/problem+json': { schema: problemSchema } },
      },
    ]),
  );
}
