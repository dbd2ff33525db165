import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectPicture, expectProblem } from '../support/answers.ts';
import { plainPicture } from '../support/pictures.ts';
import { startTestService, type TestService } from '../support/service.ts';

const corpus = process.env.CORPUS ?? '';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

async function animatedWebp(): Promise<Sharp> {
  const pages = await Promise.all(
    [1, 2, 3].map((n) =>
      plainPicture(20 * n, 40)
        .resize(40, 40)
        .png()
        .toBuffer(),
    ),
  );
  return sharp(pages, { join: { animated: true } }).webp({ quality: 90 });
}

describe('an animated WebP', () => {
  it('comes back with all its frames, coded as they were', async () => {
    const animation = await (await animatedWebp()).toBuffer();
    const response = await service.optimize(animation, '?quality=10');
    const result = await expectPicture(response);
    expect(response.headers.get('Image-Reason')).toBe('animated');
    expect((await sharp(result, { animated: true }).metadata()).pages).toBe(3);
    const frames = (file: Buffer) => sharp(file, { animated: true }).raw().toBuffer();
    expect(await frames(result)).toEqual(await frames(animation));
  });

  it('loses its metadata, or keeps what is asked for', async () => {
    const tagged = await (await animatedWebp())
      .withExif({ IFD0: { Artist: 'Ada Lovelace', Software: 'Engine' } })
      .toBuffer();
    const exif = async (query: string) => {
      const result = await expectPicture(await service.optimize(tagged, query));
      const metadata = await sharp(result, { animated: true }).metadata();
      expect(metadata.pages).toBe(3);
      return metadata.exif?.toString('latin1') ?? '';
    };
    expect(await exif('')).toBe('');
    expect(await exif('?metadata=copyright')).toMatch(/^(?!.*Engine).*Ada Lovelace/s);
    expect(await exif('?metadata=all')).toMatch(/Engine/);
  });

  it('is never flattened', async () => {
    const animation = await (await animatedWebp()).toBuffer();
    for (const query of ['?format=avif', '?format=png', '?width=20']) {
      const problem = await expectProblem(
        await service.optimize(animation, query),
        'invalid_image',
      );
      expect(problem.detail).toMatch(/^Animations are not/);
    }
    const own = await expectPicture(await service.optimize(animation, '?format=auto&width=4000'));
    expect((await sharp(own, { animated: true }).metadata()).pages).toBe(3);
  });
});

describe.runIf(corpus)('animations out there', () => {
  it.each(['apng', 'gif'])('%s: stay what they are or are refused', async (folder) => {
    for (const name of readdirSync(join(corpus, folder))) {
      const file = readFileSync(join(corpus, folder, name));
      for (const query of ['', '?format=auto', '?format=webp', '?width=1']) {
        const response = await service.optimize(Uint8Array.from(file), query);
        if (folder === 'gif') {
          const problem = await expectProblem(response, 'unsupported_media_type');
          expect(problem.supported).toEqual([
            'image/jpeg',
            'image/png',
            'image/webp',
            'image/avif',
          ]);
        } else if (query === '' || query === '?format=auto') {
          const result = await expectPicture(response);
          expect(result.includes('acTL'), name).toBe(true);
          expect(frameCount(result), name).toBe(frameCount(file));
        } else {
          await expectProblem(response, 'invalid_image');
        }
      }
    }
  });

  /** How often the chunk that begins a frame occurs. */
  function frameCount(file: Buffer): number {
    return file.toString('latin1').split('fcTL').length - 1;
  }
});

describe('types that we do not read', () => {
  it.each([
    ['GIF', Buffer.from('GIF89a\x01\0\x01\0\0\0\0;', 'latin1')],
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>')],
    ['HEIC', Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1')],
  ])('%s is refused by name', async (name, file) => {
    const problem = await expectProblem(await service.optimize(file), 'unsupported_media_type');
    expect(problem.supported).toEqual(['image/jpeg', 'image/png', 'image/webp', 'image/avif']);
    expect(problem.detail).toContain(name);
  });
});
