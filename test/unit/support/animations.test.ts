import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import type { Region } from '../../../src/image/pixels/raster.ts';
import {
  type ApngContent,
  type ApngFrame,
  makeApng,
  pngColor,
} from '../../support/animations/apng-maker.ts';
import { generatedAnimations } from '../../support/animations/generated.ts';
import {
  type GifContent,
  type GifFrame,
  makeGif,
  type Rgb,
} from '../../support/animations/gif-maker.ts';
import { timelineOf } from '../../support/animations/judges.ts';
import { type AnimationType, timelineDifference } from '../../support/animations/timeline.ts';
import { makeWebp, type WebpContent, webpStill } from '../../support/animations/webp-maker.ts';
import { Random } from '../../support/random.ts';

describe('generated animations', () => {
  it('are judged to show what was meant', { tags: 'slow' }, async () => {
    for (const { name, type, file, timeline } of await generatedAnimations(90, 11)) {
      expect(timelineDifference(await timelineOf(type, file), timeline), name).toBeNull();
    }
  });

  it('are those of their seed', { tags: 'slow' }, async () => {
    const one = await generatedAnimations(12, 5);
    expect(await generatedAnimations(12, 5)).toEqual(one);
    const other = await generatedAnimations(12, 6);
    expect(other.map(({ file }) => file)).not.toContainEqual(one[0]?.file);
  });

  it('are shown by libvips nearly so where they are WebP', { tags: 'slow' }, async () => {
    const all = await generatedAnimations(60, 12);
    for (const { name, file, timeline } of all.filter(({ type }) => type === 'webp')) {
      const { delay = [], loop = 1 } = await sharp(file, { animated: true }).metadata();
      const options = { animated: true, ignoreIcc: true } as const;
      const stacked = await sharp(file, options).ensureAlpha().raw().toBuffer();
      const { width, height } = timeline;
      let end = 0;
      const pictures = delay.map((ms, i) => {
        const pixels = stacked.subarray(4 * width * height * i, 4 * width * height * (i + 1));
        end += ms;
        return { pixels, end };
      });
      const seen = { width, height, plays: loop, pictures };
      // libwebp rounds differently, and its results are blended again.
      expect(timelineDifference(seen, timeline, { tolerance: 4 }), name).toBeNull();
    }
  });
});

/** Single pixels: red, green, blue, and transparent. */
const colors: Readonly<Record<string, readonly number[]>> = {
  r: [255, 0, 0, 255],
  g: [0, 255, 0, 255],
  b: [0, 0, 255, 255],
  '.': [0, 0, 0, 0],
};
const palette: readonly Rgb[] = [
  [255, 0, 0],
  [0, 255, 0],
  [0, 0, 255],
  [9, 9, 9],
];

/** Pixels by their letters. */
function rgba(letters: string): Buffer {
  return Buffer.from([...letters].flatMap((letter) => colors[letter] ?? []));
}

function letterOf(pixel: Buffer): string {
  if (pixel[3] === 0) return '.';
  return Object.keys(colors).find((letter) => rgba(letter).equals(pixel)) ?? `[${[...pixel]}]`;
}

/** What is visible: the number of plays, the size, and each picture with its end. */
async function seen(type: AnimationType, file: Uint8Array): Promise<string> {
  const { width, height, plays, pictures } = await timelineOf(type, file);
  const shown = pictures.map(({ pixels, end }) => {
    const letters = Array.from({ length: width * height }, (_, i) =>
      letterOf(pixels.subarray(4 * i, 4 * i + 4)),
    );
    return `${letters.join('')} ${end}`;
  });
  return `${plays} × ${width}×${height}: ${shown.join(', ')}`;
}

/** A row of the canvas, starting at `left`. */
function row(left: number, letters: string): Region {
  return { left, top: 0, width: letters.length, height: 1 };
}

