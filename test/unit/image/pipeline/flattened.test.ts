import sharp, { type Sharp } from 'sharp';
import { describe, expect, it } from 'vitest';
import { inspect } from '../../../../src/image/formats/registry.ts';
import type { OptimizeOptions } from '../../../../src/image/pipeline/options.ts';
import { optimize } from '../../../support/engine.ts';
import { sample } from '../../../support/pictures.ts';

type File = Uint8Array<ArrayBuffer>;

const ground = [200, 40, 90] as const;
const flat = { background: ground, flattens: true } as const;

const logo = async () => sharp(await sample('logo.png')).resize(90);
/** As many colors as a palette holds, some of them partly transparent. */
const icon = async () => (await logo()).png({ palette: true, colours: 32 });
const shade = async () => (await logo()).toColourspace('b-w').png();
const deep = async () => (await logo()).toColourspace('rgb16').png();

const sources: Readonly<Record<string, () => Promise<Sharp>>> = {
  'an RGBA PNG': async () => (await logo()).png(),
  'a PNG with a transparent palette': icon,
  'a grey PNG with alpha': shade,
  'a PNG of 16 bits with alpha': deep,
  'a WebP without loss': async () => (await logo()).webp({ lossless: true }),
  'a WebP': async () => (await logo()).webp({ quality: 90 }),
  'an AVIF': async () => (await logo()).avif({ quality: 80 }),
};

async function fileOf(picture: Sharp): Promise<File> {
  return Uint8Array.from(await picture.toBuffer());
}

/** RGB bytes of a file that another program lays on the ground, where anything of it is transparent. */
async function flattenedPixels(file: Uint8Array): Promise<Buffer> {
  const [r, g, b] = ground;
  const eight = sharp(await sharp(file).toColourspace('srgb').ensureAlpha().raw().png().toBuffer());
  return eight.flatten({ background: { r, g, b } }).raw().toBuffer();
}

/** The largest and the mean difference of samples. */
function differences(a: Buffer, b: Buffer): { readonly largest: number; readonly mean: number } {
  expect(a.length).toBe(b.length);
  let [largest, sum] = [0, 0];
  for (let i = 0; i < a.length; i += 1) {
    const difference = Math.abs((a[i] ?? 0) - (b[i] ?? 0));
    largest = Math.max(largest, difference);
    sum += difference;
  }
  return { largest, mean: sum / a.length };
}

/** Whether a file can hold anything transparent, as its headers and another reader say. */
async function holdsAlpha(file: Uint8Array): Promise<readonly boolean[]> {
  const own = inspect(file);
  const { hasAlpha } = await sharp(file).metadata();
  return [own.kind === 'image' && own.image.hasAlpha, hasAlpha === true];
}

describe.each(Object.entries(sources))('%s that is laid on a background', (_, make) => {
  const made = async (wanted: Partial<OptimizeOptions>) => {
    const file = await fileOf(await make());
    expect(await holdsAlpha(file)).toEqual([true, true]);
    return { file, result: optimize(file, { ...flat, ...wanted }) };
  };

  it('keeps its format, is opaque, and shows what another program shows', {
    tags: 'slow',
  }, async () => {
    for (const quality of ['auto', 70, 95] as const) {
      const { file, result } = await made({ quality });
      const { format } = await sharp(file).metadata();
      expect(result.type).toBe(format === 'heif' ? 'avif' : format);
      expect(result.quality).not.toBe('original');
      expect(await holdsAlpha(result.bytes)).toEqual([false, false]);
      const shown = await sharp(result.bytes).toColourspace('srgb').raw().toBuffer();
      const { mean } = differences(shown, await flattenedPixels(file));
      // a saturated ground around letters loses some of its color in a quarter of the samples
      expect(mean).toBeLessThan(4);
    }
  });

  it('becomes the very pixels in a PNG without loss', async () => {
    const { file, result } = await made({ format: 'png', quality: 100 });
    expect(await holdsAlpha(result.bytes)).toEqual([false, false]);
    const shown = await sharp(result.bytes).toColourspace('srgb').raw().toBuffer();
    // of 16 bits sharp takes the upper eight, and decoders of YUV do not all round alike
    expect(differences(shown, await flattenedPixels(file)).largest).toBeLessThanOrEqual(3);
  });

  it('is opaque in every format and size', { tags: 'slow' }, async () => {
    for (const format of ['webp', 'avif', 'png', 'jpeg'] as const) {
      const { result } = await made({ format, width: 40, quality: 80 });
      expect([result.type, result.width]).toEqual([format, 40]);
      expect(await holdsAlpha(result.bytes)).toEqual([false, false]);
      const { data, info } = await sharp(result.bytes).raw().toBuffer({ resolveWithObject: true });
      expect(info.width).toBe(40);
      // a corner of the logo is empty
      expect(Math.abs((data[0] ?? 0) - ground[0])).toBeLessThan(8);
    }
  });
});

describe('a background that is laid behind any format', () => {
  it('changes nothing of an opaque picture', { tags: 'slow' }, async () => {
    for (const name of ['photo.jpg', 'interface.png']) {
      const opaque = sharp(await sample(name)).resize(120);
      const file = await fileOf(name.endsWith('.png') ? opaque.removeAlpha() : opaque);
      expect(optimize(file, { ...flat, quality: 80 })).toEqual(optimize(file, { quality: 80 }));
    }
  });

  it('is as good as the score that is asked for', async () => {
    const file = await fileOf((await logo()).webp({ quality: 95 }));
    const { score, type } = optimize(file, { ...flat, format: 'webp', target: 80 });
    expect(type).toBe('webp');
    expect(score).toBeGreaterThan(76);
  });

  it('is seen in a still GIF, which stays one', { tags: 'slow' }, async () => {
    const file = await fileOf((await logo()).gif());
    const result = optimize(file, flat);
    expect(result.type).toBe('gif');
    expect(await holdsAlpha(result.bytes)).toEqual([false, false]);
    const shown = await sharp(result.bytes).removeAlpha().raw().toBuffer();
    expect(differences(shown, await flattenedPixels(file)).mean).toBeLessThan(3);
  });

  it('is not seen in an animation, but in its first picture', { tags: 'slow' }, async () => {
    const frames = [await fileOf((await logo()).png()), await fileOf((await logo()).flop().png())];
    const moving = await fileOf(sharp(frames, { join: { animated: true } }).gif());
    expect(optimize(moving, flat)).toEqual(optimize(moving, {}));
    const first = optimize(moving, { ...flat, animation: 'first', format: 'png' });
    expect(await holdsAlpha(first.bytes)).toEqual([false, false]);
  });
});
