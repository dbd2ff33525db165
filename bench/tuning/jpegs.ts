import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import sharp from 'sharp';
import { sample } from '../../test/support/pictures.ts';

/** A JPEG to be coded anew. */
export interface Picture {
  readonly name: string;
  readonly file: Uint8Array<ArrayBuffer>;
}

/** The JPEGs of folders, and their PNGs as JPEGs of quality 95; without a folder the sample photo. */
export async function jpegs(folders: readonly string[]): Promise<Picture[]> {
  if (folders.length === 0) return [{ name: 'photo.jpg', file: bytes(await sample('photo.jpg')) }];
  const found: Picture[] = [];
  for (const folder of folders) {
    for (const name of (await readdir(folder)).sort()) {
      const path = join(folder, name);
      if (/^\.jpe?g$/i.test(extname(name))) found.push({ name, file: bytes(await readFile(path)) });
      if (extname(name) !== '.png') continue;
      const file = await sharp(path).flatten().jpeg({ quality: 95 }).toBuffer();
      found.push({ name: `${name} at 95`, file: bytes(file) });
    }
  }
  return found;
}

function bytes(buffer: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(buffer);
}
