import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usualQuality } from '../../src/image/pipeline/quality.ts';
import { expectPicture, expectProblem } from '../support/answers.ts';
import { itForEach } from '../support/each.ts';
import {
  difference,
  pixels,
  plainPicture,
  sample,
  smallLogo,
  smallPhoto,
} from '../support/pictures.ts';
import { sharedTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await sharedTestService();
});
afterAll(() => service.close());

describe('a photo', () => {
  it.each([
    ['keep', 'jpg', 3],
    ['webp', 'webp', 3],
    ['avif', 'avif', 3],
  ])('comes back smaller as %s, and looks the same', async (format, extension, tolerance) => {
    const photo = await smallPhoto();
    const response = await service.optimize(photo, `?format=${format}`);
    const result = await expectPicture(response);
    expect(result.length).toBeLessThan(photo.length * 0.7);
    expect(difference(await pixels(result), await pixels(photo))).toBeLessThan(tolerance);
    expect(response.headers.get('Image-Input-Type')).toBe('image/jpeg');
    expect(response.headers.get('Image-Input-Bytes')).toBe(String(photo.length));
    expect(response.headers.get('Content-Disposition')).toBe(
      `inline; filename="image.${extension}"`,
    );
  });

  it('of 17 MiB may come without its length', { tags: 'slow' }, async () => {
    const photo = await smallPhoto();
    const file = new Uint8Array(17 * 2 ** 20);
    file.set(photo);
    const response = await service.fetch('/v1/optimize', {
      method: 'POST',
      headers: { Authorization: `Bearer ${service.key}` },
      body: new Blob([file]).stream(),
      duplex: 'half',
    } as RequestInit);
    expect((await expectPicture(response)).length).toBeLessThan(photo.length);
  });

  it('is coded no finer than asked for', async () => {
    const photo = await smallPhoto();
    const [coarse, fine] = await Promise.all([
      service.optimize(photo, '?quality=30'),
      service.optimize(photo, '?quality=85'),
    ]);
    expect(coarse.headers.get('Image-Quality')).toBe('30');
    expect(fine.headers.get('Image-Quality')).toBe('85');
    expect((await expectPicture(coarse)).length).toBeLessThan(
      (await expectPicture(fine)).length / 2,
    );
  });

  it('that was coded harder than asked for is not coded again', async () => {
    const photo = await plainPicture(200, 100).jpeg({ quality: 60 }).toBuffer();
    const response = await service.optimize(photo, '?quality=75');
    const result = await expectPicture(response);
    expect(response.headers.get('Image-Quality')).toBe('lossless');
    expect(result.length).toBeLessThan(photo.length);
    expect(await pixels(result)).toEqual(await pixels(photo));
    const again = await service.optimize(result, '?quality=75');
    expect(again.headers.get('Image-Quality')).toBe('original');
    expect(again.headers.get('Image-Reason')).toBe('already-optimal');
    expect(await expectPicture(again)).toEqual(result);
  });

  it('keeps every coefficient and sheds its metadata under quality=lossless', async () => {
    const photo = await plainPicture(64, 48)
      .jpeg({ quality: 95 })
      .withExif({ IFD0: { Artist: 'A. Person', Copyright: 'x'.repeat(3000) } })
      .toBuffer();
    const response = await service.optimize(photo, '?quality=lossless');
    const result = await expectPicture(response);
    expect(result.length).toBeLessThan(photo.length - 3000);
    expect(await pixels(result)).toEqual(await pixels(photo));
    expect((await sharp(result).metadata()).exif).toBeUndefined();
  });

  it('with padding before its end marker is as whole as without', { tags: 'slow' }, async () => {
    const photo = await plainPicture(120, 80).jpeg({ quality: 95 }).toBuffer();
    const plain = await expectPicture(await service.optimize(photo));
    for (const padding of [1, 2, 16]) {
      const padded = Buffer.concat([
        photo.subarray(0, -2),
        Buffer.alloc(padding),
        photo.subarray(-2),
      ]);
      const query = '?format=webp';
      expect((await service.optimize(padded, query)).status, `${padding}`).toBe(200);
      expect(await expectPicture(await service.optimize(padded))).toEqual(plain);
    }
  });

  it('in grey stays grey', async () => {
    const photo = await plainPicture(120, 80).toColourspace('b-w').jpeg({ quality: 95 }).toBuffer();
    const result = await expectPicture(await service.optimize(photo, '?quality=70'));
    expect((await sharp(result).metadata()).channels).toBe(1);
  });
});

