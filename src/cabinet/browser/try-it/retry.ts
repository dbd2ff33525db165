import type { Failure } from '../api/failure.ts';

/** What passes by itself: the browser's own, and the 408, 429 and 5xx that a picture can meet. */
const passing: ReadonlySet<string> = new Set([
  'offline',
  'slow',
  'unreadable',
  'request_timeout',
  'too_many_requests',
  'internal_error',
  'overloaded',
]);

/** Whether sending the same picture once more may lead to something else. */
export function mayPass({ code }: Failure): boolean {
  return passing.has(code);
}
