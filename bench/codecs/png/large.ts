import sharp from 'sharp';
import { sample } from '../../../test/support/pictures.ts';
import type { Table } from '../../harness/section.ts';
import { timed } from '../../measures/cpu-time.ts';
import { figure } from '../../measures/figures.ts';
import { answer } from './answer.ts';
import { byJsquashPng } from './jsquash-png.ts';
import { Oxipng } from './oxipng.ts';

const side = 4000;

/** What a PNG of 16 megapixels with alpha takes, beside @jsquash/png and oxipng: one run each. */
export async function largeTable(): Promise<Table> {
  const file = await translucentPhoto();
  const theirs = await timed(() => new Oxipng().optimise(byJsquashPng(file)));
  const rows: string[][] = [];
  for (const quality of ['auto', 'lossless'] as const) {
    const ours = await timed(() => answer(file, quality));
    rows.push([
      `quality=${quality}`,
      ...[ours, theirs].map(({ milliseconds }) => figure(milliseconds / 1000, 1)),
      figure(ours.milliseconds / theirs.milliseconds, 2),
      ...[ours, theirs].map(({ result }) => figure(result?.length)),
    ]);
  }
  return {
    caption: '16 megapixels of RGBA, made of the samples, once: CPU time and bytes',
    columns: [
      '',
      ...['CPU s', '@jsquash/png + oxipng, CPU s', 'ratio'],
      ...['bytes', '@jsquash/png + oxipng, bytes'],
    ],
    rows,
  };
}

/** The photo behind the logo's shape. */
async function translucentPhoto(): Promise<Uint8Array<ArrayBuffer>> {
  const size = { width: side, height: side, fit: 'cover' } as const;
  const alpha = await sharp(await sample('logo.png'))
    .resize(size)
    .extractChannel(3)
    .png({ compressionLevel: 1 })
    .toBuffer();
  const photo = sharp(await sample('photo.jpg')).resize(size);
  const file = await photo.joinChannel(alpha).png({ adaptiveFiltering: true }).toBuffer();
  return new Uint8Array(file);
}
