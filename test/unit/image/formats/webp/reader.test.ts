import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { inspect } from '../../../../../src/image/formats/registry.ts';
import { bytes, exif, inspected, le24, le32, type Part } from '../byte-writing.ts';

function chunk(type: string, ...parts: Part[]): Uint8Array {
  const data = bytes(...parts);
  return bytes(type, le32(data.length), data, data.length % 2 ? 0 : []);
}

function riff(...chunks: Part[]): Uint8Array {
  const body = bytes('WEBP', ...chunks);
  return bytes('RIFF', le32(body.length), body);
}

const le16 = (value: number) => [value & 255, value >> 8];
const lossy = (width: number, height: number, tag = 0x10) =>
  chunk('VP8 ', le24(tag), 0x9d, 0x01, 0x2a, le16(width), le16(height), 0, 0);
const lossless = (width: number, height: number, { alpha = 0, version = 0 } = {}) =>
  chunk(
    'VP8L',
    0x2f,
    le32((width - 1) | ((height - 1) << 14) | (alpha << 28) | (version << 29)),
    0,
  );
const extended = (flags: number, width: number, height: number) =>
  chunk('VP8X', flags, 0, 0, 0, le24(width - 1), le24(height - 1));
const animation = chunk('ANIM', 0, 0, 0, 0, 0, 0);
const animationFrame = (width: number, height: number, x: number, ...chunks: Part[]) =>
  chunk('ANMF', le24(x / 2), le24(0), le24(width - 1), le24(height - 1), le32(0), ...chunks);
const red = { create: { width: 70, height: 50, channels: 4, background: '#ff000080' } } as const;

describe('a WebP made by an encoder', () => {
  it('is lossy with its size', async () => {
    expect(inspected('webp', await sharp(red).removeAlpha().webp().toBuffer())).toEqual({
      type: 'webp',
      width: 70,
      height: 50,
      bitDepth: 8,
      hasAlpha: false,
      isGrey: false,
      frames: 1,
      orientation: 1,
      icc: [],
      compression: 'lossy',
      picture: {
        width: 70,
        height: 50,
        color: { kind: 'lossy', range: { offset: 20, length: expect.any(Number) } },
        alpha: null,
        hasAlpha: false,
      },
    });
  });

  it('is lossless, and transparent in either compression', async () => {
    expect(inspected('webp', await sharp(red).webp({ lossless: true }).toBuffer())).toMatchObject({
      compression: 'lossless',
      hasAlpha: true,
    });
    expect(inspected('webp', await sharp(red).webp().toBuffer())).toMatchObject({
      compression: 'lossy',
      hasAlpha: true,
    });
  });

  it('has orientation and profile in their chunks', async () => {
    const file = await sharp(red)
      .withIccProfile('p3')
      .withMetadata({ orientation: 8 })
      .webp()
      .toBuffer();
    const image = inspected('webp', file);
    const [range] = image.icc;
    const { icc } = await sharp(file).metadata();
    expect(image.orientation).toBe(8);
    expect(file.subarray(range?.offset, (range?.offset ?? 0) + (range?.length ?? 0))).toEqual(icc);
  });

  it('counts the frames of an animation', async () => {
    const raster = Uint8Array.from({ length: 8 * 24 * 3 }, (_, i) => (i * 37) & 255);
    const raw = { width: 8, height: 24, channels: 3, pageHeight: 8 } as const;
    const file = await sharp(raster, { raw }).webp().toBuffer();
    expect(inspected('webp', file)).toMatchObject({ width: 8, height: 8, frames: 3 });
  });
});

