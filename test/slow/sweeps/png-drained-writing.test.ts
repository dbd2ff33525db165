import { beforeAll, describe, expect, it } from 'vitest';
import { plainDecoded } from '../../../bench/codecs/png/plain-decoder.ts';
import { joinBytes } from '../../../src/image/container/assemble.ts';
import { DrainedOutput } from '../../../src/image/container/drained-output.ts';
import { pngParts } from '../../../src/image/formats/png/coded-png.ts';
import { type PngRequest, recodePng } from '../../../src/image/formats/png/encode.ts';
import { KernelRows } from '../../../src/image/formats/png/encode-rows.ts';
import { type PngKernel, runPngKernel } from '../../../src/image/formats/png/kernel.ts';
import { pngDrainingBytes } from '../../../src/image/formats/png/memory.ts';
import { paletteTarget } from '../../../src/image/formats/png/palette-candidates.ts';
import { DrainedStreams, KernelStreams } from '../../../src/image/formats/png/streams.ts';
import type { Raster } from '../../../src/image/pixels/raster.ts';
import { rowsOf } from '../../../src/image/pixels/row-source.ts';
import { runAtOnce } from '../../../src/image/slices.ts';
import { arena } from '../../../src/image/wasm/arena.ts';
import { Random } from '../../support/random.ts';
import { rasterOf, type SampleAt } from '../../support/rows.ts';

const mebibyte = 2 ** 20;
const random = new Random(3);

const opaque =
  (sample: SampleAt): SampleAt =>
  (x, y, c) =>
    c === 3 ? 255 : sample(x, y, c);
const noise: SampleAt = () => random.word() & 255;
const photo = opaque(
  (x, y, c) => 120 + 60 * Math.sin(x / 40 + c) + 50 * Math.cos(y / 30) + 8 * random.unit(),
);
const fewColors: SampleAt = (x, y, c) => (((x >> 4) ^ (y >> 3)) % 7) * 30 + c;

const pictures: readonly (readonly [string, Raster])[] = [
  ['one pixel', rasterOf(1, 1, photo)],
  ['noise', rasterOf(151, 120, noise)],
  ['a photo', rasterOf(300, 200, photo)],
  ['a photo in grey', rasterOf(300, 200, (x, y, c) => photo(x, y, c === 3 ? 3 : 0) & 0xf0)],
  ['a photo with a clear edge', rasterOf(200, 100, (x, y, c) => (x < 9 ? 0 : photo(x, y, c)))],
  ['few colours', rasterOf(400, 300, fewColors)],
  ['few colours, large', rasterOf(1024, 600, fewColors)],
  ['long rows', rasterOf(20_000, 3, photo)],
  ['short rows', rasterOf(3, 20_000, photo)],
];
/** Noise whose palette may be good enough, so that everything is tried; the widest rows are those of RGBA. */
const noisy = rasterOf(700, 500, noise);

interface Way {
  readonly isLossy: boolean;
  readonly holdsIndices: boolean;
}
const ways: readonly Way[] = [true, false].flatMap((isLossy) =>
  [true, false].map((holdsIndices) => ({ isLossy, holdsIndices })),
);

function requestFor({ isLossy, holdsIndices }: Way): Omit<PngRequest, 'store'> {
  return {
    palette: isLossy ? paletteTarget(60) : null,
    keepsHidden: !isLossy,
    keepsDepth: false,
    kinds: 'any',
    ownKey: null,
    effort: 'full',
    scoring: null,
    holdsIndices,
    preamble: new Uint8Array(),
    maxBytes: Number.MAX_SAFE_INTEGER,
    omitsWithoutRoom: false,
  };
}

/** A file whose streams stay in the kernel's memory. */
function undrained(picture: Raster, way: Way): Uint8Array<ArrayBuffer> {
  const writing = runPngKernel(null, function* (kernel) {
    const request = { ...requestFor(way), store: new KernelStreams(kernel) };
    const rows = new KernelRows(kernel, rowsOf(picture));
    const written = yield* recodePng(kernel, rows, null, request);
    if (!written) throw new Error('nothing was written');
    return joinBytes(pngParts(written.frame, new Uint8Array(), written.stream));
  });
  return runAtOnce(writing);
}

