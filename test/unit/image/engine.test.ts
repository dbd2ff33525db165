import sharp, { type Sharp } from 'sharp';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import {
  ImageError,
  ledger,
  optimize as optimizeInSlices,
  plan,
} from '../../../src/image/engine.ts';
import { itForEach } from '../../support/each.ts';
import { answerTo, optimize } from '../../support/engine.ts';
import { largeProfile, withPngProfile } from '../../support/icc.ts';
import { plainPicture, sample } from '../../support/pictures.ts';

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
    expect(work.start().finish().bytes).toEqual(optimize(photo, { format: 'webp' }).bytes);
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
    ['a grey JPEG', () => picture.clone().toColourspace('b-w').jpeg({ quality: 95 })],
    ['a CMYK JPEG', () => picture.clone().toColourspace('cmyk').jpeg()],
    ['a progressive JPEG', () => picture.clone().jpeg({ quality: 95, progressive: true })],
    ['a PNG of 16 bits', () => picture.clone().toColourspace('rgb16').png()],
    ['a PNG with a palette', () => picture.clone().png({ palette: true })],
    ['a transparent WebP', () => picture.clone().ensureAlpha(0.5).webp({ lossless: true })],
    ['an AVIF', () => picture.clone().avif({ effort: 0 })],
    ['a GIF', () => picture.clone().gif()],
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

describe('work in slices', () => {
  const webp = { format: 'webp', target: 77 } as const;
  const coarse = { quality: 50 } as const;
  let large: Uint8Array<ArrayBuffer>;
  let small: Uint8Array<ArrayBuffer>;
  beforeAll(async () => {
    const reduced = sharp(await sample('photo.jpg')).resize(240);
    small = Uint8Array.from(await reduced.jpeg({ quality: 90 }).toBuffer());
    large = Uint8Array.from(await plainPicture(480, 360).jpeg({ quality: 95 }).toBuffer());
  });

  it('comes to the same as at once, also if others wait for it', async () => {
    const before = large.slice();
    const made = await Promise.all(
      [webp, coarse].map((options) => optimizeInSlices(large, options)),
    );
    expect(made).toEqual([webp, coarse].map((options) => optimize(large, options)));
    expect(large).toEqual(before);
  });

  it('lets other things happen, and tells how far it is, from the first slice to the end', async () => {
    const shares: number[] = [];
    let turns = 0;
    const other = setInterval(() => {
      turns += 1;
    });
    await optimizeInSlices(large, webp, { onProgress: (share) => shares.push(share) });
    clearInterval(other);
    expect(turns).toBeGreaterThan(1);
    expect(shares.length).toBeGreaterThan(3);
    expect(shares[0]).toBeGreaterThan(0);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(shares.filter((share) => share >= 1)).toEqual([1]);
  });

  it('ends at a pause for the reason of a signal, and the next image has its turn', async () => {
    const stop = new AbortController();
    const onProgress = vi.fn(() => stop.abort(new Error('enough')));
    const ended = optimizeInSlices(large, webp, { signal: stop.signal, onProgress });
    const next = optimizeInSlices(large, coarse);
    await expect(ended).rejects.toThrow('enough');
    expect(onProgress).toHaveBeenCalledTimes(1);
    expect((await next).bytes).toEqual(optimize(large, coarse).bytes);
    await expect(optimizeInSlices(large, webp, stop)).rejects.toThrow('enough');
  });

  it('waits no longer for its turn when a signal ends that', async () => {
    const order: string[] = [];
    const stop = new AbortController();
    const first = optimizeInSlices(large, webp).then(() => order.push('first'));
    const second = optimizeInSlices(large, webp, stop).catch((reason) =>
      order.push(reason.message),
    );
    const third = optimizeInSlices(photo).then(() => order.push('third'));
    stop.abort(new Error('second'));
    await Promise.all([first, second, third]);
    expect(order).toEqual(['second', 'first', 'third']);
  });

  it('throws an ImageError, whether headers or pixels are broken, and the next image has its turn', async () => {
    const cut = large.slice(0, large.length / 2);
    for (const [file, code] of [
      [new Uint8Array(40), 'unsupported_media_type'],
      [cut, 'invalid_image'],
    ] as const) {
      const error = await optimizeInSlices(file, webp).catch((reason) => reason);
      expect(error).toBeInstanceOf(ImageError);
      expect(error).toHaveProperty('code', code);
    }
    expect(await optimizeInSlices(photo)).toEqual(optimize(photo));
  });

  it('gives back its memory, however it ends', () => {
    const free = () => ledger.freeBeside({ arena: 0, buffers: 0 });
    const work = plan(large, webp);
    work.start().finish();
    // The arenas have grown, and stay.
    const before = free();
    for (const slices of [0, 1, 4]) {
      const running = work.start();
      for (let i = 0; i < slices; i += 1) expect(running.next()).toBeNull();
      running.end();
      expect(free()).toBe(before);
    }
    expect(work.start().finish().bytes).toEqual(optimize(large, webp).bytes);
  });

  const formats = ['keep', 'png', 'webp', 'avif', 'jxl'] as const;
  it.each(formats)('takes about the time that was predicted, in its own terms: %s', (format) => {
    const work = plan(small, { format });
    const running = work.start();
    running.finish();
    expect(running.cpuMs).toBeGreaterThan(0.5 * work.cpuMs);
    expect(running.cpuMs).toBeLessThan(3 * work.cpuMs);
  });

  it('is not disturbed by plans for other images, whose profiles may have to be inflated', async () => {
    const logo = await plainPicture(8, 8).png().toBuffer();
    const profiled = withPngProfile(logo, largeProfile(20_000));
    const expected = optimize(large, webp).bytes;
    const running = plan(large, webp).start();
    let done = running.next();
    for (; !done; done = running.next()) plan(profiled.slice());
    expect(Buffer.from(done.result.bytes).equals(expected)).toBe(true);
  });
});
