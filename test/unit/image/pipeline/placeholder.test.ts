import sharp from 'sharp';
import { rgbaToThumbHash, thumbHashToAverageRGBA, thumbHashToRGBA } from 'thumbhash';
import { describe, expect, it } from 'vitest';
import { type OptimizeOptions, optimize as optimizeInTurns } from '../../../../src/image/engine.ts';
import { itForEach } from '../../../support/each.ts';
import { answerTo, optimize } from '../../../support/engine.ts';
import { plainPicture, sample, smallPhoto } from '../../../support/pictures.ts';

const asked = { placeholder: 'thumbhash' } as const;

function placeholderOf(file: Uint8Array<ArrayBuffer>, options: Partial<OptimizeOptions> = {}) {
  return optimize(file, { ...asked, ...options }).placeholder ?? '';
}

/** The ThumbHash that the library makes of a file as another decoder shows it, as it is. */
async function hashOf(file: Uint8Array): Promise<string> {
  const shown = sharp(file).autoOrient().ensureAlpha().raw();
  const { data, info } = await shown.toBuffer({ resolveWithObject: true });
  return Buffer.from(rgbaToThumbHash(info.width, info.height, data)).toString('base64');
}

/** The pixels that a placeholder shows. */
function shownBy(placeholder: string) {
  return thumbHashToRGBA(Buffer.from(placeholder, 'base64'));
}

/** The mean difference of what two placeholders show, per sample. */
function difference(one: string, other: string): number {
  const [a, b] = [shownBy(one), shownBy(other)];
  expect([a.w, a.h]).toEqual([b.w, b.h]);
  return (
    a.rgba.reduce((sum, sample, i) => sum + Math.abs(sample - (b.rgba[i] ?? 0)), 0) / a.rgba.length
  );
}

/** A file that is hashed as it is: no side has more than 100 pixels. */
async function small(): Promise<Uint8Array<ArrayBuffer>> {
  return Uint8Array.from(await plainPicture(90, 60).png().toBuffer());
}

describe('the placeholder of a result', () => {
  it('is the ThumbHash of its pixels, and there is none where none is asked for', async () => {
    const file = await small();
    expect(placeholderOf(file)).toBe(await hashOf(file));
    expect(optimize(file).placeholder).toBeNull();
  });

  const [whole, exact] = [{ width: 90, height: 90 }, { quality: 'lossless' }] as const;
  const background = [20, 200, 90] as const;
  it.each<[string, Partial<OptimizeOptions>]>([
    ['kept', {}],
    ['converted', { ...exact, format: 'webp' }],
    ['cropped', { ...exact, width: 50, height: 60, fit: 'cover' }],
    ['given transparent margins', { ...exact, ...whole, fit: 'contain' }],
    [
      'given margins of a colour',
      { ...exact, ...whole, fit: 'contain', position: { x: 0, y: 1 }, background },
    ],
  ])('is that of exactly the pixels of a picture that was %s', async (_, options) => {
    const { bytes, placeholder } = optimize(await small(), { ...asked, ...options });
    expect(placeholder).toBe(await hashOf(bytes));
  });

  it.each([1, 3, 6, 7])(
    'is upright for orientation %d, whether the tag stays or not',
    async (orientation) => {
      const turned = plainPicture(90, 60).png().withMetadata({ orientation });
      const file = Uint8Array.from(await turned.toBuffer());
      const upright = await hashOf(file);
      expect(placeholderOf(file)).toBe(upright);
      expect(placeholderOf(file, { format: 'webp', quality: 'lossless' })).toBe(upright);
    },
  );

  itForEach(
    ['keep', 'jpeg', 'png', 'webp', 'avif', 'jxl'] as const,
    'shows a reduced photo that becomes %s, as the library would from it',
    async (format) => {
      const photo = await smallPhoto();
      const reduced = await sharp(photo).resize(100).png().toBuffer();
      const placeholder = placeholderOf(photo, { format });
      expect(difference(placeholder, await hashOf(reduced))).toBeLessThan(2);
    },
  );

  it('has the colours behind what was transparent', async () => {
    const logo = await sample('logo.png');
    const options = { format: 'jpeg', background: [0, 160, 255], width: 80 } as const;
    const onBlue = optimize(logo, { ...asked, ...options });
    expect(thumbHashToAverageRGBA(Buffer.from(onBlue.placeholder ?? '', 'base64')).a).toBe(1);
    expect(difference(onBlue.placeholder ?? '', await hashOf(onBlue.bytes))).toBeLessThan(3);
    const clear = placeholderOf(logo, { width: 80 });
    expect(thumbHashToAverageRGBA(Buffer.from(clear, 'base64')).a).toBeLessThan(1);
  });

  it('is that of the first frame of an animation', async () => {
    const [width, height] = [60, 40];
    const frame = (shade: number) =>
      Buffer.from(
        Array.from({ length: width * height }, (_, i) => [shade, i % width, 90, 255]).flat(),
      );
    const raw = { width, height: 2 * height, channels: 4, pageHeight: height } as const;
    const data = Buffer.concat([frame(255), frame(0)]);
    const moving = Uint8Array.from(await sharp(data, { raw }).webp({ lossless: true }).toBuffer());
    const first = await hashOf(
      await sharp(frame(255), { raw: { width, height, channels: 4 } })
        .png()
        .toBuffer(),
    );
    expect(placeholderOf(moving)).toBe(first);
    expect(placeholderOf(moving, { animation: 'first', format: 'png' })).toBe(first);
  });

  it('is the same in slices, and changes no byte of the result', async () => {
    const photo = await smallPhoto();
    const inTurns = await optimizeInTurns(photo.slice(), { ...asked, width: 200 });
    expect(inTurns.placeholder).toBe(placeholderOf(photo, { width: 200 }));
    expect(inTurns.bytes).toEqual(optimize(photo, { width: 200 }).bytes);
  });

  it('is made for no damaged picture', async () => {
    const photo = await smallPhoto();
    expect(answerTo(photo.slice(0, 3000), { ...asked, width: 100 })).toMatchObject({
      code: 'invalid_image',
    });
  });
});

