import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { type GifKernel, runGifKernel } from '../../../../../src/image/formats/gif/kernel.ts';
import { canvasRowBytes, openCanvasRows } from '../../../../../src/image/formats/gif/rows.ts';
import { gathered } from '../../../../../src/image/pixels/row-source.ts';
import { runAtOnce } from '../../../../../src/image/slices.ts';
import { arena } from '../../../../../src/image/wasm/arena.ts';
import { CodecError } from '../../../../../src/image/wasm/codec.ts';
import { type MadeFrame, madeGif, subBlocks } from '../../../../support/gif-maker/gif-maker.ts';
import { lzwCodes, packedCodes } from '../../../../support/gif-maker/lzw.ts';
import { kernelTraps } from '../../../../support/kernels.ts';
import { Random } from '../../../../support/random.ts';
import { canvasOf, drawn, framesOf, inspection, shownFrames } from './reading.ts';

const grays = Array.from({ length: 768 }, (_, i) => (i % 3 === 1 ? 255 - i / 3 : i / 3) & 255);

/** Repeating indices with some noise. */
function picture(width: number, height: number, colors = 256, seed = 1): number[] {
  const random = new Random(seed);
  return Array.from({ length: width * height }, (_, i) => {
    const noise = random.unit() < 0.2 ? random.word() : 0;
    return ((i % width) * 3 + Math.floor(i / width) * 5 + noise) % colors;
  });
}

function still(frame: Partial<MadeFrame>, width = 61, height = 47): Uint8Array {
  const indices = picture(width, height);
  return madeGif({
    width,
    height,
    globalTable: grays,
    frames: [{ width, height, indices, ...frame }],
  });
}

async function sharpPixels(file: Uint8Array): Promise<Uint32Array> {
  const { buffer, byteOffset, length } = await sharp(file, { animated: true, pages: -1 })
    .ensureAlpha()
    .raw()
    .toBuffer();
  return new Uint32Array(buffer, byteOffset, length / 4);
}

describe('the rows of a still GIF', () => {
  it.each([
    ['plain', still({})],
    ['interlaced', still({ isInterlaced: true })],
    ['of one column', still({ isInterlaced: true }, 1, 300)],
    ['of one row', still({ isInterlaced: true }, 300, 1)],
    ['of seven rows, interlaced', still({ isInterlaced: true }, 30, 7)],
    ['with a local table', still({ localTable: grays.map((sample) => 255 - sample) })],
    ['with more strings than there are codes', still({}, 400, 300)],
    ['interlaced and large', still({ isInterlaced: true }, 400, 300)],
  ])('are those of libvips: %s', async (_name, file) => {
    expect(canvasOf(file)).toEqual(await sharpPixels(file));
  });

  it.each([
    [1, [0xff030201, 0, 0xff000000, 0xff000000]],
    [3, [0xff030201, 0xff060504, 0xff000000, 0]],
  ])('are black beyond the table, and transparent at index %d', (transparent, expected) => {
    const indices = [0, 1, 2, 3];
    const frame = { width: 4, height: 1, indices, minCodeSize: 2, control: { transparent } };
    const globalTable = [1, 2, 3, 4, 5, 6];
    const file = madeGif({ width: 4, height: 1, globalTable, frames: [frame] });
    expect([...canvasOf(file)]).toEqual(expected);
    expect(inspection(file).hasAlpha).toBe(true);
  });

  it('lie on a transparent canvas', () => {
    const frame = { left: 1, top: 1, width: 1, height: 1, indices: [1], minCodeSize: 2 };
    const file = madeGif({ width: 3, height: 2, globalTable: [0, 0, 0, 9, 9, 9], frames: [frame] });
    expect([...canvasOf(file)]).toEqual([0, 0, 0, 0, 0xff090909, 0]);
  });

  it('can be gone through again', () => {
    for (const isInterlaced of [false, true]) {
      const file = still({ isInterlaced });
      const image = inspection(file);
      arena.reserve(canvasRowBytes(image));
      const [first, second] = runAtOnce(
        openCanvasRows(file, image, arena, function* (rows) {
          const one = yield* gathered(rows);
          return [one, yield* gathered(rows)];
        }),
      );
      expect(first).toEqual(second);
    }
  });

  it('take the memory that is predicted', () => {
    for (const isInterlaced of [false, true]) {
      const image = inspection(still({ isInterlaced }));
      const { region, minCodeSize } = image.picture;
      arena.reserve(canvasRowBytes(image));
      const allocate = function* (kernel: GifKernel) {
        kernel.allocatePicture(region.width, region.height, isInterlaced, minCodeSize);
        kernel.allocate(4 * image.width);
        return kernel.taken();
      };
      const taken = runAtOnce(runGifKernel(null, allocate));
      expect(taken).toBe(canvasRowBytes(image));
    }
  });
});

