import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { movingBall } from '../support/animations/moving-ball.ts';
import { expectPicture, expectProblem } from '../support/answers.ts';
import { colorSamplings, type Factors } from '../support/jpeg-maker/content.ts';
import { makeJpeg } from '../support/jpeg-maker/jpeg-maker.ts';
import { jxlBoxes, jxlHeaders } from '../support/jxl-headers.ts';
import { plainPicture, sample } from '../support/pictures.ts';
import { sharedTestService, type TestService } from '../support/service.ts';
import { photoWithGainMap } from '../unit/image/formats/jpeg/photo-with-gain-map.ts';

let service: TestService;
beforeAll(async () => {
  service = await sharedTestService();
});
afterAll(() => service.close());

/** Checks the headers of a response, and returns its file. */
async function expectJxl(response: Response): Promise<Buffer> {
  const body = Buffer.from(await response.arrayBuffer());
  expect(response.status, body.toString('latin1', 0, 300)).toBe(200);
  const { headers } = response;
  expect(headers.get('Content-Type')).toBe('image/jxl');
  expect(headers.get('Content-Disposition')).toContain('.jxl"');
  expect(headers.get('Content-Length')).toBe(String(body.length));
  expect(headers.get('Image-Output-Bytes')).toBe(String(body.length));
  const { width, height, orientation } = jxlHeaders(body);
  const upright = orientation > 4 ? [height, width] : [width, height];
  const told = ['Image-Width', 'Image-Height'].map((name) => Number(headers.get(name)));
  expect(told).toEqual(upright);
  return body;
}

describe('format=jxl', () => {
  it('makes a JPEG smaller than a JPEG that looks as good', async () => {
    const photo = await sample('photo.jpg');
    const jxl = await service.optimize(photo, '?format=jxl');
    const body = await expectJxl(jxl);
    const jpeg = await expectPicture(await service.optimize(photo));
    expect(body.length).toBeLessThan(0.95 * jpeg.length);
    expect(Math.abs(Number(jxl.headers.get('Image-Score')) - 77)).toBeLessThan(2);
    expect(jxl.headers.has('Image-Smaller-As')).toBe(false);
  });

  it.each<[string, string]>([
    ['quality=60', '60'],
    ['quality=lossless', 'lossless'],
    ['quality=100', 'lossless'],
  ])('takes %s', async (query, quality) => {
    const photo = await sample('photo.jpg');
    const response = await service.optimize(photo, `?format=jxl&${query}`);
    expect((await expectJxl(response)).length).toBeLessThan(0.95 * photo.length);
    expect(response.headers.get('Image-Quality')).toBe(quality);
    expect(response.headers.has('Image-Score')).toBe(false);
  });

  it('keeps within max_bytes, and tells the score', { tags: 'slow' }, async () => {
    const response = await service.optimize(
      await sample('photo.jpg'),
      '?format=jxl&max_bytes=60000',
    );
    const { length } = await expectJxl(response);
    expect(length).toBeLessThanOrEqual(60_000);
    expect(length).toBeGreaterThan(0.88 * 60_000);
    expect(Number(response.headers.get('Image-Score'))).toBeGreaterThan(40);
  });

  it('reduces', async () => {
    const photo = await sample('photo.jpg');
    const response = await service.optimize(photo, '?format=jxl&width=400&height=400&fit=cover');
    expect(jxlHeaders(await expectJxl(response))).toMatchObject({ width: 400, height: 400 });
    await expectProblem(
      await service.optimize(photo, '?format=jxl&width=400&quality=lossless'),
      'invalid_options',
    );
  });

  it('keeps the orientation in its own size, and turns what is reduced', async () => {
    const turned = await plainPicture(120, 80).jpeg().withMetadata({ orientation: 6 }).toBuffer();
    const kept = await expectJxl(await service.optimize(turned, '?format=jxl&quality=lossless'));
    expect(jxlHeaders(kept)).toEqual({ width: 120, height: 80, orientation: 6 });
    // No metadata from which a viewer could apply the orientation a second time.
    expect(jxlBoxes(kept)).toEqual([]);
    const reduced = await expectJxl(await service.optimize(turned, '?format=jxl&width=40'));
    expect(jxlHeaders(reduced)).toEqual({ width: 40, height: 60, orientation: 1 });
  });

  it('carries metadata as far as is asked for', async () => {
    const photo = await plainPicture(64, 48)
      .jpeg({ quality: 95 })
      .withExif({ IFD0: { Artist: 'A. Person', Software: 'a secret' } })
      .toBuffer();
    const bytesWith = async (level: string) =>
      expectJxl(await service.optimize(photo, `?format=jxl&metadata=${level}`));
    const [none, copyright, all] = await Promise.all(['none', 'copyright', 'all'].map(bytesWith));
    expect(jxlBoxes(none ?? photo)).toEqual([]);
    expect(jxlBoxes(copyright ?? photo)).toContain('Exif');
    expect([copyright, all].map((file) => file?.includes('A. Person'))).toEqual([true, true]);
    expect([copyright, all].map((file) => file?.includes('a secret'))).toEqual([false, true]);
  });

  it('drops a gain map, and says so', async () => {
    const response = await service.optimize(await photoWithGainMap(), '?format=jxl');
    await expectJxl(response);
    expect(response.headers.get('Image-HDR')).toBe('dropped');
  });

  it('is refused for images of other formats', async () => {
    const picture = plainPicture(60, 40);
    const others = [
      picture.clone().png(),
      picture.clone().webp(),
      picture.clone().avif(),
      picture.clone().gif(),
    ];
    for (const other of others) {
      const file = await other.toBuffer();
      for (const query of ['?format=jxl', '?format=jxl&width=20', '?format=jxl&animation=first']) {
        const { detail } = await expectProblem(
          await service.optimize(file, query),
          'invalid_options',
        );
        expect(detail).toContain('Only a JPEG can become JPEG XL');
      }
    }
  });

  it('is refused for animations, and for their first frames', async () => {
    const { file } = await movingBall('gif');
    const { detail } = await expectProblem(
      await service.optimize(file, '?format=jxl'),
      'invalid_image',
    );
    expect(detail).toContain('animation=first');
    await expectProblem(
      await service.optimize(file, '?format=jxl&animation=first'),
      'invalid_options',
    );
  });

  it('is refused for a JPEG that is damaged or cut short', async () => {
    const photo = await sample('photo.jpg');
    for (const query of ['?format=jxl', '?format=jxl&quality=lossless', '?format=jxl&width=200']) {
      const half = photo.slice(0, photo.length / 2);
      await expectProblem(await service.optimize(half, query), 'invalid_image');
    }
  });

  it('is not read', { tags: 'slow' }, async () => {
    const jxl = await expectJxl(await service.optimize(await sample('photo.jpg'), '?format=jxl'));
    const { detail } = await expectProblem(await service.optimize(jxl), 'unsupported_media_type');
    expect(detail).toContain('JPEG XL');
  });
});

