/**
 * `npm run bench:resize`: what reducing a picture costs in CPU time, beside
 * sharp's lanczos3 on one thread, how near both come to Lanczos in float64 and
 * linear light, and what turning in place costs beside a turned copy.
 *
 * sharp is native code that filters codes instead of light, with the colour of
 * transparent pixels premultiplied: it does less, with the processor's vectors.
 */
import sharp from 'sharp';
import { srgbCurves } from '../src/image/color/curves.ts';
import { turnInPlace } from '../src/image/orientation.ts';
import { Resizer, resized } from '../src/image/pixels/resizer.ts';
import type { Raster } from '../src/image/raster.ts';
import { sample } from '../test/support/pictures.ts';
import { referenceResize } from '../test/unit/image/pixels/reference-resize.ts';

const runs = 9;
const [curve] = srgbCurves;
sharp.concurrency(1);
sharp.cache(false);

const cases = [
  { from: [4032, 3024], to: [800, 600] },
  { from: [1632, 1224], to: [400, 300] },
  { from: [1632, 1224], to: [1200, 900] },
] as const;

console.log('CPU time in ms                first   median    sharp    ratio   memory in KiB');
for (const { from, to } of cases) {
  for (const kind of ['opaque', 'transparent'] as const) {
    const raster = await photo(from[0], from[1], kind === 'transparent');
    const region = { left: 0, top: 0, width: from[0], height: from[1] };
    const target = { width: to[0], height: to[1] };
    const ours = await cpuTimes(() => resized(raster, region, target, srgbCurves));
    const theirs = await cpuTimes(() => bySharp(raster, target));
    const row = [
      `${from.join('×')} → ${to.join('×')}`.padEnd(22),
      kind.padEnd(12),
      ...[ours[0] ?? 0, median(ours), median(theirs)].map((time) => time.toFixed(0).padStart(8)),
      (median(ours) / median(theirs)).toFixed(2).padStart(8),
      (Resizer.bufferBytes(region, target) / 1024).toFixed(0).padStart(12),
    ];
    console.log(row.join(''));
  }
}

console.log('\ndifference in codes from float64, linear light       most      mean');
for (const kind of ['opaque', 'transparent'] as const) {
  const raster = await photo(1000, 750, kind === 'transparent');
  const target = { width: 300, height: 225 };
  const region = { left: 0, top: 0, width: raster.width, height: raster.height };
  const reference = referenceResize(raster, region, target, curve);
  const results = {
    ours: resized(raster, region, target, srgbCurves),
    sharp: await bySharp(raster, target),
  };
  for (const [name, result] of Object.entries(results)) {
    const { most, mean } = difference(result, reference);
    const label = `${kind}, ${name}`.padEnd(44);
    console.log(`${label}${String(most).padStart(13)}${mean.toFixed(4).padStart(10)}`);
  }
}

console.log('\nturning 8 megapixels, CPU time in ms   in place   as a copy');
for (const orientation of [2, 3, 4, 5, 6, 7, 8] as const) {
  const raster = await photo(3264, 2448, false);
  // every other time the picture lies on its side
  let turning = raster;
  const inPlace = await cpuTimes(() => {
    turning = turnInPlace(turning, orientation);
  });
  const copying = await cpuTimes(() => turnedCopy(raster, orientation));
  const times = [median(inPlace).toFixed(0).padStart(33), median(copying).toFixed(0).padStart(12)];
  console.log(`${orientation}${times.join('')}`);
}

async function photo(width: number, height: number, isTransparent: boolean): Promise<Raster> {
  const picture = sharp(await sample('photo.jpg')).resize(width, height, { fit: 'fill' });
  const data = new Uint8ClampedArray(await picture.ensureAlpha().raw().toBuffer());
  if (isTransparent) {
    // a soft round hole in each square of 256 pixels
    for (let i = 0; i < width * height; i += 1) {
      const [x, y] = [(i % width) % 256, Math.floor(i / width) % 256];
      data[4 * i + 3] = 4 * (Math.hypot(x - 128, y - 128) - 60);
    }
  }
  return { width, height, data };
}

async function bySharp({ width, height, data }: Raster, target: { width: number; height: number }) {
  const picture = sharp(data, { raw: { width, height, channels: 4 } });
  const reduced = picture.resize({ ...target, kernel: 'lanczos3', fit: 'fill' });
  return { ...target, data: new Uint8ClampedArray(await reduced.raw().toBuffer()) };
}

/** Pixel by pixel into a new buffer. */
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

/** Of each run, in milliseconds of this process, its threads included. */
async function cpuTimes(run: () => unknown): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < runs; i += 1) {
    const before = process.cpuUsage();
    await run();
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
  }
  return times;
}

function difference(a: Raster, b: Raster): { most: number; mean: number } {
  let [most, sum] = [0, 0];
  for (let i = 0; i < a.data.length; i += 1) {
    // colour counts by what it covers
    const cover = i % 4 === 3 ? 1 : (b.data[i | 3] ?? 0) / 255;
    const off = Math.abs((a.data[i] ?? 0) - (b.data[i] ?? 0)) * cover;
    most = Math.max(most, off);
    sum += off;
  }
  return { most: Math.round(most * 100) / 100, mean: sum / a.data.length };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
