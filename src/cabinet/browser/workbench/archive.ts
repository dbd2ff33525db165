import { downloadZip } from 'client-zip';
import { type Job, resultOf } from './queue.ts';
import type { Result } from './result.ts';

/** A job with its result. */
export interface Finished {
  readonly id: number;
  readonly path: string;
  readonly result: Result;
}

/** The jobs that have a result. */
export function finishedOf(jobs: readonly Job[]): readonly Finished[] {
  return jobs.flatMap((job) => {
    const result = resultOf(job);
    return result ? [{ id: job.id, path: job.path, result }] : [];
  });
}

/** The name that each result is saved under, by id: its own, with a count if others have the same. */
export function savedNamesOf(finished: readonly Finished[]): ReadonlyMap<number, string> {
  const names = uniqueNames(finished.map(({ result }) => result.fileName));
  return new Map(finished.map(({ id, result }, i) => [id, names[i] ?? result.fileName]));
}

/**
 * A ZIP archive of results, in their original folders. Files are stored uncompressed, because images do not compress
 * any further.
 */
export function archiveOf(finished: readonly Omit<Finished, 'id'>[]): Promise<Blob> {
  const names = uniqueNames(finished.map(({ path, result }) => inFolderOf(path, result.fileName)));
  const entries = finished.map(({ result }, i) => ({
    name: names[i] ?? result.fileName,
    input: result.blob,
    lastModified: new Date(),
  }));
  return downloadZip(entries).blob();
}

/** What to call each job, by id: the name of its file, or more if that does not tell it from the others. */
export function labelsOf(jobs: readonly Job[]): ReadonlyMap<number, string> {
  const counts = new Map<string, number>();
  for (const { file } of jobs) counts.set(file.name, (counts.get(file.name) ?? 0) + 1);
  const paths = uniqueNames(jobs.map(({ path }) => path));
  return new Map(
    jobs.map(({ id, file }, i) => [
      id,
      counts.get(file.name) === 1 ? file.name : (paths[i] ?? file.name),
    ]),
  );
}

/** The path of a file in the folder of another path. */
function inFolderOf(path: string, name: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1) + name;
}

/**
 * Makes names unique by appending a count: `a.jpg`, `a (2).jpg`. Case is ignored, because some systems do not
 * distinguish it.
 */
export function uniqueNames(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    for (let count = 1; ; count += 1) {
      const unique = count === 1 ? name : withCount(name, count);
      if (taken.has(unique.toLowerCase())) continue;
      taken.add(unique.toLowerCase());
      return unique;
    }
  });
}

function withCount(name: string, count: number): string {
  const dot = name.lastIndexOf('.');
  const end = dot > name.lastIndexOf('/') + 1 ? dot : name.length;
  return `${name.slice(0, end)} (${count})${name.slice(end)}`;
}
