import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Whether a built file is newer than all these files, and all that is in these folders. */
export async function isFresh(target: string, sources: readonly string[]): Promise<boolean> {
  const files = await Promise.all(sources.map(filesIn));
  const [built = 0, ...changed] = await Promise.all([target, ...files.flat()].map(changedAt));
  return built > Math.max(...changed);
}

/** A folder's files at any depth; a file itself. */
async function filesIn(path: string): Promise<string[]> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) return [path];
  return (await readdir(path, { recursive: true })).map((file) => join(path, file));
}

/** Milliseconds since 1970; 0 for what is not there. */
function changedAt(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}
