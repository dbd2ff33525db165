import sharp from 'sharp';
import { thumbHashToRGBA } from 'thumbhash';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectPicture, expectProblem } from '../support/answers.ts';
import { itForEach } from '../support/each.ts';
import { difference, pixels, plainPicture, sample } from '../support/pictures.ts';
import { sharedTestService, type TestService } from '../support/service.ts';

const formats = ['jpeg', 'png', 'webp', 'avif'] as const;

let service: TestService;
beforeAll(async () => {
  service = await sharedTestService();
});
afterAll(() => service.close());

async function sizeOf(file: Uint8Array, query: string): Promise<string> {
  const response = await service.optimize(Uint8Array.from(file), query);
  const { width, height } = await sharp(await expectPicture(response)).metadata();
  return `${width}×${height}`;
}

describe('the size of the result', () => {
  it.each([
    ['?width=150', '150×100'],
    ['?height=50', '75×50'],
    ['?width=150&height=150', '150×100'],
    ['?width=1000&height=50', '75×50'],
    ['?width=100&height=100&fit=cover', '100×100'],
    ['?width=50&height=100&fit=cover', '50×100'],
    // Never enlarged: the box shrinks until it fits.
    ['?width=400&height=400&fit=cover', '200×200'],
    ['?width=300&height=900&fit=cover', '67×200'],
    ['?width=100&height=100&fit=outside', '150×100'],
    ['?width=400&height=100&fit=outside', '300×200'],
    ['?width=100&height=150&fit=fill', '100×150'],
    ['?width=400&height=200&fit=fill', '300×150'],
    ['?width=100&height=90&fit=contain', '100×90'],
    ['?width=400&height=400&fit=contain&position=bottom', '400×400'],
    ['?width=16384&height=16384', '300×200'],
    ['?width=301', '300×200'],
    ['?width=1', '1×1'],
  ])('with %s is %s', async (query, size) => {
    const source = await plainPicture(300, 200).png().toBuffer();
    expect(await sizeOf(source, query)).toBe(size);
  });

  it('is counted upright', async () => {
    const lying = await plainPicture(300, 200).jpeg().withMetadata({ orientation: 8 }).toBuffer();
    const response = await service.optimize(Uint8Array.from(lying), '?width=100');
    expect(response.headers.get('Image-Width')).toBe('100');
    expect(response.headers.get('Image-Height')).toBe('150');
    await expectPicture(response);
  });

  it('beyond the source changes nothing, so no coefficient is touched that need not be', async () => {
    const coarse = await plainPicture(200, 100).jpeg({ quality: 30 }).toBuffer();
    const response = await service.optimize(Uint8Array.from(coarse), '?width=400');
    expect(response.headers.get('Image-Quality')).toBe('lossless');
    expect((await expectPicture(response)).length).toBeLessThanOrEqual(coarse.length);
  });

  it('needs a fit that has a position, and a position that is one', async () => {
    const source = await plainPicture(30, 20).png().toBuffer();
    const box = '?width=10&height=10';
    const refused = (query: string) => service.optimize(source, query);
    await expectProblem(await refused(`${box}&position=top`), 'invalid_options');
    await expectProblem(await refused(`${box}&fit=fill&position=top`), 'invalid_options');
    for (const position of ['middle', '0.5', '0.5,1.5', '-0.1,0', '1e-1,0', 'top-top', '0,0,0']) {
      const query = `${box}&fit=cover&position=${position}`;
      await expectProblem(await refused(query), 'invalid_options');
    }
    for (const position of ['center', 'bottom-left', '0,1', '0.25,0.75', 'auto']) {
      const response = await service.optimize(source, `${box}&fit=cover&position=${position}`);
      await expectPicture(response);
    }
  });

  it('needs a box to cover', async () => {
    const source = await plainPicture(30, 20).png().toBuffer();
    await expectProblem(await service.optimize(source, '?width=10&fit=cover'), 'invalid_options');
    await expectProblem(await service.optimize(source, '?width=0'), 'invalid_options');
    await expectProblem(await service.optimize(source, '?width=16385'), 'invalid_options');
  });
});

