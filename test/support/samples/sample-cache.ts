import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';

const SOURCES = dirname(fileURLToPath(import.meta.url));
const CACHE = join(SOURCES, '../../../node_modules/.cache/samples');

let fingerprint: Promise<string> | undefined;

/**
 * The bytes kept under a file name, or else those that `render` makes, kept for the next time.
 *
 * The key is a hash of every source in this folder and of the encoder's version: an edited renderer
 * never meets its old pictures. Folders of old keys stay until `node_modules` goes.
 */
export async function cached(name: string, render: () => Promise<Buffer>): Promise<Buffer> {
  fingerprint ??= hashSources();
  const folder = join(CACHE, await fingerprint);
  const file = join(folder, name);
  const kept = await readFile(file).catch(() => undefined);
  if (kept !== undefined) return kept;
  const bytes = await render();
  // Test files run side by side: a name of its own and a rename let none read half a picture.
  const temporary = `${file}.${randomUUID()}`;
  await mkdir(folder, { recursive: true });
  await writeFile(temporary, bytes);
  await rename(temporary, file);
  return bytes;
}

async function hashSources(): Promise<string> {
  const names = await readdir(SOURCES, { recursive: true });
  const hash = createHash('sha256').update(JSON.stringify(sharp.versions));
  for (const name of names.filter((name) => name.endsWith('.ts')).sort()) {
    const source = await readFile(join(SOURCES, name));
    // Lengths keep text from moving unseen from one file to the next.
    hash.update(`\n${name} ${source.length}\n`).update(source);
  }
  return hash.digest('hex').slice(0, 32);
}