/** A file whose streams are drained. */
function drained(
  picture: Raster,
  way: Way,
  prepare: (kernel: PngKernel) => void,
  output = new DrainedOutput(4 * mebibyte),
): Uint8Array<ArrayBuffer> {
  const write = (kernel: PngKernel) => {
    prepare(kernel);
    const request = { ...requestFor(way), store: new DrainedStreams(kernel, output) };
    return recodePng(kernel, new KernelRows(kernel, rowsOf(picture)), null, request);
  };
  const written = runAtOnce(runPngKernel(null, write, { output }));
  if (!written) throw new Error('nothing was written');
  return joinBytes(pngParts(written.frame, new Uint8Array(), written.stream));
}

/** Leaves a kernel `bytes` bytes, including its own. */
function leave(kernel: PngKernel, bytes: number): void {
  kernel.allocate(kernel.taken() + kernel.room() - bytes);
}

function predicted({ width, height }: Raster, way: Way): number {
  return pngDrainingBytes({ width, height, hasAlpha: true }, way);
}

const noRoom = expect.objectContaining({ cause: 'no room', exhausted: true });

beforeAll(() => arena.reserve(24 * mebibyte));

describe('a PNG whose output is drained', () => {
  it.each(pictures)(
    'is the one that is written in memory, in that which is predicted: %s',
    (_, picture) => {
      for (const way of ways) {
        const file = drained(picture, way, (kernel) => leave(kernel, predicted(picture, way)));
        expect(Buffer.compare(file, undrained(picture, way))).toBe(0);
      }
    },
  );

  it('has every sample, whether its indices were held or not', () => {
    for (const [, picture] of pictures) {
      for (const holdsIndices of [true, false]) {
        const way = { isLossy: false, holdsIndices };
        const { data } = plainDecoded(drained(picture, way, () => {}));
        // 16-bit samples that repeat the 8 bits written.
        const samples = Uint8Array.from(data, (sample) => sample & 255);
        expect(Buffer.compare(samples, Buffer.from(picture.data.buffer))).toBe(0);
      }
    }
  });

  it('is had where its stream has room, and not with less', () => {
    const way = { isLossy: false, holdsIndices: false };
    const { length } = undrained(noisy, way);
    const file = drained(noisy, way, () => {}, new DrainedOutput(length));
    expect(file.length).toBe(length);
    const tooLittle = () => drained(noisy, way, () => {}, new DrainedOutput(0.9 * length));
    expect(tooLittle).toThrow(noRoom);
  });
});

describe('the memory of a PNG whose output is drained', () => {
  it.each(ways)('is what it takes at most, lossy: $isLossy, with indices: $holdsIndices', (way) => {
    const bytes = predicted(noisy, way);
    let most = 0;
    drained(noisy, way, (kernel) => {
      const { beginWriter } = kernel;
      kernel.beginWriter = (...given) => {
        const isThere = beginWriter(...given);
        most = Math.max(most, kernel.taken());
        return isThere;
      };
    });
    const indices = way.holdsIndices ? noisy.width * noisy.height : 0;
    expect(most).toBeLessThanOrEqual(bytes);
    expect(() => drained(noisy, way, (kernel) => leave(kernel, most - 16))).toThrow(noRoom);
    // Noise has no exact indices, and in the end no palette.
    const quantizer = way.isLossy ? 1.2 * mebibyte : 0;
    expect(most).toBeGreaterThan(0.95 * (bytes - indices - quantizer));
  });

  it('is 5.3 MiB with a palette and rows of 4096 pixels, however many', () => {
    const way = { isLossy: true, holdsIndices: false };
    const shape = { width: 4096, hasAlpha: false };
    const bytes = pngDrainingBytes({ ...shape, height: 500 }, way);
    expect(bytes).toBeLessThan(5.31 * mebibyte);
    expect(pngDrainingBytes({ ...shape, height: 100_000 }, way)).toBe(bytes);
  });
});