describe('a graphic', () => {
  it('gets a palette under auto, and says what it was written with', { tags: 'slow' }, async () => {
    const graphic = await sample('interface.png');
    const response = await service.optimize(graphic);
    const result = await expectPicture(response);
    expect(response.headers.get('Image-Quality')).toBe(String(usualQuality('png', 77)));
    expect((await sharp(result).metadata()).isPalette).toBe(true);
    expect(result.length).toBeLessThan(graphic.length / 2);
    expect(difference(await pixels(result), await pixels(graphic))).toBeLessThan(1);
    const again = await service.optimize(result);
    expect(again.headers.get('Image-Optimized')).toBe('false');
    expect(await pixels(await expectPicture(again))).toEqual(await pixels(result));
  });

  it('keeps every sample under quality=lossless', { tags: 'slow' }, async () => {
    const graphic = await sample('interface.png');
    const response = await service.optimize(graphic, '?quality=lossless');
    const result = await expectPicture(response);
    expect(response.headers.get('Image-Quality')).toBe('lossless');
    expect(result.length).toBeLessThan(graphic.length);
    expect(await pixels(result)).toEqual(await pixels(graphic));
  });

  it('has fewer colours the lower the quality', { tags: 'slow' }, async () => {
    const graphic = await sample('logo.png');
    const lengths = [];
    for (const quality of [95, 60, 20]) {
      const response = await service.optimize(graphic, `?quality=${quality}`);
      lengths.push((await expectPicture(response)).length);
    }
    expect(lengths).toEqual(lengths.toSorted((a, b) => b - a));
    expect(lengths.at(-1)).toBeLessThan((lengths[0] ?? 0) * 0.75);
  });
});

describe('a graphic with alpha', () => {
  itForEach(['webp', 'avif', 'png'], 'keeps it as %s', async (format) => {
    const logo = await smallLogo();
    const result = await expectPicture(await service.optimize(logo, `?format=${format}`));
    const [before, after] = await Promise.all([pixels(logo), pixels(result)]);
    let [sum, hidden] = [0, 0];
    for (let i = 3; i < before.length; i += 4) {
      sum += Math.abs((before[i] ?? 0) - (after[i] ?? 0));
      if (before[i] === 0 && after[i] === 0) hidden += 1;
    }
    expect(sum / (before.length / 4)).toBeLessThan(1);
    expect(hidden).toBeGreaterThan(10_000);
  });

  it('becomes JPEG only on a background', async () => {
    const logo = await smallLogo();
    await expectProblem(await service.optimize(logo, '?format=jpeg'), 'invalid_options');
    const result = await expectPicture(
      await service.optimize(logo, '?format=jpeg&background=%2300ff00'),
    );
    const [corner] = [(await pixels(result)).subarray(0, 3)];
    expect(difference(corner, Buffer.from([0, 255, 0]))).toBeLessThan(4);
  });

  it('that is opaque after all needs no background', async () => {
    const opaque = await plainPicture(40, 30).ensureAlpha(1).png().toBuffer();
    await expectPicture(await service.optimize(opaque, '?format=jpeg'));
  });
});

