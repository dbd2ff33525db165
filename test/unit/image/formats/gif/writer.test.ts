import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import type { Disposal, PlannedFrame } from '../../../../../src/image/animation/timeline.ts';
import { viewOf } from '../../../../../src/image/container/byte-cursor.ts';
import { StreamPieces } from '../../../../../src/image/container/drained-output.ts';
import {
  type AnimationCoding,
  TooManyColors,
} from '../../../../../src/image/formats/animation-format.ts';
import { toleranceAt } from '../../../../../src/image/formats/gif/coded-frame.ts';
import { gifPlays } from '../../../../../src/image/formats/gif/reader.ts';
import { squaredDistance } from '../../../../../src/image/formats/gif/reduced-colors.ts';
import { gifAnimationWriter } from '../../../../../src/image/formats/gif/writer.ts';
import { noMetadata } from '../../../../../src/image/metadata/metadata.ts';
import type { Region } from '../../../../../src/image/pixels/raster.ts';
import { runAtOnce } from '../../../../../src/image/slices.ts';
import { arena } from '../../../../../src/image/wasm/arena.ts';
import { NoRoomForResult } from '../../../../../src/image/wasm/codec.ts';
import { extension, madeGif } from '../../../../support/gif-maker/gif-maker.ts';
import { Random } from '../../../../support/random.ts';
import { framesOf, inspection, shownFrames } from './reading.ts';

const [width, height] = [64, 48];
const whole = { left: 0, top: 0, width, height };
type Pixels = Uint32Array<ArrayBuffer>;

interface Step {
  readonly region: Region;
  readonly wanted: Pixels;
  readonly disposal?: Disposal;
}

interface Written {
  readonly maxBytes?: number;
  readonly plays?: number;
  readonly commentsOf?: Uint8Array;
}

/** Writes frames, each on top of the result of the previous one; returns the file and the pictures it should show. */
function written(
  steps: readonly Step[],
  quality: AnimationCoding['quality'],
  { maxBytes = 1e7, plays = 0, commentsOf }: Written = {},
): { readonly file: Uint8Array; readonly shown: Pixels[] } {
  const coding = { quality, exact: false, icc: null };
  arena.reserve(gifAnimationWriter.arenaBytes({ ...whole, hasAlpha: true }, coding));
  const shape = { width, height, hasAlpha: true, plays };
  const pieces = new StreamPieces(maxBytes);
  const sink = gifAnimationWriter.begin(shape, coding, { memory: arena, pieces });
  let base: Pixels = new Uint32Array(width * height);
  const shown: Pixels[] = [];
  for (const { region, wanted, disposal = 'keep' } of steps) {
    const picture = base.slice();
    eachPixel(region, (at) => {
      picture[at] = wanted[at] ?? 0;
    });
    const frame: PlannedFrame = {
      region,
      picture: { width, height, pixels: picture },
      base: { width, height, pixels: base.slice() },
      duration: { ticks: 4, perSecond: 100 },
      disposal,
    };
    runAtOnce(sink.add(frame));
    shown.push(picture);
    if (disposal === 'keep') base = picture.slice();
    if (disposal === 'background') {
      base = picture.slice();
      eachPixel(region, (at) => {
        base[at] = 0;
      });
    }
  }
  const appearance = { icc: null, metadata: noMetadata, ...(commentsOf ? { commentsOf } : {}) };
  const { parts } = runAtOnce(sink.finish(appearance));
  const file = Uint8Array.from(Buffer.concat(parts));
  pieces.free();
  return { file, shown };
}

function eachPixel({ left, top, ...size }: Region, visit: (at: number) => void): void {
  for (let y = top; y < top + size.height; y += 1) {
    for (let x = left; x < left + size.width; x += 1) visit(y * width + x);
  }
}

function painted(color: (x: number, y: number) => number): Pixels {
  return Uint32Array.from({ length: width * height }, (_, i) =>
    color(i % width, Math.floor(i / width)),
  );
}

const gray = (level: number) => (0xff000000 | (level * 0x10101)) >>> 0;

function noise(seed: number, colors: number): Pixels {
  const random = new Random(seed);
  return painted(() => gray((random.word() >>> 3) % colors));
}

