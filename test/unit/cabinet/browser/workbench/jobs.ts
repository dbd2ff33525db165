import type { Job, JobState } from '../../../../../src/cabinet/browser/workbench/queue.ts';

/** A job as it is added. */
export function jobOf(
  id: number,
  query: string | null = '',
  state: JobState = { kind: 'waiting' },
): Job {
  const file = new File(['x'], `${id}.jpg`);
  const fresh = { variedAgainst: null, isPatient: false, isSaved: false, last: null };
  return { id, file, path: file.name, query, state, ...fresh };
}
