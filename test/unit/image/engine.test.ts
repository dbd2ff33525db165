import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { ImageError, optimize, plan } from '../../../src/image/engine.ts';
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
});
