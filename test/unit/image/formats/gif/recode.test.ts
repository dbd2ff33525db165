import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { colorOf } from '../../../../../src/image/color/source-color.ts';
import { gif } from '../../../../../src/image/formats/gif/gif.ts';
import type { GifInspection } from '../../../../../src/image/formats/gif/reader.ts';
import { gifRecoder } from '../../../../../src/image/formats/gif/recode.ts';
import type { Quality, Source } from '../../../../../src/image/formats/inspection.ts';
import type { MetadataLevel } from '../../../../../src/image/metadata/carried.ts';
import { runAtOnce } from '../../../../../src/image/slices.ts';
import { arena, sideArena } from '../../../../../src/image/wasm/arena.ts';
import { CodecError } from '../../../../../src/image/wasm/codec.ts';
import { extension, type MadeFrame, madeGif } from '../../../../support/gif-maker/gif-maker.ts';
import { canvasOf, inspection } from './reading.ts';

const grays = Array.from({ length: 768 }, (_, i) => Math.floor(i / 3));
const comment = extension(0xfe, 'a comment');

function made(
  width: number,
  height: number,
  frame: Partial<MadeFrame> = {},
): Uint8Array<ArrayBuffer> {
  const indices = Array.from({ length: width * height }, (_, i) => {
    const [x, y] = [i % width, Math.floor(i / width)];
    return ((x * x + y * y) >> 5) & 255;
  });
  const frames = [{ width, height, indices, ...frame }];
  return Uint8Array.from(madeGif({ width, height, globalTable: grays, frames, blocks: [comment] }));
}

function recoded(file: Uint8Array<ArrayBuffer>, quality: Quality, level: MetadataLevel = 'none') {
  const image = inspection(file);
  const color = colorOf(gif.read.samples(image), null);
  const source: Source<GifInspection> = {
    kind: 'source',
    image,
    fileBytes: file.length,
    icc: null,
    color,
  };
  const settings = { quality, exact: false };
  arena.reserve(gifRecoder.arenaBytes(source, settings));
  sideArena.reserve(gifRecoder.sideBytes?.(source, settings) ?? 0);
  const keeping = { level, metadata: gif.read.metadata(file) };
  return runAtOnce(gifRecoder.recode(file, source, settings, keeping, () => null));
}

describe('a still GIF that is coded anew', () => {
  it.each([
    ['plain', made(120, 90)],
    ['interlaced', made(120, 90, { isInterlaced: true })],
    ['with transparency', made(120, 90, { control: { transparent: 0 } })],
    [
      'without anything to see',
      made(9, 9, { indices: new Array(81).fill(0), control: { transparent: 0 } }),
    ],
    ['of one pixel', made(1, 1)],
  ])('shows the same without loss, and is no longer: %s', (_name, file) => {
    const { bytes, quality } = recoded(file.slice(), 'lossless');
    expect(canvasOf(bytes)).toEqual(canvasOf(file));
    expect(inspection(bytes)).toMatchObject({ width: inspection(file).width, frames: 1 });
    expect(bytes.length).toBeLessThanOrEqual(file.length);
    expect(['lossless', 'original']).toContain(quality);
  });

  it.each([
    ['one colour', made(40, 30, { width: 20, height: 15, indices: new Uint8Array(300).fill(9) })],
    [
      'four colours',
      made(40, 30, { width: 20, indices: Uint8Array.from({ length: 600 }, (_, i) => i & 3) }),
    ],
    [
      'many',
      made(40, 30, {
        left: 9,
        width: 20,
        indices: Uint8Array.from({ length: 600 }, (_, i) => i % 250),
        control: { transparent: 255 },
      }),
    ],
  ])(
    'has a transparent index where the canvas shows, as libvips asks for: %s',
    async (_name, file) => {
      for (const quality of ['lossless', 60] as const) {
        const { bytes } = recoded(file.slice(), quality);
        expect(inspection(bytes).picture.transparent).toBeGreaterThanOrEqual(0);
        const seen = await sharp(bytes).ensureAlpha().raw().toBuffer();
        const own = canvasOf(bytes);
        expect(own.includes(0)).toBe(true);
        expect([...seen]).toEqual([...new Uint8Array(own.buffer)]);
      }
    },
  );

  it('is cut to what is seen', () => {
    const indices = Array.from({ length: 100 * 100 }, (_, i) =>
      i % 100 > 40 && i > 5000 ? i % 7 : 9,
    );
    const file = made(100, 100, { indices, control: { transparent: 9 } });
    const { bytes } = recoded(file.slice(), 'lossless');
    expect(inspection(bytes).picture.region).toEqual({ left: 41, top: 50, width: 59, height: 50 });
    expect(canvasOf(bytes)).toEqual(canvasOf(file));
  });

  it('is shorter with loss', () => {
    const file = made(200, 150);
    const exact = recoded(file.slice(), 'lossless').bytes.length;
    const { bytes, quality } = recoded(file.slice(), 60);
    expect(bytes.length).toBeLessThan(0.8 * exact);
    expect(quality).toBe(60);
  });

  it('keeps its comments under `all`, and no others', () => {
    const file = made(120, 90);
    const has = (level: MetadataLevel) =>
      Buffer.from(recoded(file.slice(), 'lossless', level).bytes).includes('a comment');
    expect([has('none'), has('copyright'), has('all')]).toEqual([false, false, true]);
  });

  it('is refused where it is damaged', () => {
    const file = made(120, 90);
    const { data } = inspection(file).picture;
    file.fill(0xff, data.offset + 20, data.offset + 60);
    expect(() => recoded(file, 'lossless')).toThrow(CodecError);
  });
});
