import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeGif } from '../support/animations/gif-maker.ts';
import { movingBall } from '../support/animations/moving-ball.ts';
import { expectPicture, expectProblem } from '../support/answers.ts';
import { plainPicture } from '../support/pictures.ts';
import { sharedTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await sharedTestService();
});
afterAll(() => service.close());

/** The RGBA pixels of a still image. */
function stillPixels(file: Buffer): Promise<Buffer> {
  return sharp(file).ensureAlpha().raw().toBuffer();
}

describe('a still GIF', () => {
  const size = { width: 120, height: 80 };
  const pixel = (i: number) => ((i % size.width) >> 3) & 15;
  const palette = Array.from({ length: 16 }, (_, i) => [15 * i, 255 - 12 * i, 8 * i] as const);
  const gif = Uint8Array.from(
    makeGif({
      ...{ ...size, palette, comment: 'made by a test '.repeat(20) },
      frames: [
        {
          region: { left: 0, top: 0, ...size },
          indices: Uint8Array.from({ length: size.width * size.height }, (_, i) => pixel(i)),
          lzw: { blockBytes: 7 },
        },
      ],
    }),
  );
  const pixels = Buffer.from(
    Array.from({ length: size.width * size.height }, (_, i) => [
      ...(palette[pixel(i)] ?? [0, 0, 0]),
      255,
    ]).flat(),
  );

  it('stays the smallest GIF', async () => {
    for (const query of ['', '?quality=lossless', '?format=gif']) {
      const response = await service.optimize(gif, query);
      const result = await expectPicture(response);
      expect(response.headers.get('Content-Type')).toBe('image/gif');
      expect(response.headers.get('Image-Optimized')).toBe('true');
      expect(response.headers.has('Image-Frames')).toBe(false);
      expect(await stillPixels(result)).toEqual(pixels);
    }
  });

  it.each(['png', 'webp', 'avif'])('becomes a %s with the same pixels', async (format) => {
    const response = await service.optimize(gif, `?format=${format}&quality=lossless`);
    expect(await stillPixels(await expectPicture(response))).toEqual(pixels);
  });

  it('becomes a JPEG, and what format=auto finds smallest', { tags: 'slow' }, async () => {
    const jpeg = await expectPicture(await service.optimize(gif, '?format=jpeg'));
    expect((await sharp(jpeg).metadata()).format).toBe('jpeg');
    await expectPicture(await service.optimize(gif, '?format=auto'));
  });

  it('is reduced', async () => {
    const { width, format } = await sharp(
      await expectPicture(await service.optimize(gif, '?width=60')),
    ).metadata();
    expect({ width, format }).toEqual({ width: 60, format: 'gif' });
  });
});

describe('an animation of a single frame', () => {
  it('has no other frames to be told of, and becomes a still image in any format', async () => {
    const single = await movingBall('webp', { durations: [100] });
    const kept = await service.optimize(single.file);
    await expectPicture(kept);
    expect(kept.headers.get('Content-Type')).toBe('image/webp');
    expect(kept.headers.has('Image-Frames')).toBe(false);
    const jpeg = await service.optimize(single.file, '?format=jpeg&background=%23ffffff');
    await expectPicture(jpeg);
    expect(jpeg.headers.get('Content-Type')).toBe('image/jpeg');
    expect(jpeg.headers.get('Image-Width')).toBe('96');
  });
});

describe('a still image in another format', () => {
  it('does not become a GIF', async () => {
    for (const format of ['jpeg', 'png', 'webp', 'avif'] as const) {
      const file = Uint8Array.from(await plainPicture(40, 30).toFormat(format).toBuffer());
      for (const query of ['?format=gif', '?format=gif&width=20', '?format=gif&animation=first']) {
        const { detail } = await expectProblem(
          await service.optimize(file, query),
          'invalid_options',
        );
        expect(detail).toMatch(/^Only animations become GIF/);
      }
    }
  });

  it('does not care about the option for animations', async () => {
    const file = Uint8Array.from(await plainPicture(40, 30).png().toBuffer());
    const results = ['', '?animation=keep', '?animation=first'].map(async (query) => {
      const response = await service.optimize(file, query);
      expect(response.headers.has('Image-Frames')).toBe(false);
      return expectPicture(response);
    });
    const [one, ...others] = await Promise.all(results);
    for (const other of others) expect(other).toEqual(one);
    const problem = await expectProblem(
      await service.optimize(file, '?animation=last'),
      'invalid_options',
    );
    expect(problem.detail).toBe('Option "animation": should be keep or first.');
  });
});

describe('types that we do not read', () => {
  it.each([
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>')],
    ['HEIC', Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1')],
  ])('%s is refused by name', async (name, file) => {
    const problem = await expectProblem(await service.optimize(file), 'unsupported_media_type');
    expect(problem.supported).toEqual([
      ...['image/jpeg', 'image/png', 'image/webp', 'image/avif', 'image/gif'],
    ]);
    expect(problem.detail).toContain(name);
  });

  it('a GIF without an image is broken', async () => {
    const empty = Buffer.from('GIF89a\x01\0\x01\0\0\0\0;', 'latin1');
    await expectProblem(await service.optimize(empty), 'invalid_image');
  });
});
