import sharp from 'sharp';
import { srgbCurves } from '../../../src/image/color/curves.ts';
import { turnInPlace } from '../../../src/image/pixels/orientation.ts';
import type { Raster } from '../../../src/image/pixels/raster.ts';
import { resized } from '../../../src/image/pixels/resizer.ts';
import { referenceResize } from '../../../test/unit/image/pixels/reference-resize.ts';
import type { CorpusFile, Table } from '../../harness/section.ts';
import { decoded } from '../../likeness/likeness.ts';
import { ssimulacra2 } from '../../likeness/ssimulacra2.ts';
import { timed } from '../../measures/cpu-time.ts';
import { figure, mebibytes } from '../../measures/figures.ts';
import { answered } from '../answer.ts';
import { newMozjpeg } from '../jpeg/coders.ts';
import { photoOf, withHoles } from './part.ts';
import { jsquashMemory, ours, peers, reducedByJsquash, wholeOf } from './resizers.ts';

/** Source size of 12 megapixels, and target size. */
const [size, target] = [
  { width: 4032, height: 3024 },
  { width: 800, height: 600 },
];
/** Qualities of ours and of MozJPEG with about the same SSIMULACRA2 at this size. */
const [ourQuality, theirQuality] = [77, 79];
const runs = 3;

/**
 * From a camera JPEG to a small one, including decoding and encoding, compared with the packages in sequence. It has to
 * be measured before @jsquash/resize has processed a larger picture, because its memory never shrinks.
 */
export async function wholeWayTable(photo: CorpusFile): Promise<Table> {
  const file = await largeJpeg(photo);
  const ours = () => answered(file, { ...target, format: 'jpeg', quality: ourQuality });
  const mozjpeg = await newMozjpeg();
  const theirs = () =>
    mozjpeg.reencoded(file, theirQuality, (pixels) => reducedByJsquash(pixels, target));
  // Run once each, so that compiling them does not count toward their time.
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

/** How close the service's lossless result is to Lanczos-3 of the whole picture in linear light. */
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

const orientations = [2, 3, 4, 5, 6, 7, 8] as const;
const turningRuns = 5;

/** CPU time of rotating a picture in place, compared with a rotated copy. */
export async function turningTable(photo: CorpusFile): Promise<Table> {
  const rows: string[][] = [];
  for (const orientation of orientations) {
    const raster = await photoOf(photo, { width: 3264, height: 2448 });
    const copying = await timed(() => turnedCopy(raster, orientation), turningRuns);
    // Every other time, the picture is lying on its side.
    let turning = raster;
    const inPlace = await timed(() => {
      turning = turnInPlace(turning, orientation);
    }, turningRuns);
    const times = [inPlace, copying].map(({ milliseconds }) => figure(milliseconds));
    rows.push([String(orientation), ...times]);
  }
  const caption = 'Turning 8 megapixels by their EXIF orientation, CPU time in ms';
  return { caption, columns: ['orientation', 'in place', 'as a copy'], rows };
}

/** Rotates pixel by pixel into a new buffer. */
function turnedCopy({ width, height, data }: Raster, orientation: number): Uint32Array {
  const source = new Uint32Array(data.buffer, data.byteOffset, width * height);
  const target = new Uint32Array(source.length);
  const isTurned = orientation >= 5;
  const isFlipped = [3, 4, 7, 8].includes(orientation);
  const isMirrored = [2, 3, 6, 7].includes(orientation);
  const [w, h] = isTurned ? [height, width] : [width, height];
  for (let y = 0; y < h; y += 1) {
    const row = isFlipped ? h - 1 - y : y;
    for (let x = 0; x < w; x += 1) {
      const column = isMirrored ? w - 1 - x : x;
      target[y * w + x] = source[isTurned ? column * width + row : row * width + column] ?? 0;
    }
  }
  return target;
}

const [curve] = srgbCurves;

/** Errors of each resizer compared with Lanczos-3 in float64 and linear light. */
export async function errorTable(photo: CorpusFile): Promise<Table> {
  const opaque = await photoOf(photo, { width: 1000, height: 750 });
  const target = { width: 300, height: 225 };
  const rows: string[][] = [];
  for (const [kind, raster] of [
    ['opaque', opaque],
    ['transparent', withHoles(opaque)],
  ] as const) {
    const reference = referenceResize(raster, wholeOf(raster), target, curve);
    for (const { name, reduced } of [ours, ...peers]) {
      const { most, mean } = difference(await reduced(raster, target), reference);
      rows.push([`${kind}, ${name}`, figure(most, 2), figure(mean, 4)]);
    }
  }
  const caption = 'Difference in codes of 0 to 255 from Lanczos-3 in float64 and linear light';
  return { caption, columns: ['picture', 'most', 'mean'], rows };
}

function difference(a: Raster, b: Raster): { most: number; mean: number } {
  let [most, sum] = [0, 0];
  for (let i = 0; i < a.data.length; i += 1) {
    // Color errors are weighted by alpha.
    const cover = i % 4 === 3 ? 1 : (b.data[i | 3] ?? 0) / 255;
    const off = Math.abs((a.data[i] ?? 0) - (b.data[i] ?? 0)) * cover;
    most = Math.max(most, off);
    sum += off;
  }
  return { most, mean: sum / a.data.length };
}