describe('a GIF', () => {
  const frame = (
    left: number,
    letters: string,
    disposal = 0,
    more: Partial<GifFrame> = {},
  ): GifFrame => ({
    region: row(left, letters),
    indices: Uint8Array.from([...letters].map((letter) => 'rgb.'.indexOf(letter))),
    control: { disposal, delay: 5, ...(letters.includes('.') ? { transparent: 3 } : {}) },
    ...more,
  });
  const gif = (content: Partial<GifContent>, ...frames: GifFrame[]) =>
    seen('gif', makeGif({ width: 3, height: 1, palette, background: 2, frames, ...content }));

  it('draws on a transparent canvas, whatever the background colour', async () => {
    expect(await gif({}, frame(1, 'r'), frame(0, 'g.b'))).toBe('1 × 3×1: .r. 50, grb 100');
  });

  it.each([
    { disposal: 0, next: 'rgb' },
    { disposal: 1, next: 'rgb' },
    { disposal: 2, next: 'r.b' },
    { disposal: 3, next: 'rrb' },
    { disposal: 4, next: 'rrb' },
    { disposal: 5, next: 'rgb' },
  ])('does with a frame what disposal $disposal says', async ({ disposal, next }) => {
    expect(await gif({}, frame(0, 'rrr'), frame(1, 'g', disposal), frame(2, 'b'))).toBe(
      `1 × 3×1: rrr 50, rgr 100, ${next} 150`,
    );
  });

  it('has no previous picture before the first', async () => {
    expect(await gif({}, frame(0, 'rr', 3), frame(1, 'g'))).toBe('1 × 3×1: rr. 50, .g. 100');
  });

  it('grows with its first frame, and clips the others', async () => {
    expect(
      await gif({ width: 1 }, frame(1, 'r'), frame(1, 'gggg', 2), frame(7, 'b'), frame(0, 'b')),
    ).toBe('1 × 2×1: .r 50, .g 100, .. 150, b. 200');
  });

  it.each([
    { loop: undefined, plays: 1 },
    { loop: 0, plays: 0 },
    { loop: 1, plays: 2 },
    { loop: 65_535, plays: 65_536 },
  ])('with a loop count of $loop is played $plays times', async ({ loop, plays }) => {
    const content = loop === undefined ? {} : { loop };
    const expected = `${plays} × 3×1: rrr 50`;
    expect(await gif(content, frame(0, 'rrr'))).toBe(expected);
    expect(await gif({ ...content, loopLast: true }, frame(0, 'rrr'))).toBe(expected);
    expect(await gif({ ...content, loopName: 'ANIMEXTS1.0' }, frame(0, 'rrr'))).toBe(expected);
  });

  it('is read whatever else is in it', async () => {
    const expected = '1 × 3×1: rrr 50, rrg 100';
    for (const content of [
      { comment: 'long '.repeat(100) },
      { xmp: '<x:xmpmeta/>, of any length' },
      { version: '87a' },
      { noTrailer: true },
      { garbage: Buffer.from('garbage') },
      { noTrailer: true, garbage: Buffer.from('garbage') },
    ] as const) {
      expect(await gif(content, frame(0, 'rrr'), frame(2, 'g'))).toBe(expected);
    }
  });

  it('has frames without a control block or with a palette of their own', async () => {
    const { control: _, ...bare } = frame(0, 'rgb');
    const swapped: readonly Rgb[] = [
      [0, 255, 0],
      [255, 0, 0],
    ];
    expect(await gif({}, bare, frame(0, 'rg', 0, { palette: swapped }))).toBe(
      '1 × 3×1: rgb 0, grb 50',
    );
  });

  it('has noise coded in all ways', async () => {
    const random = new Random(3);
    const size = { width: 96, height: 90 };
    const pixels = size.width * size.height;
    const greys = Array.from({ length: 256 }, (_, i): Rgb => [i, i, i]);
    const indices = Uint8Array.from({ length: pixels }, () => random.word() & 255);
    for (const more of [
      {},
      { interlaced: true },
      { lzw: { deferredClear: true } },
      { lzw: { noInitialClear: true } },
      { lzw: { noEnd: true } },
      { lzw: { blockBytes: 1 } },
    ]) {
      const frames = [{ region: { left: 0, top: 0, ...size }, indices, ...more }];
      const { pictures } = await timelineOf('gif', makeGif({ ...size, palette: greys, frames }));
      const seenIndices = pictures[0]?.pixels.filter((_, i) => i % 4 === 1);
      expect(Buffer.compare(indices, seenIndices ?? Buffer.alloc(0)), JSON.stringify(more)).toBe(0);
    }
  });
});

