import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memoryBudget } from '../../src/image/wasm/budgets.ts';
import { expectProblem } from '../support/answers.ts';
import { plainPicture, pngOf, sample } from '../support/pictures.ts';
import { canMeasureMemory, serviceMemory } from '../support/processes.ts';
import { startTestService, type TestService } from '../support/service.ts';

const mebibyte = 1024 * 1024;

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  // The first picture links codecs and fills caches.
  const small = await plainPicture(50, 50).png().toBuffer();
  await service.optimize(Uint8Array.from(small));
});
afterAll(() => service.close());

/** The maximum increase of the Worker's resident memory during `work`, in bytes. */
async function growth(work: () => Promise<void>): Promise<number> {
  const before = serviceMemory();
  let worst = before;
  const watch = setInterval(() => {
    worst = Math.max(worst, serviceMemory());
  }, 5);
  await work();
  clearInterval(watch);
  return Math.max(worst, serviceMemory()) - before;
}

function zeros(chunks: number): ReadableStream<Uint8Array> {
  let sent = 0;
  return new ReadableStream({
    pull(controller) {
      if (sent === chunks) return controller.close();
      controller.enqueue(new Uint8Array(mebibyte));
      sent += 1;
    },
  });
}

function send(body: BodyInit): Promise<Response> {
  return service.fetch('/v1/optimize', {
    method: 'POST',
    headers: { Authorization: `Bearer ${service.key}` },
    body,
    duplex: 'half',
  } as RequestInit);
}

describe.runIf(canMeasureMemory)('a body of 40 MiB', () => {
  it('that says so is refused without being held', async () => {
    const body = new Uint8Array(40 * mebibyte);
    const grown = await growth(async () => {
      const problem = await expectProblem(await send(body), 'body_too_large');
      expect(problem.limit_bytes).toBe(32 * mebibyte);
    });
    expect(grown).toBeLessThan(16 * mebibyte);
  });

  it('that does not say so is cut off at 32 MiB', async () => {
    await expectProblem(await send(zeros(40)), 'body_too_large');
  });

  it('in a form is refused as well', async () => {
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(40 * mebibyte)]), 'a.jpg');
    await expectProblem(await send(form), 'body_too_large');
  });
});

