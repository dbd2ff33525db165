import type { ErrorCode } from '../../src/errors.ts';
import type { OpenApiDocument, Responses } from './openapi-document.ts';

/** What is refused before anyone looks for a route. */
const gates: readonly (readonly [status: number, code: ErrorCode])[] = [
  [400, 'key_in_query'],
  [403, 'origin_not_allowed'],
];

/**
 * What a path or a method that does not exist may be answered, by status.
 * @param name under which the document has its proper answer
 */
export function unroutedResponses(
  document: OpenApiDocument,
  name: 'NotFound' | 'MethodNotAllowed',
): Responses {
  const { schemas, responses } = document.components;
  const { NotFound: plain, [name]: proper } = responses;
  if (!plain || !proper) throw new Error(`the document has no response ${name}`);
  const refusals = gates.map(([status, code]) => [
    status,
    {
      headers: plain.headers,
      content: {
        'application/problem+json': {
          schema: { allOf: [schemas.Problem, { properties: { code: { const: code } } }] },
        },
      },
    },
  ]);
  return { ...Object.fromEntries(refusals), [name === 'NotFound' ? 404 : 405]: proper };
}
