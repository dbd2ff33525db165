import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectPicture, expectProblem } from '../support/answers.ts';
import { itForEach } from '../support/each.ts';
import { sample } from '../support/pictures.ts';
import { sharedTestService, type TestService } from '../support/service.ts';
import { seenUltraHdr } from '../support/ultra-hdr.ts';
import { photoWithGainMap } from '../unit/image/formats/jpeg/photo-with-gain-map.ts';

let service: TestService;
let photo: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  service = await sharedTestService();
  photo = await photoWithGainMap({
    beside: { attributes: 'GCamera:hdrp_makernote="a secret of the camera"' },
  });
});
afterAll(() => service.close());

async function answerOf(query: string): Promise<{ hdr: string | null; file: Buffer }> {
  const response = await service.optimize(photo, query);
  const file = await expectPicture(response);
  return { hdr: response.headers.get('Image-HDR'), file };
}

describe('a photo with a gain map', () => {
  itForEach(
    [
      '',
      '?quality=60',
      '?quality=lossless',
      '?metadata=all',
      '?metadata=copyright&hdr=keep',
      '?width=300',
      '?width=100&height=100&fit=cover',
      '?format=jpeg&width=300',
    ],
    'keeps it with "%s"',
    async (query) => {
      const { hdr, file } = await answerOf(query);
      expect(hdr).toBe('gain-map');
      expect((await seenUltraHdr(file)).seenMap).not.toBeNull();
      if (!query.includes('=all')) expect(file.includes('a secret')).toBe(false);
    },
  );

  itForEach(
    [
      '?hdr=drop',
      '?hdr=drop&metadata=all',
      '?hdr=drop&width=300',
      '?format=webp',
      '?format=png&width=100',
      '?format=avif&width=100&hdr=keep',
    ],
    'loses it with "%s"',
    async (query) => {
      const { hdr, file } = await answerOf(query);
      expect(hdr).toBe('dropped');
      expect(file.includes('MPF\0')).toBe(false);
      expect(file.includes('hdr-gain-map')).toBe(false);
    },
  );

  it('is told as what format=auto chose', { tags: 'slow' }, async () => {
    const response = await service.optimize(photo, '?format=auto&width=300');
    await expectPicture(response);
    const isJpeg = response.headers.get('Content-Type') === 'image/jpeg';
    expect(response.headers.get('Image-HDR')).toBe(isJpeg ? 'gain-map' : 'dropped');
  });
});

describe('the option hdr', () => {
  it('is accepted for any picture, and nothing is told of a gain map that was not there', {
    tags: 'slow',
  }, async () => {
    for (const name of ['photo.jpg', 'logo.png']) {
      for (const query of ['?width=100', '?width=100&hdr=drop']) {
        const response = await service.optimize(await sample(name), query);
        await expectPicture(response);
        expect(response.headers.has('Image-HDR')).toBe(false);
      }
    }
  });

  it('is keep or drop', async () => {
    const response = await service.optimize(photo, '?hdr=yes');
    const { detail } = await expectProblem(response, 'invalid_options');
    expect(detail).toContain('hdr');
  });
});
