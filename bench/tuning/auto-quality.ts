/**
 * `npm run bench:quality [-- <folder>…]`: prints the SSIMULACRA2 that the encoders' qualities reach on folders of
 * photos (or the sample photo). The curves from which searches start (`scores` in each format's facts) should be close
 * to it. Pictures are cropped to 1024 × 1024 from their middle.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import type { Raster } from '../../src/image/pixels/raster.ts';
import { arena } from '../../src/image/wasm/arena.ts';
import { avifEncoder } from '../../test/support/avif-encoder.ts';
import { sample } from '../../test/support/pictures.ts';
import { jpegEncoder, webpEncoder } from '../../test/support/rows.ts';
import { ssimulacra2 } from '../likeness/ssimulacra2.ts';
import { figure, quantile } from '../measures/figures.ts';

const side = 1024;

const encoders = {
  jpeg: (raster: Raster, quality: number) => jpegEncoder.encode(raster, { quality, grey: false }),
  webp: (raster: Raster, quality: number) => webpEncoder.encode(raster, { quality }),
  avif: (raster: Raster, quality: number) => avifEncoder.encode(raster, { quality }),
};
const figures = {
  jpeg: [70, 74, 77, 80],
  webp: [75, 80, 86, 90],
  avif: [60, 66, 72, 78],
};

const folders = process.argv.slice(2);
const pictures =
  folders.length > 0 ? await load(folders) : [await decoded(await sample('photo.jpg'), true)];
// Far more than an isolate has, because only the results matter here.
arena.reserve(400 * 2 ** 20);
console.log('format  quality   bytes/px   median   5 % are below');
for (const [format, encode] of Object.entries(encoders)) {
  for (const quality of figures[format as keyof typeof figures]) {
    const scores: number[] = [];
    let [bytes, pixels] = [0, 0];
    for (const raster of pictures) {
      const file = encode(raster, quality);
      scores.push(ssimulacra2(raster, await decoded(file)));
      bytes += file.length;
      pixels += raster.width * raster.height;
    }
    const row = [
      format.padEnd(6),
      String(quality).padStart(8),
      (bytes / pixels).toFixed(4).padStart(10),
      figure(quantile(scores, 0.5), 1).padStart(8),
      figure(quantile(scores, 0.05), 1).padStart(15),
    ];
    console.log(row.join(' '));
  }
}

async function load(folders: readonly string[]): Promise<Raster[]> {
  const rasters: Raster[] = [];
  for (const folder of folders) {
    for (const name of await readdir(folder)) {
      rasters.push(await decoded(await readFile(join(folder, name)), true));
    }
  }
  return rasters;
}

async function decoded(file: Uint8Array, isCut = false): Promise<Raster> {
  const picture = sharp(file);
  const { width, height } = await picture.metadata();
  if (isCut && Math.max(width, height) > side) {
    const [w, h] = [Math.min(side, width), Math.min(side, height)];
    const [left, top] = [(width - w) >> 1, (height - h) >> 1];
    picture.extract({ left, top, width: w, height: h });
  }
  const { data, info } = await picture.ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data: new Uint8ClampedArray(data) };
}
