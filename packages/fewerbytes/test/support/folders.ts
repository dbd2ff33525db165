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

/**
 * A black JPEG of one pixel after its SOI (ITU-T T.81 §B.2): a quantization table, a frame of one component, a table of
 * a single code for each kind of coefficient, a scan of two bits, and EOI.
 */
const pixel = Buffer.from(
  [
    `ffdb004300${'01'.repeat(64)}`,
    'ffc0000b080001000101011100',
    ...['00', '10'].map((kind) => `ffc40014${kind}01${'00'.repeat(16)}`),
    'ffda0008010100003f003f',
    'ffd9',
  ].join(''),
  'hex',
);

/** Of SOI, and of the marker of a comment with its length. */
const commentAt = 6;

/** A JPEG of one pixel, each number its own by its comment. */
export function jpegLike(number: number, length = 2000): Buffer {
  const hash = createHash('sha256').update(String(number)).digest();
  return withComment(Buffer.alloc(length - commentAt - pixel.length, hash));
}

/** Half of a `jpegLike`: the same pixel. */
export function halved(jpeg: Buffer): Buffer {
  const length = Math.ceil(jpeg.length / 2) - commentAt - pixel.length;
  return withComment(jpeg.subarray(commentAt, commentAt + length));
}

function withComment(comment: Buffer): Buffer {
  const head = Buffer.from('ffd8fffe0000', 'hex');
  head.writeUInt16BE(comment.length + 2, 4);
  return Buffer.concat([head, comment, pixel]);
}

/** A WebP of one pixel. */
export const webpLike = Buffer.from('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==', 'base64');

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
