import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { root } from '../../scripts/local/root.ts';
import { sample } from '../../test/support/pictures.ts';
import { canMeasureMemory, fieldOf, statusOf } from '../../test/support/processes.ts';
import { Random } from '../../test/support/random.ts';
import type { Table } from '../harness/section.ts';
import { spent } from '../measures/cpu-time.ts';
import { figure, mebibytes } from '../measures/figures.ts';
import { inParallel } from './in-parallel.ts';

/** The command line as the package has it, in a folder that has `photos`. */
const command = [join(root, 'packages/fewerbytes/dist/bin.js'), '--out', 'small', 'photos'];

/** Longer sides of pictures, in pixels: from thumbnails to what fills a page. */
const sides = [320, 480, 640, 800, 1200, 1600];
/** Every so many pictures, one is a screenshot as PNG; the others are photos as JPEG. */
const graphicEvery = 10;

/**
 * Measures the command line on a folder of many small pictures, in which no two are the same: a run that makes all of
 * them, and one that finds them in the cache.
 */
export async function folderRun(folder: string, count: number): Promise<Table> {
  const photos = join(folder, 'photos');
  await mkdir(photos);
  await makePictures(photos, count);
  const before = await bytesIn(photos);
  const rows: string[][] = [];
  for (const name of ['first run', 'second run']) {
    const { wallMs, cpuMs, peakBytes } = await run(folder);
    rows.push([
      ...[name, figure(wallMs / 1000, 2), figure((1000 * count) / wallMs, 1)],
      ...[figure(cpuMs / 1000, 2), figure(cpuMs / wallMs, 2), mebibytes(peakBytes)],
      figure((await bytesIn(join(folder, 'small'))) / before, 3),
    ]);
  }
  return {
    caption: `fewerbytes --out small photos, ${count} pictures, ${figure(before / 1e6, 1)} MB, ${availableParallelism()} cores`,
    columns: ['', 'seconds', 'files/s', 'CPU seconds', 'cores used', 'peak MiB', 'bytes'],
    rows,
  };
}

/** Writes JPEGs and some PNGs: parts of the samples from random places. */
async function makePictures(folder: string, count: number): Promise<void> {
  const random = new Random(7);
  const photo = { file: await sample('phone.jpg'), extension: 'jpg' };
  const graphic = { file: await sample('interface.png'), extension: 'png' };
  await inParallel([...Array(count).keys()], availableParallelism(), async (i) => {
    const { file, extension } = i % graphicEvery === graphicEvery - 1 ? graphic : photo;
    const [left, top] = [random.unit(), random.unit()];
    const width = sides[i % sides.length] ?? 0;
    await sharp(await partOf(file, left, top))
      .resize({ width })
      .jpeg({ quality: 92, force: false })
      .toFile(join(folder, `${String(i + 1).padStart(5, '0')}.${extension}`));
  });
}

/** Half of a picture in width and height, as PNG; its place is given in shares of what is left. */
async function partOf(file: Uint8Array, left: number, top: number): Promise<Buffer> {
  const { width, height } = await sharp(file).metadata();
  const [across, down] = [width >> 1, height >> 1];
  const place = {
    left: Math.floor(left * (width - across)),
    top: Math.floor(top * (height - down)),
  };
  return sharp(file)
    .extract({ ...place, width: across, height: down })
    .png({ compressionLevel: 1 })
    .toBuffer();
}

interface Taken {
  readonly wallMs: number;
  /** CPU time of all threads. */
  readonly cpuMs: number;
  /** Peak resident memory in bytes; undefined where it cannot be measured. */
  readonly peakBytes: number | undefined;
}

/** Runs the command in a folder, with a cache of its own there, and without a service. */
async function run(folder: string): Promise<Taken> {
  const { FEWERBYTES_URL: _url, FEWERBYTES_KEY: _key, ...env } = process.env;
  const [start, before] = [performance.now(), spent()];
  const args = [...command, '--cache', join(folder, 'cache')];
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, 1024 * fieldOf(statusOf(String(child.pid)), 'VmHWM'));
  }, watchEvery);
  const [code] = await once(child, 'exit');
  const wallMs = performance.now() - start;
  clearInterval(watch);
  if (code !== 0) throw new Error(`fewerbytes ended with status ${code}`);
  return { wallMs, cpuMs: spent() - before, peakBytes: canMeasureMemory ? peak : undefined };
}

/** Milliseconds between readings of the peak, which Linux records: only what comes after the last one is missed. */
const watchEvery = 50;

async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(({ parentPath, name }) => stat(join(parentPath, name))),
  );
  return sizes.reduce((sum, { size }) => sum + size, 0);
}