describe('an APNG', () => {
  const frame = (left: number, letters: string, more: Partial<ApngFrame> = {}): ApngFrame => ({
    region: row(left, letters),
    samples: rgba(letters),
    delay: [5, 100],
    ...more,
  });
  const file = (content: Partial<ApngContent>, ...frames: ApngFrame[]) =>
    makeApng({ width: 3, height: 1, color: pngColor.rgba, depth: 8, plays: 0, frames, ...content });
  const apng = (content: Partial<ApngContent>, ...frames: ApngFrame[]) =>
    seen('png', file(content, ...frames));

  it.each([
    { disposal: 0, next: 'rgb' },
    { disposal: 1, next: 'r.b' },
    { disposal: 2, next: 'rrb' },
  ])('does with a frame what disposal $disposal says', async ({ disposal, next }) => {
    expect(await apng({}, frame(0, 'rrr'), frame(1, 'g', { disposal }), frame(2, 'b'))).toBe(
      `0 × 3×1: rrr 50, rgr 100, ${next} 150`,
    );
  });

  it('lays transparent pixels over what is below, or puts them in its place', async () => {
    expect(await apng({}, frame(0, 'rrr'), frame(0, 'g.', { blend: 1 }), frame(1, '..'))).toBe(
      '0 × 3×1: rrr 50, grr 100, g.. 150',
    );
  });

  it('blends pixels that are partly transparent', async () => {
    const red = { samples: [255, 0, 0, 128], blend: 1 };
    const blue = { samples: [0, 0, 255, 128, 0, 0, 255, 255, 1, 2, 3, 0] };
    const over = [0, 1, 2].map((left) => frame(left, 'r', red));
    const pictures = await apng({}, frame(0, 'bbb', blue), ...over);
    expect(pictures).toContain('[170,0,85,192][128,0,127,255][255,0,0,128] 200');
  });

  it('has no previous picture before the first', async () => {
    expect(await apng({}, frame(0, 'rrr', { disposal: 2 }), frame(1, 'g'))).toBe(
      '0 × 3×1: rrr 50, .g. 100',
    );
  });

  it('does not show a default image that is no frame', async () => {
    const content = { defaultImage: rgba('bbb'), plays: 7 };
    expect(await apng(content, frame(1, 'r'), frame(0, 'g'))).toBe('7 × 3×1: .r. 50, gr. 100');
  });

  it('has delays of any fraction of a second', async () => {
    const delays = [
      [5, 0],
      [1, 8],
      [0, 7],
      [65_535, 1],
    ] as const;
    const frames = delays.map((delay) => frame(0, 'rrr', { delay }));
    expect(await apng({}, ...frames)).toBe('0 × 3×1: rrr 50, rrr 175, rrr 175, rrr 65535175');
  });

  it('may be cut into many chunks, some of them empty', async () => {
    const whole = await apng({}, frame(0, 'rgb'), frame(0, 'gb'));
    expect(await apng({}, frame(0, 'rgb', { parts: 3 }), frame(0, 'gb', { parts: 99 }))).toBe(
      whole,
    );
  });

  const kinds = [
    { color: pngColor.grey, depths: [1, 2, 4, 8, 16], channels: 1, keyed: true },
    { color: pngColor.rgb, depths: [8, 16], channels: 3, keyed: true },
    { color: pngColor.palette, depths: [1, 2, 4, 8], channels: 1, keyed: false },
    { color: pngColor.greyAlpha, depths: [8, 16], channels: 2, keyed: false },
    { color: pngColor.rgba, depths: [8, 16], channels: 4, keyed: false },
  ] as const;
  const cases = kinds.flatMap(({ depths, ...kind }) => depths.map((depth) => ({ ...kind, depth })));

  it.each(cases)('has samples of color type $color, $depth bits', async (kind) => {
    const { color, depth, channels } = kind;
    const random = new Random(7);
    const size = { width: 11, height: 9 };
    const most = 2 ** depth - 1;
    const samples = Array.from({ length: 99 * channels }, () => random.word() & most);
    const entries = Array.from({ length: most + 1 }, (_, i): Rgb => [i, (7 * i) & 255, 255 - i]);
    const key = kind.keyed ? samples.slice(0, channels) : null;
    const expected = Array.from({ length: 99 }, (_, i) => {
      const all = samples.slice(channels * i, channels * (i + 1));
      const [first = 0] = all;
      if (color === pngColor.palette) return [...(entries[first] ?? []), first === 1 ? 77 : 255];
      const levels = all.map((sample) => Math.round((sample * 255) / most));
      const [grey = 0, greyAlpha] = levels;
      const [r = 0, g = 0, b = 0, alpha = 255] =
        channels > 2 ? levels : [grey, grey, grey, greyAlpha];
      return [r, g, b, key && `${all}` === `${key}` ? 0 : alpha];
    });
    for (const interlaced of [false, true]) {
      const apng = makeApng({
        ...size,
        color,
        depth,
        interlaced,
        plays: 0,
        ...(color === pngColor.palette ? { palette: entries, transparency: [255, 77] } : {}),
        ...(key ? { transparency: key } : {}),
        frames: [{ region: { left: 0, top: 0, ...size }, samples, delay: [1, 1] }],
      });
      const pictures = [{ pixels: Buffer.from(expected.flat()), end: 1000 }];
      const timeline = { ...size, plays: 0, pictures };
      expect(timelineDifference(await timelineOf('png', apng), timeline)).toBeNull();
    }
  });

  it('is refused where it breaks a rule', async () => {
    const good = file({}, frame(0, 'rgb'), frame(0, 'gb'));
    await expect(timelineOf('png', file({ promised: 3 }, frame(0, 'rgb')))).rejects.toThrow(
      'missing',
    );
    await expect(timelineOf('png', file({}, frame(1, 'rgb')))).rejects.toThrow('out of canvas');
    const damaged = Buffer.from(good);
    damaged[good.indexOf('fdAT') + 4] = 1;
    await expect(timelineOf('png', damaged)).rejects.toThrow('wrong checksum of fdAT');
    const dropped = good.indexOf('fcTL') - 4;
    const shortened = Buffer.concat([good.subarray(0, dropped), good.subarray(dropped + 38)]);
    await expect(timelineOf('png', shortened)).rejects.toThrow('out of sequence');
  });
});

