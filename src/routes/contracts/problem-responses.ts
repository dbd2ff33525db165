import { type ApiError, type ErrorCode, errorTable } from '../../errors.ts';
import { type CommonHeader, commonHeaders, headersWith } from './headers.ts';
import { problemCatalogue } from './problem-catalogue.ts';
import { exampleOf, narrowed, problemSchema } from './problem-schema.ts';

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
