import {
  type ErrorCode,
  errorTable,
  membersOf,
  type ProblemMember,
  problemMembers,
} from '../../src/errors.ts';
import { isObject } from './openapi-document.ts';

/** Where keys are used; those do not belong in browsers. */
const forPrograms = new Set(['/v1/optimize', '/v1/quota']);

/** What the headers of a response have to say of each other, which no schema can. */
export function headerRelations(path: string, { headers }: Response): string[] {
  const complaints: string[] = [];
  const cors = [...headers.keys()].filter((name) => name.startsWith('access-control-'));
  if (forPrograms.has(path) && cors.length > 0) complaints.push(`${cors} on a route for programs`);

  const optimized = headers.get('Image-Optimized');
  if (optimized === null) return complaints;
  const hasReason = headers.has('Image-Reason');
  if (hasReason !== (optimized === 'false')) {
    complaints.push(`Image-Optimized: ${optimized} ${hasReason ? 'with' : 'without'} Image-Reason`);
  }
  if (headers.get('Image-Output-Bytes') !== headers.get('Content-Length')) {
    complaints.push('Image-Output-Bytes is not Content-Length');
  }
  return complaints;
}

/** What a problem has to say of itself and of the response that it is in. */
export function problemRelations(problem: unknown, { status, headers }: Response): string[] {
  if (!isObject(problem) || !isCode(problem.code)) return ['the code is none'];
  const { code, title, type, status: stated, request_id, detail } = problem;
  const expected = errorTable[code];
  const own = membersOf(code);
  const names = Object.keys(problemMembers) as ProblemMember[];
  const isAboutFields =
    code === 'invalid_request' && /^(?:"[^"]+"|The body): /.test(String(detail));
  const checks: [isWrong: boolean, complaint: string][] = [
    [stated !== status || status !== expected.status, `status ${stated} of ${code} in ${status}`],
    [request_id !== headers.get('Request-Id'), 'request_id is not the header’s'],
    [!String(type).endsWith(`/docs/errors#${code}`), `type ${type} of ${code}`],
    [title !== expected.title, `title ${title} of ${code}`],
    [isAboutFields && !('errors' in problem), 'a complaint about fields without errors'],
    ...names.map((name): [boolean, string] => [
      name in problem
        ? !own.includes(name)
        : own.includes(name) && problemMembers[name].isAlwaysPresent,
      `${name} ${name in problem ? 'of another code' : 'is missing'} in ${code}`,
    ]),
  ];
  return checks.flatMap(([isWrong, complaint]) => (isWrong ? complaint : []));
}

function isCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(errorTable, code);
}
