import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Whether a built file is newer than all of the given files and the contents of the given folders. */
export async function isFresh(target: string, sources: readonly string[]): Promise<boolean> {
  const files = await Promise.all(sources.map(filesIn));
  const [built = 0, ...changed] = await Promise.all([target, ...files.flat()].map(changedAt));
  return built > Math.max(...changed);
}

/** The files in a folder at any depth, or the file itself. */
async function filesIn(path: string): Promise<string[]> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) return [path];
  return (await readdir(path, { recursive: true })).map((file) => join(path, file));
}

/** Modification time in milliseconds since 1970; 0 if the file does not exist. */
function changedAt(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}
