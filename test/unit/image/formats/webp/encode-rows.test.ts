import sharp from 'sharp';
import { describe, expect, it, vi } from 'vitest';
import { ssimulacra2 } from '../../../../../bench/likeness/ssimulacra2.ts';
import { joinBytes } from '../../../../../src/image/container/assemble.ts';
import { StreamPieces } from '../../../../../src/image/container/drained-output.ts';
import type { Coding, Encoded } from '../../../../../src/image/formats/coding.ts';
import {
  webpDrainingEncoders,
  webpRowEncoder,
} from '../../../../../src/image/formats/webp/encoders.ts';
import { noMetadata } from '../../../../../src/image/metadata/metadata.ts';
import { pacedRows } from '../../../../../src/image/pixels/row-source.ts';
import { runAtOnce } from '../../../../../src/image/slices.ts';
import { Arena, arena } from '../../../../../src/image/wasm/arena.ts';
import { arenaCeiling } from '../../../../../src/image/wasm/budgets.ts';
import { CodecError } from '../../../../../src/image/wasm/codec.ts';
import { Random } from '../../../../support/random.ts';
import { drawn, libwebpPixels, type Picture } from './kernel/libwebp-pictures.ts';
import { mixed, noise } from './kernel/made-pictures.ts';
import { counted } from './lossy-coding.ts';
import { inspection, pixelsOf } from './reading.ts';

const random = new Random(9);
const mebibyte = 2 ** 20;

const usual: Coding = { quality: 75, exact: false, grey: false, icc: null };
const bare = { icc: null, metadata: noMetadata };

interface Options extends Partial<Coding> {
  readonly hasAlpha?: boolean;
  readonly drains?: boolean;
  readonly bytes?: number;
  readonly maxBytes?: number;
  readonly bufferBytes?: number;
  readonly appearance?: typeof bare | { icc: Uint8Array; metadata: typeof noMetadata };
}

interface Made extends Omit<Encoded, 'parts'> {
  readonly file: Uint8Array;
  readonly runs: number;
}

/** Makes a WebP of a picture, by the encoder that the service would take. */
function made(picture: Picture, options: Options = {}, { rows, runs } = counted(picture)): Made {
  const { hasAlpha = true, drains = false, bytes, ...coding } = { ...usual, ...options };
  const shape = { width: picture.width, height: picture.height, hasAlpha };
  const encoder = drains ? webpDrainingEncoders(shape, coding)[0] : webpRowEncoder(shape, coding);
  if (!encoder) throw new Error('there is no encoder');
  // of a memory that has grown before there is more
  const memory = bytes === undefined ? arena : new Arena(1);
  memory.reserve(bytes ?? Math.min(encoder.maxBytes, arenaCeiling));
  const work = encoder.encode(rows, {
    memory,
    appearance: options.appearance ?? bare,
    maxBytes: options.maxBytes ?? 32 * mebibyte,
    bufferBytes: options.bufferBytes ?? 32 * mebibyte,
  });
  const { parts, quality } = runAtOnce(work);
  return { file: joinBytes(...parts), quality, runs: runs() };
}

/** Predicted CPU time before each pause of an encoder whose rows do not pause. */
function pausesOf(picture: Picture, coding: Partial<Coding>, hasAlpha = false): number[] {
  const encoder = webpRowEncoder({ ...picture, hasAlpha }, { ...usual, ...coding });
  arena.reserve(Math.min(encoder.maxBytes, arenaCeiling));
  const run = { memory: arena, appearance: bare, maxBytes: 2 ** 25, bufferBytes: 2 ** 25 };
  return [...encoder.encode(counted(picture).rows, run)];
}

describe('encoding', () => {
  const [width, height] = [1024, 768];
  const data = new Uint8Array(4 * width * height).map((_, i) => (i >> 4) ^ (i >> 12));
  const soft = { width, height, data };

  it('pauses while partitions are written', () => {
    expect(pausesOf(soft, { quality: 30 }).length).toBeGreaterThan(0);
  });

  it('pauses within rows of macroblocks that are wide', () => {
    const wide = { width: 8192, height: 16, data: data.subarray(0, 4 * 8192 * 16) };
    expect(pausesOf(wide, { quality: 30 })).toContain(8);
  });

  it('pauses within bands of pixels and of alpha', () => {
    expect(pausesOf(soft, { quality: 'lossless' }).length).toBeGreaterThan(8);
    const lossy = pausesOf(soft, { quality: 30 }).length;
    expect(pausesOf(soft, { quality: 30 }, true).length).toBeGreaterThan(lossy + 8);
  });

  it('pauses between trials of transforms', () => {
    expect(pausesOf(noise(300, 300, random), { quality: 'lossless' })).toContain(20);
  });
});

