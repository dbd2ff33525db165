import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { ImageError, type OptimizeOptions } from '../../../../src/image/engine.ts';
import { itForEach } from '../../../support/each.ts';
import { answerTo, optimize } from '../../../support/engine.ts';
import { withJpegProfile } from '../../../support/icc.ts';
import { lutProfile, table, xyzCodes } from '../../../support/lut-profiles.ts';
import { sample } from '../../../support/pictures.ts';
import { jpegInspection } from '../formats/jpeg/inspected.ts';
import { inkSamplings, made } from '../formats/jpeg/made-jpegs.ts';
import { readTiff } from '../metadata/tiff.ts';

const white = [0.9642, 1, 0.8249];

/** Light falls with each ink alike. */
const plainInks = lutProfile({
  ...{ space: 'CMYK', connection: 'XYZ ' },
  tags: {
    A2B0: table(16, {
      ...{ inputs: 4, outputs: 3, points: 9 },
      codes: ([c = 0, m = 0, y = 0, k = 0]) =>
        xyzCodes(white.map((value) => value * (1 - k) * (1 - (c + m + y) / 3))),
    }),
  },
});

/** Blocks of one color, of amounts of ink as Adobe writes them. */
function blocks(
  width: number,
  height: number,
  inksAt: (bx: number, by: number) => readonly number[],
): Uint8Array<ArrayBuffer> {
  return made(
    width,
    height,
    [
      [1, 1],
      [1, 1],
      [1, 1],
      [1, 1],
    ],
    {
      adobe: 0,
      tables: [0, 1, 2].map(() => new Uint8Array(64).fill(1)),
      coefficients: (c, bx, by) => [8 * (127 - (inksAt(bx, by)[c] ?? 0)), ...Array(63).fill(0)],
    },
  );
}

async function pixel(file: Uint8Array, left: number, top: number): Promise<number[]> {
  const picture = sharp(file).removeAlpha().toColourspace('srgb');
  return [...(await picture.extract({ left, top, width: 1, height: 1 }).raw().toBuffer())];
}

let photo: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  const small = sharp(await sample('photo.jpg'))
    .resize(300)
    .toColourspace('cmyk');
  photo = Uint8Array.from(await small.jpeg({ quality: 95 }).toBuffer());
});

describe('a picture of inks', () => {
  const changes: readonly Partial<OptimizeOptions>[] = [
    ...(['webp', 'avif', 'png', 'jxl'] as const).map((format) => ({ format })),
    { width: 150 },
    { format: 'jxl', width: 150 },
    { width: 120, height: 120, fit: 'cover' },
    { format: 'webp', quality: 60 },
    { format: 'webp', width: 100, quality: 'lossless' },
  ];

  itForEach(changes, 'becomes sRGB with another format or size: %j', async (options) => {
    const { bytes, type, width, height } = optimize(photo.slice(), options);
    expect(type).toBe(options.format ?? 'jpeg');
    expect([width, height].every((side) => side <= 300)).toBe(true);
    if (type === 'jxl') return;
    const { space, icc, channels } = await sharp(bytes).metadata();
    expect([space, icc, channels === 4]).toEqual(['srgb', undefined, false]);
  });

  it('stays one of inks in its own format and size, with its profile', () => {
    const profiled = withJpegProfile(photo, plainInks);
    for (const options of [{}, { quality: 50 }, { quality: 'lossless' }, { target: 60 }] as const) {
      const { bytes, score } = optimize(profiled.slice(), options);
      const image = jpegInspection(bytes);
      expect([image.components.length, score]).toEqual([4, null]);
      expect(image.icc.reduce((sum, { length }) => sum + length, 0)).toBe(plainInks.length);
    }
  });

  it('has the quality searched for that comes to the score or the size', { tags: 'slow' }, () => {
    const { score } = optimize(photo.slice(), { format: 'webp', target: 75 });
    expect(Math.abs((score ?? 0) - 75)).toBeLessThan(4);
    const limited = optimize(photo.slice(), { format: 'webp', maxBytes: 8000 });
    expect(limited.bytes.length).toBeLessThanOrEqual(8000);
    expect(limited.score).toBeGreaterThan(20);
    expect(optimize(photo.slice(), { format: 'auto' }).type).not.toBe('jpeg');
  });

  it('states no other colour space in its metadata than sRGB', async () => {
    const IFD2 = { ColorSpace: '65535' };
    const stated = sharp(photo)
      .pipelineColourspace('cmyk')
      .toColourspace('cmyk')
      .withExif({ IFD2 });
    const file = Uint8Array.from(await stated.jpeg().toBuffer());
    const colorSpaceOf = async (options: Partial<OptimizeOptions>) => {
      const { bytes } = optimize(file.slice(), { metadata: 'all', ...options });
      const { exif = Buffer.alloc(0) } = await sharp(bytes).metadata();
      const start = exif.subarray(0, 4).toString() === 'Exif' ? 6 : 0;
      return readTiff(Uint8Array.from(exif.subarray(start))).exif.get(0xa001)?.number;
    };
    expect(await colorSpaceOf({})).toBe(65535);
    expect(await colorSpaceOf({ format: 'webp' })).toBe(1);
    expect(await colorSpaceOf({ width: 100 })).toBe(1);
  });

  it('is refused without loss in another format', () => {
    const answer = answerTo(photo, { format: 'png', quality: 'lossless' });
    expect(answer instanceof ImageError && answer.code).toBe('invalid_options');
    const auto = optimize(photo.slice(), { format: 'auto', quality: 'lossless' });
    expect(jpegInspection(auto.bytes).components).toHaveLength(4);
  });
});

