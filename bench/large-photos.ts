/**
 * `npm run bench:large [-- <photo>]`: what large photos and PNGs cost the running service, each in a
 * fresh one: time, and resident memory of workerd beside what the plan had counted on (the arena,
 * buffers and the file). The given photo, or else the sample, is tiled to 24, 100 and 12 megapixels;
 * PNGs of 16 and 50 megapixels are made of the samples, and also
 * written in this process, beside @jsquash/png and oxipng. Reduced ones are compared with Lanczos of the
 * whole picture in linear light, on mid grey. Linux only.
 */
import sharp from 'sharp';
import { srgbCurves } from '../src/image/color/curves.ts';
import { defaultOptions, type OptimizeOptions } from '../src/image/options.ts';
import { resized } from '../src/image/pixels/resizer.ts';
import { plan } from '../src/image/plan.ts';
import type { Raster } from '../src/image/raster.ts';
import { look } from '../src/image/source.ts';
import { plainPicture } from '../test/support/pictures.ts';
import { startTestService } from '../test/support/service.ts';
import { measuredMemory } from './large-photos/peak-memory.ts';
import { largePhotos } from './large-photos/photos.ts';
import type { LargePicture } from './large-photos/picture.ts';
import { printPngCpu } from './large-photos/png-cpu.ts';
import { largePngs } from './large-photos/pngs.ts';
import { onGrey } from './on-grey.ts';
import { ssimulacra2 } from './ssimulacra2.ts';

const mebibyte = 2 ** 20;
const width = 800;

type Options = Partial<Pick<OptimizeOptions, 'quality' | 'format' | 'width'>>;

const { progressive, huge, usual } = await largePhotos(process.argv[2]);
const { translucent, indexed, grey } = await largePngs();
const jobs: readonly (readonly [LargePicture, Options])[] = [
  [progressive, { quality: 75 }],
  [progressive, { quality: 'lossless' }],
  [huge, { quality: 75 }],
  [huge, { quality: 'lossless' }],
  [usual, { quality: 75 }],
  [usual, { quality: 'lossless' }],
  [usual, { width, format: 'webp' }],
  [usual, { width, format: 'avif' }],
  [usual, { width, format: 'jpeg' }],
  [usual, { width, format: 'webp', quality: 'lossless' }],
  [usual, { width, format: 'jpeg', quality: 100 }],
  [usual, { width: 400, format: 'webp', quality: 'lossless' }],
  [huge, { width, format: 'webp', quality: 'lossless' }],
  ...[translucent, indexed, grey].flatMap((png): [LargePicture, Options][] => [
    [png, { quality: 'auto' }],
    [png, { quality: 'lossless' }],
  ]),
  [translucent, { width, format: 'webp' }],
];

const columns = ['status', 'bytes in', 'bytes out', 'ms', 'before', 'peak', 'after', 'predicted'];
console.log(`${''.padEnd(62)}${columns.map((name) => name.padStart(11)).join('')}   SSIMULACRA2`);
for (const [picture, options] of jobs) await line(picture, options);

const beside = ['CPU s', 'jsquash', 'ratio', 'bytes', 'jsquash'];
console.log(`\n${''.padEnd(62)}${beside.map((name) => name.padStart(11)).join('')}`);
for (const picture of [translucent, indexed, grey]) printPngCpu(picture);

async function line({ name, type, file }: LargePicture, options: Options): Promise<void> {
  const query = new URLSearchParams(
    Object.entries(options).map(([key, value]) => [key, `${value}`]),
  );
  const service = await startTestService();
  try {
    const small = await plainPicture(50, 50).toFormat(type).toBuffer();
    await (await service.optimize(Uint8Array.from(small), `?${query}`)).arrayBuffer();
    let [status, milliseconds, result] = [0, 0, new Uint8Array()];
    const { before, peak, after } = await measuredMemory(async () => {
      const start = performance.now();
      const response = await service.optimize(file, `?${query}`);
      result = new Uint8Array(await response.arrayBuffer());
      milliseconds = performance.now() - start;
      status = response.status;
    });
    if (status !== 200) console.log(new TextDecoder().decode(result));
    const cells = [
      status,
      file.length,
      result.length,
      Math.round(milliseconds),
      ...[before, peak, after, predictedPeak(file, options)].map((b) => (b / mebibyte).toFixed(1)),
    ].map((cell) => String(cell).padStart(11));
    const likeness = status === 200 && options.width ? await likenessOf(file, result) : '';
    console.log(`${`${name}, ${query}`.padEnd(62)}${cells.join('')}   ${likeness}`);
    if (status !== 200) process.exitCode = 1;
  } finally {
    await service.close();
  }
}

/** What the plan counts on at the worst moment, the file included. */
function predictedPeak(file: Uint8Array<ArrayBuffer>, options: Options): number {
  const source = look(file);
  if (source.kind !== 'source') throw new Error(source.kind);
  const planned = plan(source, { ...defaultOptions, ...options });
  if (planned.kind === 'refused') return Number.NaN;
  const peaks = planned.candidates.map(({ peak }) => peak.arena + peak.buffers);
  return file.length + Math.max(...peaks);
}

/** How near a reduced picture is to Lanczos of the whole in linear light. */
async function likenessOf(file: Uint8Array, result: Uint8Array): Promise<string> {
  const [whole, coded] = await Promise.all([raster(file), raster(result)]);
  const region = { left: 0, top: 0, width: whole.width, height: whole.height };
  const reduced = resized(whole, region, coded, srgbCurves);
  return ssimulacra2(onGrey(reduced), onGrey(coded)).toFixed(2);
}

async function raster(file: Uint8Array): Promise<Raster> {
  const decoded = sharp(file, { ignoreIcc: true }).ensureAlpha().raw();
  const { data, info } = await decoded.toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data: new Uint8ClampedArray(data) };
}