describe('a JPEG that has no like in JPEG XL', () => {
  it.each<[string, () => Promise<Uint8Array>]>([
    ['RGB', async () => flatJpeg(colorSamplings['4:4:4'], { adobe: 0 })],
    ['4:1:1', async () => flatJpeg(colorSamplings['4:1:1'])],
    ['a step of 0', async () => flatJpeg(colorSamplings['4:4:4'], { step: 0 })],
    ['scans that are missing', async () => flatJpeg(colorSamplings['4:2:0'], { scans: [dcScan] })],
    ['a coefficient too large', async () => flatJpeg(colorSamplings['4:4:4'], { ac: 1024 })],
  ])('is refused, with the reason: %s', async (_name, make) => {
    const file = await make();
    const query = '?format=jxl&quality=lossless';
    const { detail } = await expectProblem(await service.optimize(file, query), 'invalid_image');
    expect(detail).not.toContain('damaged');
    const accept = { Accept: 'image/jpeg,image/jxl' };
    for (const options of ['?format=auto', '?format=auto&quality=lossless']) {
      const auto = await service.optimize(file, options, accept);
      expect(auto.status).toBe(200);
      expect(auto.headers.get('Content-Type')).toBe('image/jpeg');
    }
  });
});

describe('format=auto', () => {
  const typeFor = async (file: Uint8Array, accept: string | undefined, query = '') => {
    const headers = accept === undefined ? undefined : { Accept: accept };
    const response = await service.optimize(file, `?format=auto${query}`, headers);
    expect(response.status).toBe(200);
    expect(response.headers.get('Vary')).toBe('Accept');
    return response.headers.get('Content-Type');
  };

  it('sends JPEG XL where Accept names it, not where it takes any image', {
    tags: 'slow',
  }, async () => {
    const photo = await sample('photo.jpg');
    expect(await typeFor(photo, 'image/jxl')).toBe('image/jxl');
    expect(await typeFor(photo, 'image/jxl,image/jpeg')).toBe('image/jxl');
    expect(await typeFor(photo, 'image/jxl', '&quality=lossless')).toBe('image/jxl');
    expect(await typeFor(photo, 'image/jxl', '&width=300')).toBe('image/jxl');
    // Without loss it would always be the smallest.
    const small = await plainPicture(120, 80).jpeg().toBuffer();
    expect(await typeFor(small, 'image/*,image/jxl', '&quality=lossless')).toBe('image/jxl');
    for (const accept of [undefined, '*/*', 'image/*', 'image/*,image/jxl;q=0']) {
      expect(await typeFor(small, accept, '&quality=lossless'), accept).toBe('image/jpeg');
    }
  });

  it('leaves it out for other formats, and falls back on their own', async () => {
    const png = await plainPicture(60, 40).png().toBuffer();
    expect(await typeFor(png, 'image/jxl')).toBe('image/png');
    expect(await typeFor(png, 'image/jxl,image/webp')).toBe('image/webp');
  });
});

const dcScan = { components: [0, 1, 2], ss: 0, se: 0, ah: 0, al: 0 };

interface FlatJpeg {
  readonly adobe?: 0;
  readonly step?: number;
  /** The second coefficient of each block. */
  readonly ac?: number;
  readonly scans?: readonly (typeof dcScan)[];
}

/** A JPEG of a few flat blocks. */
function flatJpeg(factors: Factors, { adobe, step = 2, ac = 0, scans }: FlatJpeg = {}) {
  const tables = [Array.from({ length: 64 }, (_, k) => (k === 5 ? step : 2))];
  return makeJpeg({
    width: 64,
    height: 32,
    components: factors.map(([horizontal, vertical]) => ({ horizontal, vertical, table: 0 })),
    tables,
    coefficients: (c, x, y) => [10 * c + x - y, ac, ...new Array(62).fill(0)],
    ...(scans && { scans }),
    ...(adobe === undefined ? {} : { adobe }),
  });
}