describe('a reduced picture', () => {
  itForEach(formats, 'shows in %s what another resizer makes of it', async (format) => {
    const photo = await sample('photo.jpg');
    const query = `?format=${format}&width=400&quality=95`;
    const result = await expectPicture(await service.optimize(photo, query));
    // scRGB is linear.
    const expected = await sharp(photo)
      .pipelineColourspace('scrgb')
      .resize(400)
      .toColourspace('srgb')
      .png()
      .toBuffer();
    const { width, height } = await sharp(expected).metadata();
    expect([width, height]).toEqual([400, 267]);
    expect(difference(await pixels(result), await pixels(expected))).toBeLessThan(5);
  });

  it('is cut from the middle by fit=cover', async () => {
    const halves = await sharp({
      create: { width: 300, height: 100, channels: 3, background: '#ff0000' },
    })
      .composite([
        {
          input: await sharp({
            create: { width: 100, height: 100, channels: 3, background: '#0000ff' },
          })
            .png()
            .toBuffer(),
          left: 100,
          top: 0,
        },
      ])
      .png()
      .toBuffer();
    const query = '?width=50&height=50&fit=cover';
    const result = await pixels(await expectPicture(await service.optimize(halves, query)));
    expect([...result.subarray(0, 4)]).toEqual([0, 0, 255, 255]);
    expect([...result.subarray(-4)]).toEqual([0, 0, 255, 255]);
  });

  it('averages light, not code values', async () => {
    const board = Buffer.from(
      Uint8Array.from({ length: 64 * 64 }, (_, i) => (((i >> 6) + i) & 1) * 255),
    );
    const source = await sharp(board, { raw: { width: 64, height: 64, channels: 1 } })
      .png()
      .toBuffer();
    const result = await expectPicture(await service.optimize(source, '?width=16'));
    // Half the light is code 188 in sRGB; the mean of the codes would be 128.
    const middle = (await pixels(result)).subarray(4 * (16 * 8 + 8));
    expect(Math.abs((middle[0] ?? 0) - 188)).toBeLessThanOrEqual(2);
  });

  it('can be as small as a pixel and as thin as a line in every format', {
    tags: 'slow',
  }, async () => {
    const line = await plainPicture(2000, 3).png().toBuffer();
    for (const format of formats) {
      expect(await sizeOf(line, `?format=${format}&width=500`)).toBe('500×1');
      expect(await sizeOf(line, `?format=${format}&width=1&height=1`)).toBe('1×1');
    }
  });

  it('of 16 bits is made in 8, but not under quality=lossless', async () => {
    const deep = await plainPicture(64, 64).toColourspace('rgb16').png().toBuffer();
    await expectPicture(await service.optimize(deep, '?width=32'));
    await expectProblem(
      await service.optimize(deep, '?width=32&quality=lossless'),
      'invalid_options',
    );
  });
});

describe('half-transparent red text reduced to a quarter', () => {
  /** Red shapes on transparent backgrounds whose hidden color is black or white. */
  async function text(hidden: string): Promise<Buffer> {
    // Letters drawn as strokes, because a machine may have no fonts.
    const strokes = 'M20 140V20h50a35 35 0 0 1 0 70H20M70 90l50 50M170 60v80M230 140V60h60v80h-60';
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="160">
      <path d="${strokes}" fill="none" stroke="#000" stroke-width="13"/></svg>`;
    const mask = await sharp(Buffer.from(svg)).extractChannel('alpha').raw().toBuffer();
    const color = hidden === 'white' ? 255 : 0;
    const rgba = Buffer.alloc(mask.length * 4);
    for (let i = 0; i < mask.length; i += 1) {
      const alpha = (mask[i] ?? 0) >> 1;
      rgba.set(alpha ? [255, 0, 0, alpha] : [color, color, color, 0], 4 * i);
    }
    return sharp(rgba, { raw: { width: 400, height: 160, channels: 4 } })
      .png()
      .toBuffer();
  }

  itForEach(
    ['black', 'white'],
    'has none of the hidden %s in a lossy AVIF either',
    async (hidden) => {
      const source = await text(hidden);
      const query = '?format=avif&width=100&target=85';
      const data = await pixels(await expectPicture(await service.optimize(source, query)));
      let [worst, sum, seen] = [0, 0, 0];
      for (let i = 0; i < data.length; i += 4) {
        const [red = 0, green = 0, blue = 0, alpha = 0] = data.subarray(i, i + 4);
        if (alpha < 64) continue;
        const off = Math.max(255 - red, green, blue);
        worst = Math.max(worst, off);
        sum += off;
        seen += 1;
      }
      expect(seen).toBeGreaterThan(300);
      expect(sum / seen).toBeLessThan(6);
      expect(worst).toBeLessThan(40);
    },
  );

  it.each(['black', 'white'])('has no fringe of the hidden %s', async (hidden) => {
    for (const format of ['png', 'webp', 'avif'] as const) {
      const query = `?format=${format}&width=100&quality=${format === 'png' ? 'auto' : 'lossless'}`;
      const result = await expectPicture(await service.optimize(await text(hidden), query));
      const data = await pixels(result);
      let seen = 0;
      for (let i = 0; i < data.length; i += 4) {
        const [red = 0, green = 0, blue = 0, alpha = 0] = data.subarray(i, i + 4);
        if (alpha === 0) continue;
        seen += 1;
        expect([red, green, blue], `${format}, pixel ${i / 4}, alpha ${alpha}`).toEqual([
          255, 0, 0,
        ]);
        expect(alpha).toBeLessThanOrEqual(140);
      }
      expect(seen).toBeGreaterThan(500);
    }
  });
});

describe('a placeholder', () => {
  it('is in a header for every way to give options, and only where it is asked for', async () => {
    const photo = await sample('photo.jpg');
    const response = await service.optimize(photo, '?width=100&placeholder=thumbhash');
    const hash = response.headers.get('Image-Placeholder') ?? '';
    const shown = thumbHashToRGBA(Buffer.from(hash, 'base64'));
    expect(shown.w / shown.h).toBeCloseTo(1.5, 0);
    const form = new FormData();
    form.set('file', new Blob([photo]), 'photo.jpg');
    form.set('width', '100');
    form.set('placeholder', 'thumbhash');
    const byForm = await service.optimize(form);
    expect(byForm.headers.get('Image-Placeholder')).toBe(hash);
    const plain = await service.optimize(photo, '?width=100');
    expect(plain.headers.has('Image-Placeholder')).toBe(false);
    expect(await expectPicture(plain)).toEqual(await expectPicture(response));
    await expectProblem(await service.optimize(photo, '?placeholder=blurhash'), 'invalid_options');
  });
});