describe('a WebP', () => {
  interface Drawing {
    readonly left: number;
    readonly letters: string | readonly number[];
    readonly blend?: boolean;
    readonly dispose?: boolean;
  }
  const webp = async (content: Partial<WebpContent>, ...drawings: Drawing[]) => {
    const frames = await Promise.all(
      drawings.map(async ({ left, letters, ...flags }) => {
        const pixels = typeof letters === 'string' ? rgba(letters) : Buffer.from(letters);
        const region = { left, top: 0, width: pixels.length / 4, height: 1 };
        const { chunks } = await webpStill(region, pixels);
        return { region, chunks, duration: 50, ...flags };
      }),
    );
    return makeWebp({ width: 3, height: 1, loop: 0, frames, ...content });
  };

  it('lays frames over what is below or puts them in its place, and clears them to transparent', async () => {
    const file = await webp(
      { background: [255, 0, 0, 255] },
      { left: 0, letters: 'rr' },
      { left: 0, letters: '.g', blend: true },
      { left: 2, letters: 'b', dispose: true },
      { left: 0, letters: '.' },
    );
    expect(await seen('webp', file)).toBe('0 × 3×1: rr. 50, rg. 100, rgb 150, .g. 200');
  });

  it('blends pixels that are partly transparent as libwebp does', async () => {
    const file = await webp(
      {},
      { left: 0, letters: [0, 0, 255, 128, 0, 0, 255, 255, 1, 2, 3, 0] },
      { left: 0, letters: [255, 0, 0, 128, 255, 0, 0, 128, 255, 0, 0, 128], blend: true },
    );
    expect(await seen('webp', file)).toContain('[169,0,84,192][127,0,126,255][255,0,0,128] 100');
  });

  it('is read whatever else is in it', async () => {
    const drawings = [
      { left: 0, letters: 'rgb' },
      { left: 2, letters: 'r' },
    ];
    const metadata = {
      icc: Buffer.from('odd'),
      exif: Buffer.from('II*\0\b\0\0\0\0\0\0\0\0\0'),
      xmp: Buffer.from('<x/>'),
    };
    for (const content of [metadata, { unknown: true }, { alpha: false }]) {
      const file = await webp({ ...content, loop: 9 }, ...drawings);
      expect(await seen('webp', file)).toBe('9 × 3×1: rgb 50, rgr 100');
    }
  });

  it('is refused where its length is wrong', async () => {
    const file = await webp({}, { left: 0, letters: 'rgb' });
    await expect(timelineOf('webp', file.subarray(0, -2))).rejects.toThrow('of its length');
  });
});

describe('a still', () => {
  it('is a timeline of one picture that takes no time', async () => {
    const raw = { width: 3, height: 1, channels: 4 } as const;
    const still = sharp(rgba('r.b'), { raw });
    expect(await seen('png', await still.png().toBuffer())).toBe('1 × 3×1: r.b 0');
    const webp = await still.webp({ lossless: true }).toBuffer();
    expect(await seen('webp', webp)).toBe('1 × 3×1: r.b 0');
    expect(await seen('gif', await still.gif().toBuffer())).toBe('1 × 3×1: r.b 0');
  });
});
