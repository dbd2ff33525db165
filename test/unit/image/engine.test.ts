import sharp, { type Sharp } from 'sharp';
import { describe, expect, it } from 'vitest';
import { ImageError, optimize, plan } from '../../../src/image/engine.ts';
import { itForEach } from '../../support/each.ts';
import { answerTo } from '../../support/engine.ts';
import { plainPicture } from '../../support/pictures.ts';

const photo = Uint8Array.from(await plainPicture(64, 48).jpeg({ quality: 95 }).toBuffer());

/** The error for which an image is not optimized. */
function errorOf(work: () => unknown): ImageError {
  try {
    work();
  } catch (error) {
    if (error instanceof ImageError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('the engine', () => {
  it('returns an image with all that is known about it', async () => {
    const made = optimize(photo, { format: 'webp', width: 32 });
    expect(made).toMatchObject({
      ...{ type: 'webp', mediaType: 'image/webp', extension: 'webp' },
      ...{ width: 32, height: 24, frames: 1, optimized: true, reason: null, hdr: null },
    });
    const { format, width } = await sharp(made.bytes).metadata();
    expect([format, width]).toEqual(['webp', 32]);
  });

  it('plans first, which decodes nothing, and leaves the file as it is', () => {
    const before = photo.slice();
    const work = plan(photo, { format: 'webp' });
    expect(work).toMatchObject({ inputType: 'jpeg', inputBytes: photo.length });
    expect(work.inputSize).toMatchObject({ width: 64, height: 48 });
    expect(work.cpuMs).toBeGreaterThan(0);
    expect(work.totalPeak(photo.length)).toBeGreaterThan(work.peak.arena);
    expect(work.run().bytes).toEqual(optimize(photo, { format: 'webp' }).bytes);
    expect(photo).toEqual(before);
  });

  it('says why a result is not smaller', () => {
    const { bytes } = optimize(photo, { quality: 40 });
    expect(optimize(bytes)).toMatchObject({ optimized: false, reason: 'already-optimal' });
    const larger = optimize(bytes, { format: 'png' });
    expect(larger).toMatchObject({ optimized: false, reason: 'larger-format' });
  });

  it('throws nothing but an ImageError, which tells the type of the file if it has one', () => {
    const unknown = errorOf(() => optimize(new Uint8Array(40)));
    expect([unknown.code, unknown.inputType]).toEqual(['unsupported_media_type', null]);
    expect(unknown.members).toHaveProperty('supported');
    const cut = errorOf(() => optimize(photo.slice(0, photo.length / 2), { format: 'png' }));
    expect([cut.code, cut.inputType]).toEqual(['invalid_image', 'jpeg']);
    const short = errorOf(() => optimize(photo, { maxBytes: 20 }));
    expect([short.code, short.inputType]).toEqual(['max_bytes_unreachable', 'jpeg']);
    expect(short.members.smallest_bytes).toBeGreaterThan(20);
    expect(short.detail).toContain('takes at least');
  });

  const picture = plainPicture(80, 60);
  const kinds: readonly (readonly [string, () => Sharp])[] = [
    ['a CMYK JPEG', () => picture.clone().toColourspace('cmyk').jpeg()],
    ['a grey JPEG', () => picture.clone().toColourspace('b-w').jpeg({ quality: 95 })],
    ['a progressive JPEG', () => picture.clone().jpeg({ quality: 95, progressive: true })],
    ['a PNG of 16 bits', () => picture.clone().toColourspace('rgb16').png()],
    ['a PNG with a palette', () => picture.clone().png({ palette: true })],
    ['a transparent WebP', () => picture.clone().ensureAlpha(0.5).webp({ lossless: true })],
    ['a GIF', () => picture.clone().gif()],
    ['an AVIF', () => picture.clone().avif({ effort: 0 })],
  ];
  itForEach(kinds, 'does that for every goal, of %s', async (_, make) => {
    const source = Uint8Array.from(await make().toBuffer());
    for (const target of [null, 70]) {
      for (const maxBytes of [null, 300, 500_000]) {
        for (const format of ['keep', 'auto', 'jxl'] as const) {
          const answer = answerTo(source, { target, maxBytes, format });
          if (answer instanceof ImageError) expect(answer.detail).toMatch(/^[A-Z].*\.$/s);
          else if (maxBytes !== null) expect(answer.bytes.length).toBeLessThanOrEqual(maxBytes);
        }
      }
    }
  });
});