/** What both decoders read. */
function shown(file: Uint8Array, name = ''): Buffer {
  const pixels = pixelsOf(file);
  expect(libwebpPixels(file)?.equals(pixels), name).toBe(true);
  return pixels;
}

function alphaOf(data: Uint8Array): number[] {
  return Array.from(data.subarray(3)).filter((_, i) => i % 4 === 0);
}

/** A picture with another alpha. */
function seeThrough(picture: Picture, alphaAt: (x: number, y: number) => number): Picture {
  const data = picture.data.slice();
  for (let i = 3, at = 0; i < data.length; i += 4, at += 1) {
    data[i] = alphaAt(at % picture.width, Math.floor(at / picture.width));
  }
  return { ...picture, data };
}

const alphas: readonly [string, (x: number, y: number) => number][] = [
  ['holes', (x, y) => (((x >> 3) + (y >> 3)) % 3 === 0 ? 0 : 255)],
  ['soft edges', (x, y) => Math.max(0, Math.min(255, 8 * Math.hypot(x - 20, y - 20) - 60))],
  ['two levels', (x) => (x % 7 < 3 ? 90 : 200)],
  ['noise', () => random.word() & 255],
  ['one level', () => 17],
  ['nothing to be seen', () => 0],
  ['a single pixel', (x, y) => (x === 0 && y === 0 ? 254 : 255)],
];

/** A ball with soft edges in a few colors, and nothing around it. */
function ball(side: number, colors: number): Picture {
  const data = new Uint8Array(4 * side * side);
  for (let at = 0; at < data.length / 4; at += 1) {
    const [x, y] = [(at % side) - side / 2, Math.floor(at / side) - side / 2];
    const cover = Math.min(1, Math.max(0, (side / 3 - Math.hypot(x, y)) / 4));
    const level = Math.round(cover * (colors - 1)) / (colors - 1);
    if (level > 0) data.set([Math.round(250 * level), 60, 40, 255], 4 * at);
  }
  return { width: side, height: side, data };
}

describe('a small picture without loss', () => {
  it.each([
    [40, 8],
    [80, 8],
    [80, 16],
  ])(
    'of %d² pixels in %d colours takes no more than with libwebp',
    { tags: 'slow' },
    async (side, colors) => {
      const { width, height, data } = ball(side, colors);
      const { file } = made({ width, height, data }, { quality: 'lossless' });
      const raw = { width, height, channels: 4 } as const;
      const settings = { lossless: true, effort: 6, quality: 100 };
      const theirs = await sharp(data, { raw }).webp(settings).toBuffer();
      expect(file.length).toBeLessThanOrEqual(theirs.length);
    },
  );
});

