import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { cutOutGif } from '../../../../../src/image/formats/gif/cut-out.ts';
import { runAtOnce } from '../../../../../src/image/slices.ts';
import { CodecError } from '../../../../../src/image/wasm/codec.ts';
import { type MadeFrame, madeGif } from '../../../../support/gif-maker/gif-maker.ts';
import { canvasOf, inspection } from './reading.ts';

const [width, height] = [300, 260];
const grays = Array.from({ length: 768 }, (_, i) => Math.floor(i / 3));

/** Diagonal bands of `indices` indices. */
function bandedGif(frame: Partial<MadeFrame> = {}, indices = 256): Uint8Array<ArrayBuffer> {
  const { width: across = width, height: down = height } = frame;
  const pixels = Array.from({ length: across * down }, (_, i) => {
    const [x, y] = [i % across, Math.floor(i / across)];
    return ((x * x + 3 * y * y) >> 6) % indices;
  });
  const frames = [{ width: across, height: down, indices: pixels, ...frame }];
  return Uint8Array.from(madeGif({ width, height, globalTable: grays, frames }));
}

const parts = [
  { left: 160, top: 64, width: 96, height: 96 },
  { left: 32, top: 0, width: 96, height: 96 },
];

function cutOut(file: Uint8Array, regions = parts, slotHeight = 96) {
  const cut = runAtOnce(cutOutGif(file, inspection(file), regions, slotHeight));
  if (!cut) throw new Error('nothing was cut out');
  return cut;
}

/** Pixels of parts of a file, one below the other. */
function partsOf(file: Uint8Array, regions = parts): number[] {
  const canvas = canvasOf(file);
  return regions.flatMap(({ left, top, width: across, height: down }) =>
    Array.from({ length: down }, (_, y) => {
      const start = (top + y) * inspection(file).width + left;
      return [...canvas.subarray(start, start + across)];
    }).flat(),
  );
}

describe('parts that are cut out of a still GIF', () => {
  it.each([
    ['plain', bandedGif()],
    ['interlaced', bandedGif({ isInterlaced: true })],
    ['with transparent pixels', bandedGif({ control: { transparent: 7 } })],
    ['smaller than its canvas', bandedGif({ left: 60, top: 40, width: 120, height: 100 }, 255)],
    ['of two colours', bandedGif({ minCodeSize: 2 }, 2)],
  ])('have the very pixels that they have there: %s', (_name, file) => {
    const cut = cutOut(file);
    expect(inspection(cut)).toMatchObject({ width: 96, height: 192, frames: 1 });
    expect([...canvasOf(cut)]).toEqual(partsOf(file));
  });

  it('look to others as they do here', async () => {
    const cut = cutOut(bandedGif({ control: { transparent: 7 } }));
    const { data, info } = await sharp(cut)
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect(info).toMatchObject({ width: 96, height: 192 });
    const shown = new Uint32Array(new Uint8Array(data).buffer);
    expect([...shown]).toEqual([...canvasOf(cut)]);
  });

  it('are as long as they are where there is but one', () => {
    const [first] = parts;
    const low = [{ ...first, height: 50 }] as typeof parts;
    const cut = cutOut(bandedGif(), low);
    expect(inspection(cut)).toMatchObject({ width: 96, height: 50 });
    expect([...canvasOf(cut)]).toEqual(partsOf(bandedGif(), low));
  });

  it('are filled up with their last rows where they end before the next one begins', () => {
    const low = parts.map((part) => ({ ...part, height: 90 }));
    const canvas = canvasOf(cutOut(bandedGif(), low));
    const row = (y: number) => [...canvas.subarray(96 * y, 96 * (y + 1))];
    for (const slot of [0, 96]) {
      for (let y = 90; y < 96; y += 1) expect(row(slot + y)).toEqual(row(slot + 89));
    }
  });

  it('are not there where transparent pixels leave no place for their colours', () => {
    // As many colors as a table holds, and nothing around them.
    const pixels = Array.from({ length: 16 * 16 }, (_, i) => i);
    const file = bandedGif({ left: 140, top: 100, width: 16, height: 16, indices: pixels });
    const around = [{ left: 130, top: 90, width: 64, height: 64 }];
    expect(runAtOnce(cutOutGif(file, inspection(file), around, 64))).toBeNull();
  });

  it('are refused where the file is damaged', () => {
    const file = bandedGif();
    const { data } = inspection(file).picture;
    file.fill(0xff, data.offset + 20, data.offset + 60);
    expect(() => cutOut(file)).toThrow(CodecError);
  });
});
