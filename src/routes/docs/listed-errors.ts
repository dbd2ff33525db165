import type { ListedError } from '../../cabinet/pages/docs/errors.tsx';
import { type ErrorCode, errorTable } from '../../errors.ts';
import { membersOf, problemCatalogue, problemExample } from '../http/problem-docs.ts';

const codes = Object.keys(errorTable) as ErrorCode[];

/** Every error, in the words of the OpenAPI document. */
export const listedErrors: readonly ListedError[] = codes.map((code) => ({
  code,
  ...errorTable[code],
  when: problemCatalogue[code].when,
  members: membersOf(code),
}));

/** A body as the API sends it, from the service at `origin`. */
export function exampleError(origin: string): object {
  const code = 'quota_exceeded';
  return { ...problemExample(code).value, type: `${origin}/docs/errors#${code}` };
}