describe('lossy WebP of pixels that may be transparent', () => {
  it.each(alphas)('keeps alpha as it is: %s', { tags: 'slow' }, (name, alphaAt) => {
    for (let size = 1; size <= 33; size += 4) {
      const picture = seeThrough(mixed(size, 37 - size, random), alphaAt);
      for (const exact of [false, true]) {
        const { file, quality } = made(picture, { exact });
        expect(quality).toBe(75);
        const { hasAlpha, compression } = inspection(file);
        const isOpaque = alphaOf(picture.data).every((level) => level === 255);
        expect([hasAlpha, compression], name).toEqual([!isOpaque, 'lossy']);
        expect(alphaOf(shown(file, name)), `${name} ${size}`).toEqual(alphaOf(picture.data));
      }
    }
  });

  it('is opaque where all pixels are, byte for byte as without alpha', () => {
    const picture = mixed(120, 90, random);
    const looked = made(picture);
    const opaque = made(picture, { hasAlpha: false });
    expect(Buffer.compare(looked.file, opaque.file)).toBe(0);
    expect([looked.runs, opaque.runs]).toEqual([2, 1]);
  });

  it('has the colours of what is seen, and under exact those that are hidden, too', () => {
    const picture = seeThrough(mixed(96, 80, random), (x) => (x < 50 ? 0 : 255));
    const error = (file: Uint8Array, from: number, to: number) => {
      const pixels = shown(file);
      let sum = 0;
      for (let i = 0; i < pixels.length; i++) {
        const x = (i >> 2) % 96;
        if (i % 4 !== 3 && x >= from && x < to) {
          sum += ((pixels[i] ?? 0) - (picture.data[i] ?? 0)) ** 2;
        }
      }
      return Math.sqrt(sum / (3 * (to - from) * 80));
    };
    const free = made(picture, { quality: 90 }).file;
    const exact = made(picture, { quality: 90, exact: true }).file;
    expect(error(free, 50, 96)).toBeLessThan(1.2 * error(exact, 50, 96) + 1);
    expect(error(exact, 0, 50)).toBeLessThan(20);
    expect(error(free, 0, 50)).toBeGreaterThan(2 * error(exact, 0, 50));
    expect(free.length).toBeLessThan(0.8 * exact.length);
  });

  it('is the same where tokens find no room, and where it is drained', { tags: 'slow' }, () => {
    const picture = seeThrough(noise(500, 400, random, true), () => random.word() & 255);
    const whole = made(picture, { quality: 90, bytes: 16 * mebibyte });
    expect(whole.runs).toBe(2);
    const small = made(picture, { quality: 90 });
    const drained = made(picture, { quality: 90, drains: true });
    expect(Buffer.compare(small.file, whole.file)).toBe(0);
    expect(drained.runs).toBe(3);
    expect(Buffer.compare(drained.file, whole.file)).toBe(0);
  });

  it('is the same where tokens have taken the room that alpha needs', { tags: 'slow' }, () => {
    const runs = new Set<number>();
    // memory comes in pages, so that not every picture meets every case
    for (let width = 300; width <= 340; width += 10) {
      const picture = seeThrough(noise(width, 200, random, true), () => random.word() & 255);
      const whole = made(picture);
      const takeRuns = () => {
        for (let bytes = 3 * mebibyte; ; bytes -= 2 ** 16) {
          const small = made(picture, { bytes });
          expect(Buffer.compare(small.file, whole.file)).toBe(0);
          runs.add(small.runs);
        }
      };
      expect(takeRuns).toThrow(CodecError);
    }
    // tokens are kept, given up, or not kept at all in another attempt
    expect([...runs].sort()).toEqual([2, 3, 5]);
  });

  it('frees what has been drained if its work is ended', () => {
    const picture = noise(300, 200, random);
    const encoder = webpDrainingEncoders({ ...picture, hasAlpha: false }, usual)[0];
    if (!encoder) throw new Error('there is no encoder');
    arena.reserve(encoder.maxBytes);
    const run = { memory: arena, appearance: bare, maxBytes: 2 ** 20, bufferBytes: 2 ** 20 };
    const work = encoder.encode(pacedRows(counted(picture).rows, 100), run);
    for (let pause = 0; pause < 300; pause += 1) expect(work.next().done).toBe(false);
    const freed = vi.spyOn(StreamPieces.prototype, 'free');
    work.return({ parts: [], quality: 75 });
    expect(freed).toHaveBeenCalledOnce();
    freed.mockRestore();
  });

  it('is given up where its result has no room', { tags: 'slow' }, () => {
    const picture = seeThrough(noise(300, 200, random), () => random.word() & 255);
    const { length } = made(picture).file;
    const exhausted = expect.objectContaining({ exhausted: true });
    for (const drains of [false, true]) {
      expect(() => made(picture, { drains, maxBytes: length - 1 })).toThrow(CodecError);
      expect(() => made(picture, { drains, maxBytes: length - 1 })).toThrow(exhausted);
    }
    expect(() => made(picture, { drains: true, bufferBytes: length / 2 })).toThrow(exhausted);
    const source = counted(picture);
    expect(() => made(picture, { maxBytes: length - 1 }, source)).toThrow(exhausted);
    // another run would not make it shorter
    expect(source.runs()).toBe(2);
    expect(made(picture, { maxBytes: length }).file.length).toBe(length);
  });
});

describe('lossless WebP', () => {
  it.each(alphas)(
    'keeps every sample under exact, else what is seen: %s',
    { tags: 'slow' },
    (name, alphaAt) => {
      for (let size = 1; size <= 33; size += 4) {
        const picture = seeThrough(mixed(size, 37 - size, random), alphaAt);
        const exact = made(picture, { quality: 'lossless', exact: true });
        expect(exact.quality).toBe('lossless');
        expect(shown(exact.file, name).equals(Buffer.from(picture.data)), `${name} ${size}`).toBe(
          true,
        );
        const pixels = shown(made(picture, { quality: 'lossless' }).file, name);
        expect(alphaOf(pixels)).toEqual(alphaOf(picture.data));
        for (let i = 0; i < pixels.length; i++) {
          if (picture.data[i | 3] !== 0) expect(pixels[i]).toBe(picture.data[i]);
        }
      }
    },
  );

  it('says whether it is transparent, also around a profile', () => {
    const picture = mixed(40, 30, random);
    const appearance = { icc: Uint8Array.of(1, 2, 3), metadata: noMetadata };
    for (const [alpha, isTransparent] of [
      [255, false],
      [254, true],
    ] as const) {
      const { file } = made(
        seeThrough(picture, () => alpha),
        { quality: 'lossless', appearance },
      );
      expect(inspection(file)).toMatchObject({ hasAlpha: isTransparent, compression: 'lossless' });
      expect((file[20] ?? 0) & 0x10).toBe(isTransparent ? 0x10 : 0);
    }
  });

  it('fits what is predicted for noise', { tags: 'slow' }, () => {
    for (const [width, height] of [
      [600, 400],
      [16_383, 9],
      [9, 16_383],
    ] as const) {
      const picture = seeThrough(noise(width, height, random), () => random.word() & 255);
      const { file } = made(picture, { quality: 'lossless', exact: true });
      expect(shown(file).equals(Buffer.from(picture.data))).toBe(true);
    }
  });
});

