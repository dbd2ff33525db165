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

/** SOI, SOF0 of 1 × 1 pixel, SOS. */
const jpegStart = Buffer.from('ffd8ffc0000b080001000101011100ffda0008010100003f00', 'hex');
const jpegEnd = Buffer.from('ffd9', 'hex');

/** A JPEG of one pixel by its container, each number its own; no decoder takes its scan. */
export function jpegLike(number: number, length = 2000): Buffer {
  const hash = createHash('sha256').update(String(number)).digest();
  const scan = Buffer.alloc(
    length - jpegStart.length - jpegEnd.length,
    hash.map((byte) => byte & 0x7f),
  );
  return Buffer.concat([jpegStart, scan, jpegEnd]);
}

/** Half of a `jpegLike`, whole by its container. */
export function halved(jpeg: Buffer): Buffer {
  return Buffer.concat([jpeg.subarray(0, Math.ceil(jpeg.length / 2) - jpegEnd.length), jpegEnd]);
}

/** A WebP of one pixel by its container. */
export const webpLike = Buffer.from('RIFF\x16\0\0\0WEBPVP8L\n\0\0\0/\0\0\0\0tests', 'latin1');

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
