/**
 * `npm run bench:webp-scale [-- <folder>…]`: finds the quality of the service's encoder at which a picture has the same
 * SSIMULACRA2 as with libwebp (method 4) at a quality. src/image/formats/webp/lossy-quality.ts is designed to make the
 * two qualities about equal. Large photos are cropped to their middle. Without a folder, it uses the sample photo.
 */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { sample } from '../../test/support/pictures.ts';
import { middleOf } from '../codecs/middle.ts';
import { codedByService, type Photo, photoOf } from '../codecs/photo.ts';
import { byLibwebp } from '../codecs/webp/coders.ts';
import { decoded } from '../likeness/likeness.ts';
import { Scorers } from '../likeness/scorers.ts';
import { figure, least, median, most } from '../measures/figures.ts';
import type { Subject } from '../measures/rate-curves.ts';

const theirQualities = [10, 20, 30, 40, 50, 60, 70, 75, 80, 85, 90, 95, 100];
const ourQualities = [2, 8, 15, 25, 35, 45, 55, 65, 72, 78, 83, 87, 91, 94, 97, 100];

/** Maximum size in pixels; larger pictures are cropped. */
const largest = 1e6;

/** The score of libwebp for one picture at a quality, and the quality of ours with the same score. */
interface Match {
  readonly score: number;
  /** Undefined if ours does not reach the score. */
  readonly quality: number | undefined;
}

await using scorers = await Scorers.start();
const found = new Map<number, Match[]>(theirQualities.map((quality) => [quality, []]));
for await (const { name, subject } of pictures(process.argv.slice(2))) {
  const { input } = subject;
  const ours = await scoresOf(subject, ourQualities, (quality) =>
    codedByService(input, 'webp', quality),
  );
  const theirs = await scoresOf(subject, theirQualities, (quality) =>
    byLibwebp(input, { quality }),
  );
  for (const [i, quality] of theirQualities.entries()) {
    const score = theirs[i] ?? Number.NaN;
    found.get(quality)?.push({ score, quality: qualityAt(ours, score) });
  }
  console.log(name.slice(0, 30).padEnd(30), theirs.map((score) => score.toFixed(1)).join(' '));
}
console.log('libwebp   score   ours  least   most  pictures');
for (const [quality, matches] of found) {
  const own = matches.map((match) => match.quality);
  const cells = [
    figure(median(matches.map(({ score }) => score)), 1),
    ...[median(own), least(own), most(own)].map((value) => figure(value, 1)),
  ];
  const count = own.filter((value) => value !== undefined).length;
  console.log(
    String(quality).padStart(7),
    cells.map((cell) => cell.padStart(6)).join(' '),
    String(count).padStart(9),
  );
}

/** SSIMULACRA2 at each quality. */
function scoresOf(
  { raster, shown = (whole) => whole }: Subject<Photo>,
  qualities: readonly number[],
  code: (quality: number) => Uint8Array,
): Promise<number[]> {
  return Promise.all(
    qualities.map(async (quality) => {
      const file = new Uint8Array(code(quality));
      return (await scorers.likeness(raster, shown(await decoded(file)))) ?? Number.NaN;
    }),
  );
}

/** The quality at which the rising curve of our scores reaches `score`, interpolated linearly between two qualities. */
function qualityAt(scores: readonly number[], score: number): number | undefined {
  for (let i = 1; i < scores.length; i += 1) {
    const [below = 0, above = 0] = [scores[i - 1], scores[i]];
    if (below > score || above < score) continue;
    const [from = 0, to = 0] = [ourQualities[i - 1], ourQualities[i]];
    return from + ((to - from) * (score - below)) / (above - below || 1);
  }
  return undefined;
}

interface Picture {
  readonly name: string;
  readonly subject: Subject<Photo>;
}

async function* pictures(folders: readonly string[]): AsyncGenerator<Picture> {
  if (folders.length === 0) {
    yield { name: 'photo.jpg', subject: await middlePhoto(await sample('photo.jpg')) };
  }
  for (const folder of folders) {
    for (const name of (await readdir(folder)).sort()) {
      if (!/\.(jpe?g|png)$/i.test(name)) continue;
      yield { name, subject: await middlePhoto(await readFile(join(folder, name))) };
    }
  }
}

async function middlePhoto(file: Uint8Array): Promise<Subject<Photo>> {
  const picture = sharp(file, { ignoreIcc: true });
  const { width, height } = await picture.metadata();
  const part = width * height > largest ? await middleOf(picture) : picture;
  const png = await part.png({ compressionLevel: 1 }).toBuffer();
  return photoOf({ bytes: new Uint8Array(png) });
}