/** Red strokes of two pixels on blue, as letters have them. */
function redOnBlue(width: number, height: number): Picture {
  return drawn(width, height, (x, y) => {
    const isLine = y % 24 < 16;
    const letter = Math.floor(x / 12) * 7 + Math.floor(y / 24) * 3;
    const [column, row] = [x % 12, y % 24];
    const isStroke =
      isLine &&
      ((column < 2 && letter % 3 !== 0) ||
        (row < 2 && column < 8) ||
        (letter % 2 === 0 && Math.abs(column * 2 - row) < 2) ||
        (letter % 5 === 1 && column >= 6 && column < 8));
    return isStroke ? [230, 20, 20, 255] : [20, 30, 200, 255];
  });
}

describe('a picture that lives in its chroma', () => {
  const picture = redOnBlue(480, 288);

  it('becomes lossless where nobody has asked for a quality, and that is not far longer', {
    tags: 'slow',
  }, () => {
    const lossy = made(picture, { quality: 86, hasAlpha: false });
    const automatic = made(picture, { quality: 86, hasAlpha: false, isAutomatic: true });
    expect(lossy.quality).toBe(86);
    expect(automatic.quality).toBe('lossless');
    expect(automatic.file.length).toBeLessThanOrEqual(2 * lossy.file.length);
    expect(shown(automatic.file).equals(Buffer.from(picture.data))).toBe(true);
    const raster = (data: Uint8Array) => ({ ...picture, data: new Uint8ClampedArray(data) });
    const score = ssimulacra2(raster(picture.data), raster(shown(automatic.file)));
    expect(score).toBeGreaterThanOrEqual(75);
  });

  it('becomes lossless however large it is', { tags: 'slow' }, () => {
    const large = redOnBlue(2600, 1700);
    expect(made(large, { quality: 86, hasAlpha: false, isAutomatic: true }).quality).toBe(
      'lossless',
    );
  });

  /** Grain, down to a row in a pattern of red and blue. */
  function grainy(patternRows: number): Picture {
    return drawn(320, 240, (x, y) => {
      const grain = random.word() & 31;
      if (y >= patternRows) return [grain, grain, grain, 255];
      return (x >> 1) % 2 === (y >> 1) % 2
        ? [220 + grain, grain, grain, 255]
        : [grain, grain, 220 + grain, 255];
    });
  }

  it('stays lossy where lossless would be more than twice as long', () => {
    const partly = grainy(20);
    const { quality, file } = made(partly, { quality: 60, hasAlpha: false, isAutomatic: true });
    expect(quality).toBe(60);
    const plain = made(partly, { quality: 60, hasAlpha: false });
    expect(Buffer.compare(file, plain.file)).toBe(0);
  });

  it('becomes lossless whatever it takes where nothing would be left of most of it', () => {
    const picture = grainy(240);
    const { quality, file } = made(picture, { quality: 60, hasAlpha: false, isAutomatic: true });
    expect(quality).toBe('lossless');
    expect(shown(file).equals(Buffer.from(picture.data))).toBe(true);
    const lossy = made(picture, { quality: 60, hasAlpha: false });
    expect(file.length).toBeGreaterThan(2 * lossy.file.length);
  });

  it('is none of those whose chroma is soft', () => {
    const soft = drawn(320, 240, (x, y) => [x >> 1, y, 255 - ((x + y) >> 2), 255]);
    const { quality, runs } = made(soft, { quality: 80, hasAlpha: false, isAutomatic: true });
    expect([quality, runs]).toEqual([80, 1]);
  });

  it('becomes lossless with its alpha', () => {
    const round = seeThrough(picture, (x, y) => (Math.hypot(x - 240, y - 144) < 140 ? 255 : 0));
    const { file, quality } = made(round, { quality: 86, isAutomatic: true });
    expect(quality).toBe('lossless');
    expect(inspection(file)).toMatchObject({ hasAlpha: true, compression: 'lossless' });
  });
});
