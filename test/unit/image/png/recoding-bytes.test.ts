import { deflateSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { arena } from '../../../../src/image/codecs/runtime.ts';
import { inspect } from '../../../../src/image/inspect/inspect.ts';
import type { PngInspection } from '../../../../src/image/inspect/inspection.ts';
import { arenaCeiling } from '../../../../src/image/memory.ts';
import { adam7Passes, wholePass } from '../../../../src/image/png/adam7.ts';
import { FileRows } from '../../../../src/image/png/file-rows.ts';
import { ImageData } from '../../../../src/image/png/image-data.ts';
import { mostHeldPixels } from '../../../../src/image/png/index-image.ts';
import { type PngKernel, runPngKernel } from '../../../../src/image/png/kernel.ts';
import { paletteTarget } from '../../../../src/image/png/palette-quality.ts';
import { pngSourceBytes } from '../../../../src/image/png/reading-bytes.ts';
import { type PngRequest, recodePng } from '../../../../src/image/png/recode-png.ts';
import {
  mayQuantize,
  pngRecodingBytes,
  pngWritingBytes,
} from '../../../../src/image/png/recoding-bytes.ts';
import { pngRowLength } from '../../../../src/image/png/row-bytes.ts';
import { Random } from '../../../support/samples/random.ts';
import { layouts, type Picture, pngWith } from './png-writer.ts';

type Shape = Omit<Picture, 'sample'>;
type Content = keyof typeof contents;

/** A byte of packed samples each. */
const contents = {
  noise: (random: Random) => random.word() & 255,
  // fewer colours than a palette has, where pixels have no more than two bytes
  'two values': (random: Random) => (random.word() & 1) * 255,
  'a gradient': (_: Random, at: number) => (at >> 4) & 255,
};

/** Of the largest pictures that are held as indices, and of the smallest that are not. */
const heldSide = Math.sqrt(mostHeldPixels);

const sizes = [
  [1, 1],
  [1, 300],
  [300, 1],
  [61, 47],
  [65_536, 2],
  [2, 65_536],
] as const;
const largeSizes = [
  [heldSide, heldSide],
  [heldSide, heldSide + 1],
  // too wide to choose a palette for
  [300_000, 3],
] as const;

const someLayouts = [
  [0, 1],
  [0, 16],
  [3, 8],
  [2, 8],
  [6, 8],
  [6, 16],
] as const;

const shapes: readonly Shape[] = [
  ...layouts.flatMap((layout) => sizes.map((size) => shape(layout, size))),
  ...someLayouts.flatMap((layout) => largeSizes.map((size) => shape(layout, size))),
].flatMap((each) => [each, { ...each, interlaced: true }]);

beforeAll(() => arena.reserve(arenaCeiling));

describe('the memory of writing a PNG anew', () => {
  it.each([true, false])(
    'is what was predicted, or not much less, lossy: %s',
    {
      timeout: 120_000,
    },
    (isLossy) => {
      for (const picture of shapes) {
        const taken = Object.keys(contents).map((content) =>
          mostTaken(made(picture, content as Content), isLossy),
        );
        const predicted = least(inspected(made(picture, 'two values')), isLossy);
        const { sample: _, palette: __, ...named } = { sample: null, ...picture };
        const name = JSON.stringify(named);
        expect(Math.max(...taken), name).toBeLessThanOrEqual(predicted);
        // indices of a large picture are counted although it has none
        expect(Math.max(...taken), name).toBeGreaterThan(0.85 * (predicted - mostHeldPixels));
      }
    },
  );

  it('suffices', { timeout: 120_000 }, () => {
    for (const picture of shapes) {
      for (const content of Object.keys(contents)) {
        const file = made(picture, content as Content);
        for (const isLossy of [true, false]) {
          const image = inspected(file);
          const bytes = pngRecodingBytes(image, file.length, { isLossy, keepsDepth: !isLossy });
          const recode = () => recoded(file, isLossy, (kernel) => leave(kernel, bytes));
          expect(recode, `${image.width} × ${image.height}, ${content}`).not.toThrow();
        }
      }
    }
  });

  it('is what it takes', () => {
    const file = made(shape([6, 8], [61, 47]), 'noise');
    const bytes = least(inspected(file), true);
    expect(() => recoded(file, true, (kernel) => leave(kernel, 0.8 * bytes))).toThrow('no room');
  });
});

describe('a picture that is too wide to choose a palette for', () => {
  it('is among those that were tried', () => {
    const images = shapes.map((picture) => ({ ...picture, interlaced: false }) as PngInspection);
    expect(images.filter((image) => !mayQuantize(image)).length).toBeGreaterThan(0);
  });
});

function shape([colorType, bitDepth]: (typeof layouts)[number], size: readonly number[]): Shape {
  const [width = 0, height = 0] = size;
  const palette = colorType === 3 ? { palette: new Uint8Array(3 * 2 ** bitDepth) } : {};
  return { ...{ width, height, colorType, bitDepth }, ...palette };
}

/** A file that is as large as it can be, so that all that is tried is shorter. */
function made(picture: Shape, content: Content): Uint8Array<ArrayBuffer> {
  const random = new Random(1);
  const passes = picture.interlaced ? adam7Passes(picture) : [wholePass(picture)];
  const rows = passes.flatMap(({ columns, rows: count }) => {
    const bytes = new Uint8Array(count * pngRowLength(columns, picture));
    for (let at = 0; at < bytes.length; at += 1) {
      const isFilter = at % pngRowLength(columns, picture) === 0;
      bytes[at] = isFilter ? 0 : contents[content](random, at);
    }
    return [bytes];
  });
  const stream = deflateSync(Buffer.concat(rows), { level: 0 });
  return pngWith({ ...picture, sample: () => 0 }, stream);
}

function inspected(file: Uint8Array): PngInspection {
  const result = inspect(file);
  if (result.kind !== 'image' || result.image.type !== 'png') throw new Error('not a PNG');
  return result.image;
}

/** What is predicted without results. */
function least(image: PngInspection, isLossy: boolean): number {
  const isDeep = !isLossy && image.bitDepth === 16;
  return pngSourceBytes(image) + pngWritingBytes(image, isLossy && mayQuantize(image), isDeep);
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
  const request: PngRequest = {
    palette: isLossy && mayQuantize(image) ? paletteTarget(1) : null,
    keepsHidden: !isLossy,
    kinds: 'any',
    ownKey: null,
    preamble: new Uint8Array(),
    most: file.length - 1,
    mayBeCramped: false,
  };
  const data = new ImageData(file);
  runPngKernel(data, (kernel) => {
    prepare(kernel);
    const rows = new FileRows(kernel, data, image);
    return recodePng(kernel, rows, !isLossy && image.bitDepth === 16 ? rows : null, request);
  });
}
