import sharp, { type Sharp } from 'sharp';
import { describe, expect, it } from 'vitest';
import { ImageError } from '../../../../src/image/engine.ts';
import type { OutputType } from '../../../../src/image/formats/facts.ts';
import type { OptimizeOptions } from '../../../../src/image/pipeline/options.ts';
import { answerTo, optimize } from '../../../support/engine.ts';
import { plainPicture, sample } from '../../../support/pictures.ts';
import { animation } from '../formats/pictures.ts';

type File = Uint8Array<ArrayBuffer>;

const fast = { format: 'auto', quality: 70 } as const;

function choosing(types: readonly OutputType[], wanted: Partial<OptimizeOptions> = {}) {
  return { ...fast, ...wanted, among: new Set(types) };
}

async function fileOf(picture: Sharp): Promise<File> {
  return Uint8Array.from(await picture.toBuffer());
}

const photo = async () => fileOf(sharp(await sample('photo.jpg')).resize(160));
const logo = async () => fileOf(sharp(await sample('logo.png')).resize(120));

describe('a type that is chosen among some', () => {
  it('is the one that takes the fewest bytes', { tags: 'slow' }, async () => {
    for (const file of [await photo(), await logo()]) {
      const types = ['png', 'webp', 'avif'] as const;
      const lengths = types.map((type) => {
        const { bytes } = optimize(file, { quality: 70, format: type });
        return [type, bytes.length] as const;
      });
      const [[type, length] = []] = lengths.toSorted((a, b) => a[1] - b[1]);
      const chosen = optimize(file, choosing(types));
      expect([chosen.type, chosen.bytes.length]).toEqual([type, length]);
    }
  });

  it('need not be that of the source, nor one that is accepted', { tags: 'slow' }, async () => {
    const accept = new Set(['avif'] as const);
    expect(optimize(await photo(), choosing(['png'], { accept })).type).toBe('png');
    expect(optimize(await photo(), choosing(['webp', 'png'])).type).toBe('webp');
  });

  it('is made of the file as when it is kept, where it is that of the source', {
    tags: 'slow',
  }, async () => {
    for (const file of [await photo(), await logo()]) {
      const kept = optimize(file, { quality: 70 });
      const chosen = optimize(file, choosing([kept.type as OutputType]));
      expect(chosen).toEqual(kept);
      expect(chosen.bytes.length).toBeLessThan(file.length);
    }
  });

  it('is never one that cannot be what the picture is', { tags: 'slow' }, async () => {
    expect(optimize(await logo(), choosing(['jpeg', 'webp'])).type).toBe('webp');
    expect(optimize(await logo(), choosing(['webp', 'jpeg'])).type).toBe('webp');
    expect(optimize(await logo(), choosing(['jpeg', 'jxl', 'gif', 'png'])).type).toBe('png');
    const wide = await fileOf(plainPicture(17_000, 4).png());
    expect(optimize(wide, choosing(['webp', 'avif', 'jpeg'])).type).not.toBe('webp');
  });

  it('is an opaque one for a transparent picture that is laid on a background', async () => {
    const background = [255, 255, 255] as const;
    expect(optimize(await logo(), choosing(['jpeg'], { background })).type).toBe('jpeg');
  });

  it('is refused with the reason where none is left', async () => {
    const refused = (file: File, types: readonly OutputType[]) => {
      const made = answerTo(file, choosing(types));
      return made instanceof ImageError ? [made.code, made.detail] : made;
    };
    expect(refused(await logo(), ['jpeg'])).toEqual([
      'invalid_options',
      expect.stringMatching(/transp/),
    ]);
    expect(refused(await logo(), ['jxl'])).toEqual([
      'invalid_options',
      expect.stringMatching(/JPEG/),
    ]);
    const wide = await fileOf(plainPicture(17_000, 4).png());
    expect(refused(wide, ['webp'])).toEqual(['invalid_options', expect.stringMatching(/16383/)]);
  });

  it('can be found for a target and within a limit of bytes', { tags: 'slow' }, async () => {
    const open = optimize(await logo(), choosing(['jpeg', 'webp'], { quality: 'auto' }));
    expect(open.type).toBe('webp');
    const within = choosing(['jpeg', 'webp'], { quality: 'auto', maxBytes: 4200 });
    const short = optimize(await logo(), within);
    expect(short.type).toBe('webp');
    expect(short.bytes.length).toBeLessThanOrEqual(4200);
  });
});

describe('a type that is chosen for an animation', () => {
  const moving = () => fileOf(animation().gif());

  it('is one that moves', { tags: 'slow' }, async () => {
    expect(optimize(await moving(), choosing(['jpeg', 'avif', 'webp'])).type).toBe('webp');
    expect(optimize(await moving(), choosing(['jpeg', 'gif'])).type).toBe('gif');
  });

  it('is refused where none moves', async () => {
    const made = answerTo(await moving(), choosing(['jpeg', 'avif']));
    expect(made).toMatchObject({ code: 'invalid_image' });
  });

  it('may be any for its first picture', async () => {
    const first = choosing(['jpeg', 'png'], { animation: 'first' });
    expect(['jpeg', 'png']).toContain(optimize(await moving(), first).type);
  });
});