describe('LZW data', () => {
  const size = { width: 300, height: 200 };
  const indices = picture(300, 200);
  const file = (codes: readonly number[], minCodeSize = 8) => {
    const data = subBlocks(packedCodes(codes, minCodeSize));
    const frames = [{ ...size, indices, data, minCodeSize }];
    return madeGif({ ...size, globalTable: grays, frames });
  };
  const wanted = canvasOf(file(lzwCodes(indices, 8)));

  it('may leave a full table as it is', () => {
    expect(canvasOf(file(lzwCodes(indices, 8, { clears: false })))).toEqual(wanted);
  });

  it('may begin without a clear code', () => {
    expect(canvasOf(file(lzwCodes(indices, 8, { beginsClear: false })))).toEqual(wanted);
  });

  it('may go on behind the picture', () => {
    expect(canvasOf(file(lzwCodes([...indices, ...indices], 8)))).toEqual(wanted);
  });

  it('may have no end code', () => {
    expect(canvasOf(file(lzwCodes(indices, 8).slice(0, -1)))).toEqual(wanted);
  });

  it.each([2, 3, 4, 5, 6, 7])('have indices of %d bits', (bits) => {
    const few = picture(300, 200, 2 ** bits);
    const shown = Array.from(few, (index) => canvasColor(index));
    expect([...canvasOf(file(lzwCodes(few, bits), bits))]).toEqual(shown);
  });

  it.each([9, 10, 11])('have indices of which the lowest of %d bits count', (bits) => {
    expect(canvasOf(file(lzwCodes(indices, bits), bits))).toEqual(wanted);
    const high = Array.from(indices, (index, i) => (index + 256 * i) % 2 ** bits);
    expect(canvasOf(file(lzwCodes(high, bits), bits))).toEqual(wanted);
  });

  it('may have indices of one bit', () => {
    const few = [1, 0, 0, 1, 1, 0];
    const data = subBlocks(packedCodes([2, 1, 0, 0, 2, 1, 1, 0, 3], 1));
    const frame = { width: 3, height: 2, indices: few, data, minCodeSize: 1 };
    const tiny = madeGif({ width: 3, height: 2, globalTable: grays, frames: [frame] });
    expect([...canvasOf(tiny)]).toEqual(few.map(canvasColor));
  });

  it.each([
    ['end early', lzwCodes(indices.slice(0, -1), 8)],
    ['have a code that stands for nothing yet', [256, 1, 2, 300]],
    ['have a string before any index', [256, 258]],
    ['have nothing', [257]],
  ])('are damaged where they %s', (_name, codes) => {
    expect(() => canvasOf(file(codes))).toThrow(CodecError);
  });
});

function canvasColor(index: number): number {
  const [red = 0, green = 0, blue = 0] = grays.slice(3 * index, 3 * index + 3);
  return (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0;
}

describe('the frames of an animation', () => {
  const whole = { width: 20, height: 10, indices: picture(20, 10) };
  const part = (control: MadeFrame['control'], seed: number): MadeFrame => ({
    left: 5,
    top: 2,
    width: 9,
    height: 6,
    indices: picture(9, 6, 4, seed),
    control: { transparent: 3, ...control },
  });

  it('make what libvips composes of them', async () => {
    const frames = [
      { ...whole, control: { delay: 3 } },
      part({ disposal: 2 }, 2),
      part({ disposal: 3, delay: 7 }, 3),
      part({ disposal: 1 }, 4),
      part({}, 5),
    ];
    const file = madeGif({ width: 20, height: 10, globalTable: grays, frames, loops: 0 });
    const shown = shownFrames(file);
    const all = await sharpPixels(file);
    for (const [i, pixels] of shown.entries()) {
      expect(pixels).toEqual(all.slice(i * pixels.length, (i + 1) * pixels.length));
    }
    expect(framesOf(file).map(({ disposal }) => disposal)).toEqual([
      'keep',
      'background',
      'previous',
      'keep',
      'keep',
    ]);
  });

  it('are cut off at the canvas, which the first makes larger', () => {
    const file = madeGif({
      width: 4,
      height: 4,
      globalTable: grays,
      frames: [
        { left: 2, top: 1, width: 3, height: 2, indices: [1, 2, 3, 4, 5, 6] },
        { left: 4, top: 3, width: 3, height: 3, indices: [1, 2, 3, 4, 5, 6, 7, 8, 9] },
        { left: 9, top: 9, width: 2, height: 1, indices: [1, 2], control: { delay: 5 } },
      ],
    });
    expect(inspection(file)).toMatchObject({ width: 5, height: 4, frames: 3, hasAlpha: true });
    const [, clipped, outside] = framesOf(file);
    if (!clipped || !outside) throw new Error('frames are missing');
    expect(clipped.region).toEqual({ left: 4, top: 3, width: 1, height: 1 });
    expect([...drawn(file, clipped)]).toEqual([canvasColor(1)]);
    expect(outside).toMatchObject({ isOutside: true, duration: { ticks: 5, perSecond: 100 } });
    expect([...drawn(file, outside)]).toEqual([0]);
  });
});

describe('damaged GIFs', () => {
  it('are decoded or refused, and trap nowhere', { tags: 'slow' }, () => {
    const random = new Random(7);
    const { traps, restore } = kernelTraps('cursor');
    const sources = [still({}), still({ isInterlaced: true }), still({ minCodeSize: 8 }, 200, 90)];
    try {
      for (let round = 0; round < 600; round += 1) {
        const file = (sources[round % sources.length] ?? still({})).slice();
        for (let i = 0; i < 1 + (round % 9); i += 1) {
          const reach = random.unit() < 0.3 ? 820 : file.length;
          file[Math.floor(random.unit() * reach)] = random.word() & 0xff;
        }
        expectAnswer(random.unit() < 0.2 ? file.subarray(0, random.word() % file.length) : file);
      }
    } finally {
      restore();
    }
    expect(traps).toEqual([]);
  });
});

function expectAnswer(file: Uint8Array): void {
  try {
    for (const frame of framesOf(file).slice(0, 4)) {
      if (frame.region.width * frame.region.height < 1e6) drawn(file, frame);
    }
  } catch (error) {
    const isRefused = error instanceof Error && /"kind":"broken"/.test(error.message);
    if (!isRefused) expect(error).toBeInstanceOf(CodecError);
  }
}