describe('the chunks of a WebP', () => {
  it('tell the alpha of a lossless image from its own header', () => {
    expect(inspected('webp', riff(lossless(16384, 3)))).toMatchObject({
      width: 16384,
      hasAlpha: false,
    });
    expect(inspected('webp', riff(lossless(2, 3, { alpha: 1 }))).hasAlpha).toBe(true);
  });

  it('make it possibly transparent by the flag, and by ALPH only together with it', () => {
    const alpha = chunk('ALPH', 0);
    const alphaOf = (flags: number, ...chunks: Uint8Array[]) => {
      const { hasAlpha, picture } = inspected('webp', riff(extended(flags, 2, 3), ...chunks));
      return [hasAlpha, picture.alpha !== null];
    };
    expect(alphaOf(0x10, lossy(2, 3))).toEqual([true, false]);
    expect(alphaOf(0x10, alpha, lossy(2, 3))).toEqual([true, true]);
    expect(alphaOf(0, alpha, lossy(2, 3))).toEqual([false, false]);
    expect(alphaOf(0, lossy(2, 3))).toEqual([false, false]);
  });

  it('carry EXIF with and without prefix, but only when the flag says so', () => {
    const file = (flags: number, prefix: string) =>
      riff(extended(flags, 2, 3), lossy(2, 3), chunk('EXIF', prefix, exif(6, 'MM')));
    expect(inspected('webp', file(0x08, '')).orientation).toBe(6);
    expect(inspected('webp', file(0x08, 'Exif\0\0')).orientation).toBe(6);
    expect(inspected('webp', file(0, '')).orientation).toBe(1);
  });

  it('are an animation by their flag, with one frame too', () => {
    const file = riff(extended(0x02, 9, 9), animation, animationFrame(2, 3, 6, lossless(2, 3)));
    expect(inspected('webp', file)).toMatchObject({
      width: 9,
      height: 9,
      frames: 2,
      compression: 'lossless',
    });
  });

  it('may be followed by trailing bytes, and miss the last padding byte', () => {
    expect(inspect(bytes(riff(lossy(2, 3)), 'garbage')).kind).toBe('image');
    const odd = bytes(riff(extended(0, 2, 3), lossy(2, 3), 'XMP ', le32(1), 'x'));
    expect(inspect(odd).kind).toBe('image');
  });
});

describe('a WebP that we refuse as broken', () => {
  it.each([
    ['is shorter than RIFF says', riff(lossy(2, 3)).subarray(0, -1)],
    ['has nothing in it', riff()],
    ['begins with something else', riff(chunk('ICCP', 'abc'))],
    ['has a chunk past its end', riff('VP8 ', le32(100), 0)],
    ['does not begin with a key frame', riff(lossy(2, 3, 0x11))],
    ['has a frame that is not shown', riff(lossy(2, 3, 0x00))],
    ['has no start code', riff(chunk('VP8 ', new Uint8Array(10).fill(0x10)))],
    ['has zero width', riff(lossy(0, 3))],
    ['has a lossless version from the future', riff(lossless(2, 3, { version: 1 }))],
    ['has a frame header cut short', riff(chunk('VP8L', 0x2f, 0))],
    ['has a canvas of another size', riff(extended(0, 2, 4), lossy(2, 3))],
    [
      'has a canvas larger than allowed',
      riff(extended(2, 1 << 24, 1 << 24), animation, animationFrame(2, 3, 0, lossy(2, 3))),
    ],
    ['has an extended header only', riff(extended(0, 2, 3))],
    ['is an animation without frames', riff(extended(0x02, 2, 3), lossy(2, 3))],
    [
      'has an animation frame without image',
      riff(extended(0x02, 2, 3), animation, animationFrame(2, 3, 0)),
    ],
    [
      'has a later animation frame without image',
      riff(
        extended(0x02, 2, 3),
        animation,
        animationFrame(2, 3, 0, lossy(2, 3)),
        animationFrame(2, 3, 0),
      ),
    ],
    [
      'does not say how its animation is played',
      riff(extended(0x02, 2, 3), animationFrame(2, 3, 0, lossy(2, 3))),
    ],
    [
      'has an animation frame of another size than it states',
      riff(extended(0x02, 9, 9), animation, animationFrame(2, 4, 0, lossy(2, 3))),
    ],
    [
      'has an animation frame beside its canvas',
      riff(extended(0x02, 9, 9), animation, animationFrame(2, 3, 8, lossy(2, 3))),
    ],
  ])('because it %s', (_reason, file) => {
    expect(inspect(file).kind).toBe('broken');
  });
});
