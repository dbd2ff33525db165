import type { ListedError } from '../../cabinet/pages/docs/errors.tsx';
import { errorCodes, errorTable, membersOf, problemMembers } from '../../errors.ts';
import { problemExample } from '../http/problems.ts';

/** Every error, in the words of the OpenAPI document. */
export const listedErrors: readonly ListedError[] = errorCodes.map((code) => ({
  code,
  status: errorTable[code].status,
  title: errorTable[code].title,
  when: errorTable[code].when,
  members: membersOf(code).map((name) => ({ name, text: problemMembers[name].text })),
}));

/** A body as the API sends it, from the service at `origin`. */
export function exampleError(origin: string): object {
  const code = 'quota_exceeded';
  return { ...problemExample(code).value, type: `${origin}/docs/errors#${code}` };
}