describe('quality=lossless', () => {
  it.each(['keep', 'webp', 'avif'])('keeps every sample as %s, hidden ones too', async (format) => {
    const logo = await smallLogo();
    const response = await service.optimize(logo, `?format=${format}&quality=lossless`);
    const result = await expectPicture(response);
    expect(await pixels(result)).toEqual(await pixels(logo));
  });

  it('keeps 16 bits in a PNG and refuses where they cannot be kept', async () => {
    const deep = await plainPicture(50, 40).toColourspace('rgb16').linear(0.731).png().toBuffer();
    const before = await sharp(deep).raw({ depth: 'ushort' }).toBuffer();
    const result = await expectPicture(await service.optimize(deep, '?quality=lossless'));
    expect(await sharp(result).raw({ depth: 'ushort' }).toBuffer()).toEqual(before);
    for (const format of ['webp', 'avif', 'jpeg']) {
      const refused = await service.optimize(deep, `?quality=lossless&format=${format}`);
      await expectProblem(refused, 'invalid_options');
    }
  });
});

describe('never bigger', () => {
  it.each(['photo.jpg', 'interface.png', 'logo.png'])(
    '%s, a second and a third time',
    { tags: 'slow' },
    async (name) => {
      let file: Uint8Array = await sample(name);
      for (let round = 0; round < 3; round += 1) {
        const result = await expectPicture(await service.optimize(Uint8Array.from(file)));
        expect(result.length).toBeLessThanOrEqual(file.length);
        file = result;
      }
    },
  );

  it.each(['webp', 'avif'] as const)('a %s that was coded hard', async (format) => {
    const hard = await plainPicture(300, 200).toFormat(format, { quality: 20 }).toBuffer();
    const response = await service.optimize(hard, `?quality=95&format=${format}`);
    expect((await expectPicture(response)).length).toBeLessThanOrEqual(hard.length);
    expect(response.headers.get('Image-Quality')).toBe('original');
  });

  it('except for a change of format that was asked for, and then it says so', {
    tags: 'slow',
  }, async () => {
    const small = await plainPicture(300, 200).avif({ quality: 10 }).toBuffer();
    const response = await service.optimize(small, '?format=png');
    await expectPicture(response);
    expect(response.headers.get('Image-Reason')).toBe('larger-format');
  });
});

describe('format=auto', () => {
  it('sends the smallest of what the client can show', { tags: 'slow' }, async () => {
    const photo = await smallPhoto();
    const sizes = new Map<string, number>();
    for (const format of ['keep', 'webp', 'avif']) {
      const result = await expectPicture(await service.optimize(photo, `?format=${format}`));
      sizes.set(format, result.length);
    }
    const auto = await service.optimize(photo, '?format=auto');
    expect(auto.headers.get('Vary')).toBe('Accept');
    expect((await expectPicture(auto)).length).toBe(Math.min(...sizes.values()));
    const webp = await service.optimize(photo, '?format=auto', { Accept: 'image/webp,*/*;q=0' });
    expect(webp.headers.get('Content-Type')).toBe('image/webp');
    expect((await expectPicture(webp)).length).toBe(sizes.get('webp'));
    const own = await service.optimize(photo, '?format=auto', { Accept: 'text/html' });
    expect(own.headers.get('Content-Type')).toBe('image/jpeg');
  });
});

describe('a form', () => {
  it('carries the image as file and options as fields', async () => {
    const form = new FormData();
    form.set('format', 'webp');
    form.set('quality', '60');
    form.set('file', new Blob([await smallPhoto()]), 'C:\\Bilder\\Übersee "1".JPG');
    const response = await service.optimize(form);
    await expectPicture(response);
    expect(response.headers.get('Image-Quality')).toBe('60');
    expect(response.headers.get('Content-Type')).toBe('image/webp');
    expect(response.headers.get('Content-Disposition')).toContain('.webp"');
    expect(response.headers.get('Content-Disposition')).toMatch(
      /^inline; filename="[\w .-]+"; filename\*=UTF-8''[^"]+$/,
    );
  });

  it('gives the same picture as the bare bytes do', async () => {
    const photo = await smallPhoto();
    const form = new FormData();
    form.set('file', new Blob([photo]), 'photo.jpg');
    const [asForm, bare] = await Promise.all([service.optimize(form), service.optimize(photo)]);
    expect(asForm.headers.get('Content-Disposition')).toBe('inline; filename="photo.jpg"');
    expect(await expectPicture(asForm)).toEqual(await expectPicture(bare));
  });
});
