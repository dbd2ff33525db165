import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that is removed when the test ends; its path has no links in it. */
export async function newFolder(onEnd: (work: () => Promise<void>) => void): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'image optimization command-'));
  onEnd(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** Bytes that begin as a JPEG does, each number its own; nothing but a stand-in takes them for an image. */
export function jpegLike(number: number, length = 2000): Buffer {
  const bytes = Buffer.alloc(length, createHash('sha256').update(String(number)).digest());
  bytes.set([0xff, 0xd8, 0xff, 0xe0]);
  return bytes;
}

export async function writeJpegs(folder: string, count: number, length?: number): Promise<void> {
  for (let number = 0; number < count; number += 1) {
    await writeFile(join(folder, `photo ${number}.jpg`), jpegLike(number, length));
  }
}

/** All files below a folder but those of the cache, with their contents. */
export async function contents(folder: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() || entry.isSymbolicLink());
  const read = files.map(async ({ parentPath, name }) => {
    const path = join(parentPath, name);
    return [path.slice(folder.length + 1), await readFile(path)] as const;
  });
  const all = (await Promise.all(read)).filter(([name]) => !name.startsWith('.cache'));
  return new Map(all.sort(([a], [b]) => (a < b ? -1 : 1)));
}