describe('a picture beyond the memory budget', () => {
  it('is refused by its header, with numbers', async () => {
    const problem = await expectProblem(
      await service.optimize(pngOf(60_000, 60_000, Buffer.alloc(0))),
      'image_too_large',
    );
    expect(problem).toMatchObject({ width: 60_000, height: 60_000 });
    expect(problem.limit_pixels).toBeGreaterThan(1_000_000);
    expect(problem.limit_pixels).toBeLessThanOrEqual(120_000_000);
  });

  it.runIf(canMeasureMemory)(
    'a progressive photo of 99 megapixels that would become an AVIF does not move the memory',
    { tags: 'slow' },
    async () => {
      const coding = { quality: 95, progressive: true };
      const photo = await plainPicture(11_000, 9000).jpeg(coding).toBuffer();
      const grown = await growth(async () => {
        const response = await service.optimize(Uint8Array.from(photo), '?format=avif');
        const problem = await expectProblem(response, 'image_too_large');
        expect(problem).toMatchObject({ width: 11_000, height: 9000 });
        expect(problem.limit_pixels).toBeLessThan(11_000 * 9000);
        expect(problem.detail).toContain('keep its format');
      });
      expect(grown).toBeLessThan(3 * photo.length + 16 * mebibyte);
    },
  );

  it.runIf(canMeasureMemory)(
    'photos of 12 and 24 megapixels become a WebP within the budget',
    { tags: 'slow' },
    async () => {
      const of = (width: number, height: number) =>
        sample('photo.jpg').then((file) => sharp(file).resize(width, height, { fit: 'fill' }));
      const photos = [
        await (await of(4032, 3024))
          .jpeg({ quality: 92 })
          .withMetadata({ orientation: 6 })
          .toBuffer(),
        await (await of(4032, 3024)).png({ compressionLevel: 1 }).toBuffer(),
        await (await of(6000, 4000)).jpeg({ quality: 92 }).toBuffer(),
        await (await of(6000, 4000)).webp({ quality: 92, effort: 0 }).toBuffer(),
      ];
      const grown = await growth(async () => {
        for (const photo of photos) {
          const response = await service.optimize(Uint8Array.from(photo), '?format=webp');
          const answer = Buffer.from(await response.arrayBuffer());
          expect(response.status, answer.toString('latin1', 0, 400)).toBe(200);
          expect(response.headers.get('content-type')).toBe('image/webp');
          const { autoOrient } = await sharp(photo).metadata();
          const shown = (await sharp(answer).metadata()).autoOrient;
          expect(shown).toEqual(autoOrient);
        }
      });
      expect(grown).toBeLessThan(memoryBudget);
    },
  );

  it.runIf(canMeasureMemory)(
    'a photo of 12 megapixels becomes an AVIF within the budget',
    { tags: 'slow', timeout: 120_000 },
    async () => {
      const photo = await sharp(await sample('photo.jpg'))
        .resize(4032, 3024, { fit: 'fill' })
        .jpeg({ quality: 92 })
        .toBuffer();
      const grown = await growth(async () => {
        const response = await service.optimize(Uint8Array.from(photo), '?format=avif');
        const answer = Buffer.from(await response.arrayBuffer());
        expect(response.status, answer.toString('latin1', 0, 400)).toBe(200);
        expect(await sharp(answer).metadata()).toMatchObject({ width: 4032, height: 3024 });
      });
      expect(grown).toBeLessThan(memoryBudget);
    },
  );

  it.runIf(canMeasureMemory)(
    'a photo of 12 megapixels is reduced within the budget',
    { tags: 'slow' },
    async () => {
      const photo = await sharp(await sample('photo.jpg'))
        .resize(4032, 3024, { fit: 'fill' })
        .jpeg({ quality: 92 })
        .toBuffer();
      const grown = await growth(async () => {
        for (const query of ['?format=webp&width=800', '?width=1200', '?format=avif&width=400']) {
          const response = await service.optimize(Uint8Array.from(photo), query);
          const answer = Buffer.from(await response.arrayBuffer());
          expect(response.status, answer.toString('latin1', 0, 400)).toBe(200);
          const width = Number(new URLSearchParams(query).get('width'));
          expect((await sharp(answer).metadata()).width).toBe(width);
        }
      });
      // The arena, which stays, and the additional memory of the work.
      expect(grown).toBeLessThan(memoryBudget);
    },
  );

  it.runIf(canMeasureMemory)(
    'a photo of 24 megapixels keeps its size within the budget',
    { tags: 'slow' },
    async () => {
      const large = sharp(await sample('photo.jpg')).resize(6000, 4000, { fit: 'fill' });
      const photos = [
        await large.clone().jpeg({ quality: 92 }).toBuffer(),
        await large.clone().jpeg({ quality: 92, progressive: true }).toBuffer(),
      ];
      const grown = await growth(async () => {
        for (const photo of photos) {
          for (const quality of ['auto', 'lossless']) {
            const response = await service.optimize(Uint8Array.from(photo), `?quality=${quality}`);
            const answer = Buffer.from(await response.arrayBuffer());
            expect(response.status, answer.toString('latin1', 0, 400)).toBe(200);
            const { format, width, height } = await sharp(answer).metadata();
            expect({ format, width, height }).toEqual({
              format: 'jpeg',
              width: 6000,
              height: 4000,
            });
            expect(answer.length).toBeLessThanOrEqual(photo.length);
          }
        }
      });
      expect(grown).toBeLessThan(memoryBudget);
    },
  );

  it.runIf(canMeasureMemory)(
    'a photo of 10 megapixels flows into another format, and no raster of it is ever there',
    { tags: 'slow', timeout: 120_000 },
    async () => {
      const size = { width: 3656, height: 2742 };
      const photo = sharp(await sample('photo.jpg')).resize(size.width, size.height, {
        fit: 'fill',
      });
      const ways = [
        { file: await photo.clone().jpeg({ quality: 85 }).toBuffer(), format: 'png' },
        { file: await photo.clone().webp({ quality: 80, effort: 0 }).toBuffer(), format: 'jpeg' },
        { file: await photo.clone().png({ compressionLevel: 3 }).toBuffer(), format: 'jpeg' },
      ];
      for (const { file, format } of ways) {
        let resultBytes = 0;
        const grown = await growth(async () => {
          const response = await service.optimize(Uint8Array.from(file), `?format=${format}`);
          const answer = Buffer.from(await response.arrayBuffer());
          expect(response.status, answer.toString('latin1', 0, 400)).toBe(200);
          expect(await sharp(answer).metadata()).toMatchObject({ ...size, format });
          resultBytes = answer.length;
        });
        // workerd holds a response in transit twice; a raster alone would be 38 MiB.
        expect(grown).toBeLessThan(2 * file.length + 2 * resultBytes + 30 * mebibyte);
      }
    },
  );

  it('just within the stated limit goes through', { tags: 'slow', timeout: 120_000 }, async () => {
    // All coefficients of a progressive JPEG are held; the encoder takes rows.
    const [wide, high] = [8000, 5400];
    const progressive = true;
    const huge = await sharp(await sample('photo.jpg'))
      .resize(wide, high, { fit: 'fill' })
      .jpeg({ quality: 92, progressive })
      .toBuffer();
    const query = '?format=webp&quality=75';
    const refused = await service.optimize(Uint8Array.from(huge), query);
    const problem = await expectProblem(refused, 'image_too_large');
    // A little less, because the file itself counts and differs.
    const scale = Math.sqrt((0.98 * Number(problem.limit_pixels)) / (wide * high));
    const [width, height] = [Math.floor(wide * scale), Math.floor(high * scale)];
    const large = await sharp(huge)
      .resize(width, height, { fit: 'fill' })
      .jpeg({ quality: 92, progressive })
      .toBuffer();
    const response = await service.optimize(Uint8Array.from(large), query);
    const answer = Buffer.from(await response.arrayBuffer());
    expect(response.status, answer.toString('latin1', 0, 400)).toBe(200);
  });
});
