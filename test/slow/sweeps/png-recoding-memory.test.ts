import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type PngRequest, recodePng } from '../../../src/image/formats/png/encode.ts';
import { maxHeldPixels } from '../../../src/image/formats/png/index-image.ts';
import type { PngInspection } from '../../../src/image/formats/png/inspect.ts';
import { type PngKernel, runPngKernel } from '../../../src/image/formats/png/kernel.ts';
import { mayQuantize, pngRecodingBytes } from '../../../src/image/formats/png/memory.ts';
import { paletteTarget } from '../../../src/image/formats/png/palette-candidates.ts';
import { ImageData, PngSource } from '../../../src/image/formats/png/read.ts';
import { KernelStreams } from '../../../src/image/formats/png/streams.ts';
import { inspect } from '../../../src/image/formats/registry.ts';
import { runAtOnce } from '../../../src/image/slices.ts';
import { arena } from '../../../src/image/wasm/arena.ts';
import { isFull } from '../../support/full.ts';
import { Random } from '../../support/random.ts';
import {
  adam7Sizes,
  layouts,
  type Picture,
  pngWith,
  rowLength,
} from '../../unit/image/formats/png/png-writer.ts';

type Shape = Omit<Picture, 'sample'>;
type Content = keyof typeof contents;

/** A byte of packed samples each. */
const contents = {
  noise: (random: Random) => random.word() & 255,
  // fewer colors than a palette has, where pixels have no more than two bytes
  'two values': (random: Random) => (random.word() & 1) * 255,
  'a gradient': (_: Random, at: number) => (at >> 4) & 255,
};

const everyContent = Object.keys(contents) as Content[];

/** Of the largest pictures that are held as indices, and of the smallest that are not. */
const heldSide = Math.sqrt(maxHeldPixels);

const sizes = [
  [1, 1],
  [1, 300],
  [300, 1],
  [61, 47],
] as const;

/** Too many pixels in a row to choose a palette. */
const tooWide = [300_000, 3];

/** Both ways, or the two in turn where there is little time. */
const interlacedOrNot = (each: Shape, index: number): readonly Shape[] => {
  const both = [each, { ...each, interlaced: true }];
  return isFull ? both : both.filter((_, way) => way === index % 2);
};
const smallShapes = layouts
  .flatMap((layout) => sizes.map((size) => shape(layout, size)))
  .flatMap(interlacedOrNot);
const longShapes = (
  [
    [6, 8],
    [6, 16],
  ] as const
)
  .flatMap((layout) => [[65_536, 2], [2, 65_536], tooWide].map((size) => shape(layout, size)))
  .flatMap(interlacedOrNot);
const largeShapes = [
  shape([6, 8], [heldSide, heldSide]),
  shape([6, 8], [heldSide, heldSide + 1]),
  shape([3, 8], [heldSide, heldSide]),
];

/** Small ones first, since the arena, which is wiped for each run, never shrinks again. */
const cases = [
  ['small', smallShapes, everyContent],
  ['large', [...longShapes, ...largeShapes], ['a gradient']],
].flatMap(([size, shapes, enough]) =>
  [true, false].map((isLossy) => ({ size, shapes, enough, isLossy })),
) as readonly {
  readonly size: string;
  readonly shapes: readonly Shape[];
  /** Contents for which there is time to look for results. */
  readonly enough: readonly Content[];
  readonly isLossy: boolean;
}[];

describe.each(cases)('the memory of writing $size PNGs anew, lossy: $isLossy', (each) => {
  const { shapes, enough, isLossy } = each;

  it('suffices', { timeout: 180_000 }, () => {
    for (const picture of shapes) {
      for (const content of enough) {
        // short, so that there is hardly any room for results
        const file = made(picture, content, 1);
        const bytes = pngRecodingBytes(inspected(file), file.length, { isLossy });
        const recode = () => recoded(file, isLossy, (kernel) => leave(kernel, bytes));
        expect(recode, `${name(picture)}, ${content}`).not.toThrow();
      }
    }
  });

  it('is what was predicted at most, and of RGBA not much less', { timeout: 180_000 }, () => {
    for (const picture of shapes) {
      const files = everyContent.map((content) => made(picture, content));
      const taken = Math.max(...files.map((file) => mostTaken(file, isLossy)));
      const predicted = least(inspected(files[0]), isLossy);
      expect(taken, name(picture)).toBeLessThanOrEqual(predicted);
      const pixels = picture.width * picture.height;
      if (picture.colorType !== 6 || pixels <= 256) continue;
      // indices are counted of large pictures, too, which have none
      const unused = pixels > maxHeldPixels ? maxHeldPixels : 0;
      expect(taken, name(picture)).toBeGreaterThan(0.7 * (predicted - unused));
    }
  });
});