/** A gradient with some grain, in many colors. */
function photo(seed: number): Pixels {
  const random = new Random(seed);
  return painted((x, y) => {
    const grain = Math.floor(6 * random.unit());
    const [red, green, blue] = [2 * x + grain, 4 * y + grain, 3 * ((x + y) >> 1) + 40 + grain];
    return (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0;
  });
}

describe('an animation without loss', () => {
  const middle = { left: 10, top: 8, width: 30, height: 21 };

  it('shows every pixel that it shall, whatever becomes of its frames', () => {
    const steps: Step[] = [
      { region: whole, wanted: painted((x, y) => ((x * y) % 7 ? gray(x + y) : 0)) },
      { region: middle, wanted: noise(1, 20), disposal: 'previous' },
      { region: middle, wanted: noise(2, 90), disposal: 'background' },
      { region: middle, wanted: painted((x, y) => ((x ^ y) & 4 ? gray(200) : 0)) },
      { region: { ...whole, height: 20 }, wanted: noise(3, 250) },
    ];
    const { file, shown } = written(steps, 'lossless');
    expect(shownFrames(file)).toEqual(shown);
    expect(framesOf(file).map(({ disposal }) => disposal)).toEqual(
      steps.map(({ disposal }) => disposal ?? 'keep'),
    );
    expect(inspection(file)).toMatchObject({ width, height, frames: 5 });
  });

  it('is read by libvips as well', async () => {
    const steps = [4, 100, 256].map((colors, i) => ({ region: whole, wanted: noise(i, colors) }));
    const { file, shown } = written(steps, 'lossless');
    const raw = await sharp(file, { animated: true, pages: -1 }).ensureAlpha().raw().toBuffer();
    expect(raw.equals(Buffer.concat(shown.map((pixels) => Buffer.from(pixels.buffer))))).toBe(true);
  });

  it.each(['lossless', 70] as const)(
    'is transparent in libvips where no frame has drawn, and where one is disposed of: %s',
    async (quality) => {
      const region = { left: 8, top: 8, width: 20, height: 20 };
      const steps: Step[] = [
        { region, wanted: painted(() => gray(9)), disposal: 'background' },
        { region: { ...region, left: 40 }, wanted: painted(() => gray(200)) },
      ];
      const { file, shown } = written(steps, quality);
      const raw = await sharp(file, { animated: true, pages: -1 }).ensureAlpha().raw().toBuffer();
      expect(raw.equals(Buffer.concat(shown.map((pixels) => Buffer.from(pixels.buffer))))).toBe(
        true,
      );
    },
  );

  it('has as many colours in a frame as a table holds, and no more', () => {
    const many = painted((x, y) => gray((y * width + x) & 255));
    const { file, shown } = written([{ region: whole, wanted: many }], 'lossless');
    expect(shownFrames(file)).toEqual(shown);
    const more = many.slice();
    more[0] = 0xff0000ff;
    expect(() => written([{ region: whole, wanted: more }], 'lossless')).toThrow(TooManyColors);
    const clear = many.map((word) => (word === gray(0) ? 0 : word));
    expect(shownFrames(written([{ region: whole, wanted: clear }], 100).file)).toEqual([clear]);
    const both = more.slice();
    both[1] = 0;
    expect(() => written([{ region: whole, wanted: both }], 'lossless')).toThrow(TooManyColors);
  });

  it('refuses pixels that are partly transparent', () => {
    const veiled = painted(() => 0x80ffffff);
    expect(() => written([{ region: whole, wanted: veiled }], 'lossless')).toThrow(TooManyColors);
  });

  it('takes next to nothing where nothing changes', () => {
    const wanted = noise(5, 200);
    const once = written([{ region: whole, wanted }], 'lossless').file.length;
    const steps = [1, 2, 3].map(() => ({ region: whole, wanted }));
    expect(written(steps, 'lossless').file.length).toBeLessThan(once + 250);
  });

  it.each([0, 1, 2, 65_536])('says that it is played %d times', (plays) => {
    const { file } = written([{ region: whole, wanted: noise(1, 3) }], 'lossless', { plays });
    expect(gifPlays(viewOf(file))).toBe(plays);
  });

  it('has the comments of the file that it is made of, where they are to stay', () => {
    const frame = { width: 1, height: 1, indices: [0], minCodeSize: 2 };
    const blocks = [extension(0xfe, 'one'), extension(0xff, 'UNKNOWN1234', 'x')];
    const commentsOf = madeGif({
      ...{ width: 1, height: 1, globalTable: [0, 0, 0, 9, 9, 9] },
      frames: [frame],
      blocks: [...blocks, extension(0xfe, 'two')],
    });
    const steps = [{ region: whole, wanted: noise(1, 3) }];
    const without = written(steps, 'lossless').file;
    const { file } = written(steps, 'lossless', { commentsOf });
    const both = Buffer.concat([extension(0xfe, 'one'), extension(0xfe, 'two')]);
    expect(file.length).toBe(without.length + both.length);
    expect(Buffer.from(file).includes(both)).toBe(true);
    expect(shownFrames(file)).toEqual(shownFrames(without));
    const maxBytes = without.length;
    expect(() => written(steps, 'lossless', { commentsOf, maxBytes })).toThrow(NoRoomForResult);
  });

  it('gets no longer than it may', () => {
    const steps = [{ region: whole, wanted: noise(1, 256) }];
    expect(() => written(steps, 'lossless', { maxBytes: 3000 })).toThrow(NoRoomForResult);
    const { file } = written(steps, 'lossless');
    expect(file.length).toBeLessThan(6000);
  });
});

describe('an animation with loss', () => {
  const soft = painted((x, y) => gray((x + 2 * y + ((x * 7 + y * 13) % 5)) & 255));

  it('shows what the picture has become', () => {
    const steps = [
      { region: whole, wanted: soft },
      { region: whole, wanted: soft.map((word) => (word & 15 ? word : gray(9))) },
    ];
    const { file, shown } = written(steps, 70);
    expect(shownFrames(file)).toEqual(shown);
  });

  it.each([95, 80, 50, 20])('is never far from what is wanted, at %d', (quality) => {
    const { shown } = written([{ region: whole, wanted: soft }], quality);
    // Allows for masking in busy areas, and for diffused errors.
    const most = 3 * toleranceAt(quality) + 1;
    for (const [i, word] of (shown[0] ?? soft).entries()) {
      expect(Math.sqrt(squaredDistance(word, soft[i] ?? 0))).toBeLessThan(most);
    }
  });

  it('takes fewer bytes the lower the quality is', () => {
    const steps = [{ region: whole, wanted: soft }];
    const lengths = [100, 90, 70, 40, 10].map((quality) => written(steps, quality).file.length);
    expect(lengths).toEqual(lengths.toSorted((a, b) => b - a));
  });

  it('has its colours reduced where there are too many', () => {
    const steps = [1, 2, 3].map((seed) => ({ region: whole, wanted: photo(seed) }));
    const { file, shown } = written(steps, 85);
    expect(shownFrames(file)).toEqual(shown);
    for (const [frame, { wanted }] of steps.entries()) {
      const off = wanted.map((word, i) => Math.sqrt(squaredDistance(word, shown[frame]?.[i] ?? 0)));
      expect(off.reduce((sum, one) => sum + one) / off.length).toBeLessThan(4);
    }
  });

  it('leaves what does not change as it is', () => {
    const steps = [1, 1, 1].map((seed) => ({ region: whole, wanted: photo(seed) }));
    const { shown } = written(steps, 60);
    const changed = (shown[2] ?? soft).filter((word, i) => word !== shown[1]?.[i]).length;
    expect(changed).toBeLessThan(0.02 * width * height);
  });

  it('has pixels that are seen or not, by half their cover', () => {
    const veiled = painted((x) => (((x * 4) << 24) | 0x00804020) >>> 0);
    const { file, shown } = written([{ region: whole, wanted: veiled }], 80);
    expect(shownFrames(file)).toEqual(shown);
    expect(shown[0]?.subarray(0, 32).every((word) => word === 0)).toBe(true);
    expect(shown[0]?.subarray(32, 64).every((word) => word === 0xff804020)).toBe(true);
  });
});

describe('the memory of coding a frame', () => {
  it('is enough for the worst there is', () => {
    const { file, shown } = written([{ region: whole, wanted: noise(9, 256) }], 'lossless');
    expect(shownFrames(file)).toEqual(shown);
  });
});