describe('the colours of inks', () => {
  it('are those of their profile', async () => {
    const levels = [0, 64, 128, 255];
    const file = withJpegProfile(
      blocks(32, 8, (bx) => [0, 0, 0, levels[bx] ?? 0]),
      plainInks,
    );
    const { bytes } = optimize(file, { format: 'png' });
    for (const [bx, level] of levels.entries()) {
      const light = 1 - level / 255;
      const code = light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055;
      const [r = 0, g = 0, b = 0] = await pixel(bytes, 8 * bx + 4, 4);
      for (const value of [r, g, b]) expect(Math.abs(value - 255 * code)).toBeLessThan(2);
    }
  });

  it('are those that Little CMS finds, which sharp asks', async () => {
    // The same table for all intents, and no darkest inks, so that these do not matter.
    const file = withJpegProfile(photo, plainInks);
    const { bytes } = optimize(file.slice(), { format: 'png', quality: 100 });
    const samplesOf = (one: Uint8Array) =>
      sharp(one).toColourspace('srgb').removeAlpha().raw().toBuffer();
    const [ours, theirs] = [await samplesOf(bytes), await samplesOf(file)];
    let sum = 0;
    for (const [i, value] of ours.entries()) sum += (value - (theirs[i] ?? 0)) ** 2;
    const mean = sum / theirs.length;
    expect(Math.sqrt(mean)).toBeLessThan(1);
  });

  it('are those of a press without one', async () => {
    const { bytes } = optimize(
      blocks(16, 8, (bx) => (bx === 0 ? [255, 0, 0, 0] : [0, 0, 0, 0])),
      { format: 'png' },
    );
    const [r = 255, g = 0, b = 0] = await pixel(bytes, 4, 4);
    expect(r).toBeLessThan(10);
    expect([Math.round(g / 32), Math.round(b / 32)]).toEqual([5, 7]);
    expect(Math.min(...(await pixel(bytes, 12, 4)))).toBeGreaterThanOrEqual(254);
  });

  it('are mixed in linear light when the picture is reduced', async () => {
    const file = withJpegProfile(
      blocks(512, 512, (bx, by) => [0, 0, 0, (bx + by) % 2 === 0 ? 255 : 0]),
      plainInks,
    );
    const { bytes } = optimize(file, { format: 'png', width: 16 });
    // half of the light
    for (const value of await pixel(bytes, 8, 8)) expect(Math.abs(value - 188)).toBeLessThan(4);
  });

  it('are upright where the picture is turned', async () => {
    const turned = await sharp(blocks(16, 8, (bx) => (bx === 0 ? [0, 0, 0, 255] : [0, 0, 0, 0])))
      .pipelineColourspace('cmyk')
      .toColourspace('cmyk')
      .withMetadata({ orientation: 6 })
      .jpeg({ quality: 100, chromaSubsampling: '4:4:4' })
      .toBuffer();
    const { bytes, width, height } = optimize(Uint8Array.from(turned), { format: 'png' });
    expect([width, height]).toEqual([8, 16]);
    expect((await pixel(bytes, 4, 4))[0]).toBeLessThan(60);
    expect((await pixel(bytes, 4, 12))[0]).toBeGreaterThan(200);
  });

  it('are read from YCCK and with halved inks', async () => {
    const file = made(64, 48, inkSamplings['four components, two of them halved'], { adobe: 2 });
    expect(jpegInspection(file).colorSpace).toBe('ycck');
    const { width, height } = await sharp(optimize(file, { format: 'webp' }).bytes).metadata();
    expect([width, height]).toEqual([64, 48]);
  });
});
