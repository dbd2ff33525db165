import sharp from 'sharp';
import { srgbCurves } from '../../../src/image/color/curves.ts';
import { resized } from '../../../src/image/pixels/resizer.ts';
import type { CorpusFile, Table } from '../../harness/section.ts';
import { decoded } from '../../likeness/likeness-of-files.ts';
import { ssimulacra2 } from '../../likeness/ssimulacra2.ts';
import { timed } from '../../measures/cpu-time.ts';
import { figure, mebibytes } from '../../measures/figures.ts';
import { answered } from '../answer.ts';
import { newMozjpeg } from '../jpeg/mozjpeg.ts';
import { jsquashMemory, reducedByJsquash, wholeOf } from './resizers.ts';

/** 12 megapixels, and what becomes of them. */
const [size, target] = [
  { width: 4032, height: 3024 },
  { width: 800, height: 600 },
];
/** Ours and MozJPEG's come to about the same in SSIMULACRA2 there. */
const [ourQuality, theirQuality] = [77, 79];
const runs = 3;

/**
 * From a camera's JPEG to a small one, decoding and encoding included, beside the three packages in a
 * row. To be measured before @jsquash/resize has had a larger picture, since its memory never shrinks.
 */
export async function wholeWayTable(photo: CorpusFile): Promise<Table> {
  const file = await largeJpeg(photo);
  const ours = () => answered(file, { ...target, format: 'jpeg', quality: ourQuality });
  const mozjpeg = await newMozjpeg();
  const theirs = () =>
    mozjpeg.remade(file, theirQuality, (pixels) => reducedByJsquash(pixels, target));
  // once each, so that compiling them is not taken for their work
  ours();
  theirs();
  const [own, packages] = [await timed(ours, runs), await timed(theirs, runs)];
  const [time, theirTime] = [own.milliseconds, packages.milliseconds];
  const memory = Math.max(mozjpeg.memory(), jsquashMemory() + 4 * size.width * size.height);
  return {
    caption: `JPEG of ${size.width} × ${size.height} to JPEG of ${target.width} × ${target.height}, decoding and encoding included: CPU time, memory without the file`,
    columns: ['', 'CPU ms', 'memory, MiB', 'bytes'],
    rows: [
      ['ours', figure(time), mebibytes(own.result?.planned), figure(own.result?.bytes.length)],
      [
        '@jsquash/jpeg, @jsquash/resize',
        figure(theirTime),
        mebibytes(memory),
        figure(packages.result.length),
      ],
      [
        'ratio',
        figure(time / theirTime, 2),
        figure((own.result?.planned ?? Number.NaN) / memory, 2),
        '',
      ],
    ],
  };
}

/** How near what the service makes of it, without loss after reducing, is to Lanczos of the whole in linear light. */
export async function wholeWayLikeness(photo: CorpusFile): Promise<Table> {
  const file = await largeJpeg(photo);
  const result = answered(file, { ...target, format: 'webp', quality: 'lossless' });
  if (!result) throw new Error('the photo was not reduced');
  const [whole, reduced] = [await decoded(file), await decoded(result.bytes)];
  const reference = resized(whole, wholeOf(whole), reduced, srgbCurves);
  return {
    caption: `JPEG of ${size.width} × ${size.height} to WebP of ${reduced.width} × ${reduced.height} without loss, against Lanczos-3 of all decoded pixels in linear light`,
    columns: ['', 'SSIMULACRA2'],
    rows: [['ours', figure(ssimulacra2(reference, reduced), 2)]],
  };
}

async function largeJpeg({ bytes }: CorpusFile): Promise<Uint8Array<ArrayBuffer>> {
  const large = sharp(bytes).resize(size.width, size.height, { fit: 'fill' });
  return new Uint8Array(await large.jpeg({ quality: 92 }).toBuffer());
}