describe('a crop to what is of interest', () => {
  const [width, height] = [400, 100];
  const quiet = [0x8a, 0x90, 0x98] as const;

  /** A quiet picture with something colourful and detailed at a place. */
  async function scene(left: number): Promise<Uint8Array<ArrayBuffer>> {
    const size = { width, height, channels: 3 } as const;
    const [r, g, b] = quiet;
    const canvas = sharp({ create: { ...size, background: { r, g, b } } });
    const lively = await plainPicture(70, 70).modulate({ saturation: 2 }).png().toBuffer();
    const input = [{ input: lively, left, top: 15 }];
    return Uint8Array.from(await canvas.composite(input).png().toBuffer());
  }

  /** Where what is lively begins in the result. */
  async function livelyIn(file: Uint8Array): Promise<{ first: number; last: number }> {
    const { data, info } = await sharp(file)
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    const row = data.subarray(3 * 60 * info.width);
    const isLively = (x: number) =>
      quiet.some((sample, channel) => Math.abs((row[3 * x + channel] ?? 0) - sample) > 12);
    const columns = Array.from({ length: info.width }, (_, x) => x).filter(isLively);
    return { first: columns[0] ?? -1, last: columns.at(-1) ?? -1 };
  }

  it.each([20, 120, 310])('has all of what is %d pixels from the left', async (left) => {
    const file = await scene(left);
    const options = { width: 100, height, fit: 'cover', quality: 'lossless' } as const;
    const { bytes } = optimize(file, { ...options, position: 'auto' });
    const { first, last } = await livelyIn(bytes);
    expect(last - first).toBeGreaterThan(55);
    const middle = await livelyIn(optimize(file, options).bytes);
    expect(middle.last - middle.first).toBeLessThan(55);
  });

  it('keeps the middle of a picture in which nothing stands out', async () => {
    const file = Uint8Array.from(await plainPicture(300, 100).png().toBuffer());
    const options = { width: 100, height: 100, fit: 'cover', quality: 'lossless' } as const;
    expect(optimize(file, { ...options, position: 'auto' }).bytes).toEqual(
      optimize(file, options).bytes,
    );
  });

  it('shows in the placeholder what was cropped', async () => {
    const options = { width: 100, height, fit: 'cover', quality: 'lossless' } as const;
    const made = optimize(await scene(20), { ...asked, ...options, position: 'auto' });
    expect(made.placeholder).toBe(await hashOf(made.bytes));
  });
});

describe('a box for margins', () => {
  it('that is larger than memory is refused for what it is', async () => {
    const file = await small();
    const options = { width: 16_384, height: 16_384, fit: 'contain' } as const;
    expect(answerTo(file, options)).toMatchObject({
      code: 'invalid_options',
      detail: 'Margins take more memory than there is for them: ask for a smaller box.',
    });
  });
});
