import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectPicture } from '../support/answers.ts';
import { itForEach } from '../support/each.ts';
import { plainPicture, sample, withPngChunk } from '../support/pictures.ts';
import { sharedTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await sharedTestService();
});
afterAll(() => service.close());

describe('a PNG with chunks of other programs', () => {
  it('is optimized whatever they weigh', { tags: 'slow' }, async () => {
    const picture = await sample('interface.png');
    const plain = await expectPicture(await service.optimize(picture));
    const laden = withPngChunk(picture, 'prVt', new Uint8Array(8_000_000).fill(170));
    expect(await expectPicture(await service.optimize(laden))).toEqual(plain);
  });

  it('is not refused for a wrong checksum in one of them', async () => {
    const picture = await plainPicture(60, 40).png().toBuffer();
    const laden = withPngChunk(picture, 'tEXt', Buffer.from('Comment\0none'));
    // A byte of the checksum of the chunk that follows the header.
    const at = 33 + 8 + 'Comment\0none'.length;
    laden[at] = (laden[at] ?? 0) ^ 1;
    for (const query of ['', '?format=webp', '?width=30']) {
      await expectPicture(await service.optimize(laden, query));
    }
  });
});

describe('a lossless AVIF with alpha', () => {
  /** A picture of several cells, with an opaque right half. */
  async function halfTransparent(width: number): Promise<Buffer> {
    const data = Buffer.alloc(width * 300 * 4, 255);
    for (let i = 0; i < data.length; i += 4) {
      data[i] = (i >> 4) & 255;
      if ((i / 4) % width < 100) data[i + 3] = 128;
    }
    return sharp(data, { raw: { width, height: 300, channels: 4 } })
      .png()
      .toBuffer();
  }

  itForEach(
    [500, 3600],
    'is exact, in one cell or some that are opaque: %i pixels wide',
    async (width) => {
      const picture = await halfTransparent(width);
      const query = '?format=avif&quality=lossless';
      const result = await expectPicture(await service.optimize(picture, query));
      const samples = (file: Uint8Array) => sharp(file).ensureAlpha().raw().toBuffer();
      expect((await samples(result)).equals(await samples(picture))).toBe(true);
    },
  );
});
