/**
 * `npm run bench:jpeg-scale [-- <folder>…]`: finds the scale of our quantization tables at which a photo has the same
 * SSIMULACRA2 as with libjpeg at a quality. src/image/formats/jpeg/quantization-tables.ts is based on the results.
 */

import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import sharp from 'sharp';
import { sample } from '../../test/support/pictures.ts';
import { recodedAtScale } from '../codecs/jpeg/recoded.ts';
import { likenessOfFiles } from '../likeness/likeness.ts';

const qualities = [10, 20, 30, 40, 50, 60, 70, 75, 80, 85, 90, 95];
const scales = [0.4, 0.8, 1.6, 2.6, 4, 6, 9, 14, 22, 34];

const found = new Map<string, number[]>();
for (const { name, file } of await jpegs(process.argv.slice(2))) {
  const curves: Record<'halved' | 'full', number[]> = { halved: [], full: [] };
  for (const scale of scales) {
    const full = recodedAtScale(file, scale, false).bytes;
    const halved = recodedAtScale(file, scale, true).bytes;
    const score = await likenessOfFiles(file, full);
    curves.full.push(score);
    // If the chroma of the picture is already halved, both are the same.
    const isSame = halved.length === full.length;
    curves.halved.push(isSame ? score : await likenessOfFiles(file, halved));
  }
  const row = [];
  for (const quality of qualities) {
    const theirs = await sharp(file).jpeg({ quality }).toBuffer();
    const score = await likenessOfFiles(file, theirs);
    row.push(score.toFixed(1));
    for (const [kind, scores] of Object.entries(curves)) {
      const scale = scaleAt(scores, score);
      const key = `${quality} ${kind}`;
      if (scale) found.set(key, [...(found.get(key) ?? []), scale]);
    }
  }
  console.log(name.slice(0, 20).padEnd(20), row.join(' '));
}
console.log('quality   halved chroma   full chroma');
for (const quality of qualities) {
  const row = ['halved', 'full'].map((kind) => median(found.get(`${quality} ${kind}`) ?? []));
  console.log(
    String(quality).padStart(7),
    row.map((scale) => scale.toFixed(3).padStart(13)).join(' '),
  );
}

/** The scale at which the falling curve of scores reaches `score`, interpolated by logarithm. */
function scaleAt(scores: readonly number[], score: number): number | undefined {
  for (let i = 1; i < scores.length; i += 1) {
    const [above = 0, below = 0] = [scores[i - 1], scores[i]];
    if (above < score || below > score) continue;
    const [from = 1, to = 1] = [scales[i - 1], scales[i]];
    return from * (to / from) ** ((above - score) / (above - below || 1));
  }
  return undefined;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}

/** A JPEG to recompress. */
export interface Picture {
  readonly name: string;
  readonly file: Uint8Array<ArrayBuffer>;
}

/** The JPEGs of folders, and their PNGs as JPEGs of quality 95; the sample photo if there are no folders. */
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