describe('the memory of writing a PNG anew', () => {
  it('is what it takes', () => {
    const file = made(shape([6, 8], [61, 47]), 'noise');
    const bytes = least(inspected(file), true);
    const recode = () => recoded(file, true, (kernel) => leave(kernel, 0.8 * bytes));
    expect(recode).toThrow(expect.objectContaining({ cause: 'no room' }));
  });
});

describe('a picture that is too wide to choose a palette for', () => {
  it('is among those that were tried', () => {
    const images = longShapes.map((each) => ({ interlaced: false, ...each }) as PngInspection);
    expect(images.filter((image) => !mayQuantize(image)).length).toBeGreaterThan(0);
  });
});

function shape([colorType, bitDepth]: (typeof layouts)[number], size: readonly number[]): Shape {
  const [width = 0, height = 0] = size;
  const palette = colorType === 3 ? { palette: new Uint8Array(3 * 2 ** bitDepth) } : {};
  return { ...{ width, height, colorType, bitDepth }, ...palette };
}

function name({ width, height, colorType, bitDepth, interlaced = false }: Shape): string {
  return `${width} × ${height}, colour type ${colorType} of ${bitDepth} bits, interlaced: ${interlaced}`;
}

/** @param level of zlib; at 0 a file is so large that all that is tried is shorter */
function made(picture: Shape, content: Content, level = 0): Uint8Array<ArrayBuffer> {
  const random = new Random(1);
  const tile = Uint8Array.from({ length: 65_521 }, (_, at) => contents[content](random, at));
  const passes = picture.interlaced
    ? adam7Sizes(picture)
    : [{ columns: picture.width, rows: picture.height }];
  const rows = passes.map(({ columns, rows: count }) => {
    const rowBytes = rowLength(columns, picture);
    const bytes = Buffer.alloc(count * rowBytes, tile);
    for (let at = 0; at < bytes.length; at += rowBytes) bytes[at] = 0;
    return bytes;
  });
  const stream = deflateSync(Buffer.concat(rows), { level });
  return pngWith({ ...picture, sample: () => 0 }, stream);
}

function inspected(file = new Uint8Array()): PngInspection {
  const result = inspect(file);
  if (result.kind !== 'image' || result.image.type !== 'png') throw new Error('not a PNG');
  return result.image;
}

/** What is predicted without results. */
function least(image: PngInspection, isLossy: boolean): number {
  return pngRecodingBytes(image, 0, { isLossy });
}

/** The most that is taken at one moment, results aside: all of them find no room. */
function mostTaken(file: Uint8Array<ArrayBuffer>, isLossy: boolean): number {
  let most = 0;
  recoded(file, isLossy, (kernel) => {
    const look = <Given extends unknown[], Made>(work: (...given: Given) => Made) => {
      return (...given: Given): Made => {
        const result = work(...given);
        most = Math.max(most, kernel.taken());
        return result;
      };
    };
    const { beginWriter } = kernel;
    kernel.beginWriter = look((rowBytes, step, effort) => beginWriter(rowBytes, step, effort, 1));
    kernel.allocate = look(kernel.allocate);
    kernel.beginQuantizer = look(kernel.beginQuantizer);
    kernel.beginColors = look(kernel.beginColors);
  });
  return most;
}

/** Leaves a kernel so many bytes, its own included. */
function leave(kernel: PngKernel, bytes: number): void {
  const surplus = kernel.taken() + kernel.room() - Math.ceil(bytes);
  if (surplus > 0) kernel.allocate(surplus);
}

function recoded(
  file: Uint8Array<ArrayBuffer>,
  isLossy: boolean,
  prepare: (kernel: PngKernel) => void,
): void {
  const image = inspected(file);
  const request: Omit<PngRequest, 'store'> = {
    palette: isLossy && mayQuantize(image) ? paletteTarget(1) : null,
    keepsHidden: !isLossy,
    keepsDepth: !isLossy,
    kinds: 'any',
    ownKey: null,
    preamble: new Uint8Array(),
    maxBytes: file.length - 1,
    omitsWithoutRoom: false,
    effort: 'full',
    holdsIndices: true,
    scoring: null,
  };
  arena.reserve(pngRecodingBytes(image, file.length, { isLossy }));
  const data = new ImageData(file);
  const recoding = runPngKernel(data, (kernel) => {
    prepare(kernel);
    const rows = new PngSource(kernel, data, image);
    const deepRows = image.bitDepth === 16 ? rows : null;
    return recodePng(kernel, rows, deepRows, { ...request, store: new KernelStreams(kernel) });
  });
  runAtOnce(recoding);
}
