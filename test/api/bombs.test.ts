import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../support/answers.ts';
import { plainPicture, pngOf, withPngChunk } from '../support/pictures.ts';
import { canMeasureMemory, serviceMemory } from '../support/processes.ts';
import { startTestService, type TestService } from '../support/service.ts';

const mebibyte = 1024 * 1024;

let service: TestService;
let inflating: Buffer;
beforeAll(async () => {
  service = await startTestService();
  inflating = deflateSync(Buffer.alloc(256 * mebibyte), { level: 9 });
  const small = await plainPicture(50, 50).png().toBuffer();
  for (const query of ['', '?format=webp', '?metadata=all']) await service.optimize(small, query);
});
afterAll(() => service.close());

const queries = [
  '',
  '?format=webp',
  '?format=jpeg&width=100',
  '?metadata=all',
  '?quality=lossless',
];

/**
 * Sends a bomb with all kinds of options, and returns the status of each response. Memory must stay nearly constant:
 * uncollected garbage of one picture is allowed, 256 MiB are not.
 */
async function statuses(file: Uint8Array): Promise<number[]> {
  const before = canMeasureMemory ? serviceMemory() : 0;
  const answers: number[] = [];
  for (const query of queries) {
    const response = await service.optimize(Uint8Array.from(file), query);
    await response.arrayBuffer();
    answers.push(response.status);
  }
  const grown = canMeasureMemory ? serviceMemory() - before : 0;
  expect(grown).toBeLessThan(48 * mebibyte);
  return answers;
}

describe('a file that unpacks to 256 MiB', () => {
  it('in its picture data is left at its last row', { tags: 'slow' }, async () => {
    const bomb = pngOf(64, 64, inflating);
    expect(await statuses(bomb)).toEqual(queries.map((query) => (/jpeg/.test(query) ? 400 : 200)));
  });

  it.each([
    ['iCCP', 'icc\0\0'],
    ['zTXt', 'Raw profile type exif\0\0'],
    ['iTXt', 'XML:com.adobe.xmp\0\x01\0\0\0'],
  ])('in a %s chunk is refused', async (type, head) => {
    const plain = await plainPicture(64, 64).png().toBuffer();
    const bomb = withPngChunk(plain, type, Buffer.concat([Buffer.from(head, 'latin1'), inflating]));
    expect(await statuses(bomb)).toEqual(queries.map(() => 422));
  });
});

describe('a file that states a size beyond all bounds', () => {
  it('as PNG of 100000 × 100000 is too large', async () => {
    const bomb = pngOf(100_000, 100_000, deflateSync(Buffer.alloc(1000)));
    const problem = await expectProblem(await service.optimize(bomb), 'image_too_large');
    expect(problem).toMatchObject({ width: 100_000, height: 100_000 });
    expect(await statuses(bomb)).toEqual([413, 400, 413, 413, 413]);
  });

  it('as WebP of 28 bytes and 16383 × 16383 is too large or broken', async () => {
    const vp8l = Buffer.from([0x2f, 0xfe, 0xbf, 0xff, 0x0f]);
    const bomb = Buffer.alloc(28);
    bomb.write('RIFF', 0, 'latin1');
    bomb.writeUInt32LE(20, 4);
    bomb.write('WEBPVP8L', 8, 'latin1');
    bomb.writeUInt32LE(8, 16);
    bomb.set(vp8l, 20);
    const problem = await expectProblem(await service.optimize(bomb), 'image_too_large');
    expect(problem).toMatchObject({ width: 16_383, height: 16_383 });
    expect(await statuses(bomb)).toEqual(queries.map(() => 413));
  });

  it('as AVIF of 17000 × 17000 is too large', { tags: 'slow' }, async () => {
    const avif = await plainPicture(64, 64).avif().toBuffer();
    const at = avif.indexOf('ispe') + 8;
    avif.writeUInt32BE(17_000, at);
    avif.writeUInt32BE(17_000, at + 4);
    const problem = await expectProblem(await service.optimize(avif), 'image_too_large');
    expect(problem).toMatchObject({ width: 17_000, height: 17_000 });
    expect(new Set(await statuses(avif))).toEqual(new Set([400, 413]));
  });

  it('as JPEG of 65500 × 65500 is too large', async () => {
    const jpeg = await plainPicture(64, 64).jpeg().toBuffer();
    const at = jpeg.indexOf(Buffer.from([0xff, 0xc0])) + 5;
    jpeg.writeUInt16BE(65_500, at);
    jpeg.writeUInt16BE(65_500, at + 2);
    expect(new Set(await statuses(jpeg))).toEqual(new Set([400, 413]));
  });
});
