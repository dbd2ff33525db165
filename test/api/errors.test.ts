import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../support/answers.ts';
import { plainPicture, pngOf, sample } from '../support/pictures.ts';
import { sharedTestService, type TestService } from '../support/service.ts';
import { madeUpKey, unknownKey } from '../support/tokens.ts';

const [madeUp, unknown] = await Promise.all([madeUpKey(), unknownKey()]);

let service: TestService;
let photo: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  service = await sharedTestService();
  photo = Uint8Array.from(await plainPicture(200, 150).jpeg({ quality: 95 }).toBuffer());
});
afterAll(async () => {
  // All errors in these tests are the client's fault, and must not be logged.
  const logged = service.logs();
  await service.close();
  expect(logged).not.toContain('fewer_');
  expect(logged).not.toContain('internal_error');
});

describe('an API key', () => {
  it.each([
    ['no header', undefined],
    ['an empty one', ''],
    ['another scheme', 'Basic fewer_x'],
    ['no key', 'Bearer'],
    ['a malformed key', 'Bearer sk_live_123'],
    ['a key with a wrong checksum', `Bearer fewer_${'a'.repeat(63)}`],
    ['a key that was never issued', `Bearer ${madeUp}`],
    ['a key that nobody has', `Bearer ${unknown}`],
    ['two keys', `Bearer ${unknown} ${unknown}`],
  ])('%s is refused', async (_what, authorization) => {
    const response = await service.fetch('/v1/optimize', {
      method: 'POST',
      headers: authorization === undefined ? {} : { Authorization: authorization },
      body: photo,
    });
    expect(response.headers.get('WWW-Authenticate')).toBe('Bearer');
    await expectProblem(response, 'invalid_api_key');
  });

  it.each([
    (key: string) => `?key=${key}`,
    (key: string) => `?format=webp&${key}`,
    (key: string) => `?access_token=Bearer%20${key}`,
    (key: string) => `?key=${key.replace('_', '%5F').slice(0, 20)}`,
  ])('in the query is refused, whatever else the request brings', async (query) => {
    const response = await service.optimize(photo, query(service.key));
    await expectProblem(response, 'key_in_query');
    const health = await service.fetch(`/v1/health${query(service.key)}`);
    await expectProblem(health, 'key_in_query');
  });
});

describe('options', () => {
  it.each([
    ['an unknown name', '?size=10', 'size'],
    ['a name given twice', '?format=webp&format=avif', 'format'],
    ['an unknown format', '?format=tiff', 'format'],
    ['quality 0', '?quality=0', 'quality'],
    ['quality 101', '?quality=101', 'quality'],
    ['quality 80.5', '?quality=80.5', 'quality'],
    ['an empty quality', '?quality=', 'quality'],
    ['target 29', '?target=29', 'target'],
    ['target 96', '?target=96', 'target'],
    ['target 77.5', '?target=77.5', 'target'],
    ['an unknown target', '?target=best', 'target'],
    ['target beside quality', '?target=high&quality=80', 'target'],
    ['target beside the default quality', '?quality=auto&target=77', 'target'],
    ['max_bytes 999', '?max_bytes=999', 'max_bytes'],
    ['max_bytes with a unit', '?max_bytes=100kB', 'max_bytes'],
    ['max_bytes beside quality', '?max_bytes=50000&quality=lossless', 'max_bytes'],
    ['width 0', '?width=0', 'width'],
    ['width 16385', '?width=16385', 'width'],
    ['a negative height', '?height=-1', 'height'],
    ['cover without both sides', '?fit=cover&width=10', 'fit'],
    ['a colour by name', '?format=jpeg&background=red', 'background'],
    ['a name of JavaScript', '?__proto__=1', '__proto__'],
  ])('%s is refused and named', async (_what, query, path) => {
    const problem = await expectProblem(await service.optimize(photo, query), 'invalid_options');
    expect(problem.errors).toEqual([{ path, message: expect.stringMatching(/./) }]);
  });

  it.each([['lossless JPEG from PNG', '?format=jpeg&quality=lossless']])(
    '%s is refused',
    async (_what, query) => {
      const png = await plainPicture(40, 30).png().toBuffer();
      await expectProblem(await service.optimize(png, query), 'invalid_options');
    },
  );

  it('that change nothing are taken', async () => {
    const response = await service.optimize(
      photo,
      '?width=200&height=9000&fit=inside&background=%23ffffff',
    );
    expect(response.status).toBe(200);
  });

  it('do not stand in the query beside a form', async () => {
    const form = new FormData();
    form.set('file', new Blob([photo]));
    await expectProblem(await service.optimize(form, '?format=webp'), 'invalid_options');
  });

  it('in a form that is malformed are an invalid request', async () => {
    const boundary = 'a-boundary';
    const body = `--${boundary}\r\nContent-Disposition: form-data; name="format"\r\n--${boundary}--\r\n`;
    const headers = { 'Content-Type': `multipart/form-data; boundary=${boundary}` };
    await expectProblem(await service.optimize(body, '', headers), 'invalid_request');
  });

  it.each([{ colour: 'red' }, { target: 'high', quality: '80' }, { max_bytes: '999' }])(
    'in a form and in JSON are held to the same: %o',
    async (options) => {
      const form = new FormData();
      form.set('file', new Blob([photo]));
      for (const [name, value] of Object.entries(options)) form.set(name, value);
      await expectProblem(await service.optimize(form), 'invalid_options');
      const json = JSON.stringify({ url: 'https://images.example/photo.jpg', ...options });
      const headers = { 'Content-Type': 'application/json' };
      await expectProblem(await service.optimize(json, '', headers), 'invalid_options');
    },
  );

  it('for the quality are taken in the query and in a form', async () => {
    const inQuery = await service.optimize(photo, '?target=70&max_bytes=500000');
    expect(inQuery.status).toBe(200);
    const form = new FormData();
    form.set('file', new Blob([photo]));
    form.set('target', 'low');
    form.set('max_bytes', '500000');
    expect((await service.optimize(form)).status).toBe(200);
  });
});

describe('a body', () => {
  it('that is empty is refused', async () => {
    await expectProblem(await service.optimize(''), 'invalid_request');
    const chunked = new Blob([]).stream();
    const response = await service.fetch('/v1/optimize', {
      method: 'POST',
      headers: { Authorization: `Bearer ${service.key}` },
      body: chunked,
      duplex: 'half',
    } as RequestInit);
    await expectProblem(response, 'invalid_request');
  });

  it.each([
    ['text', 'hello, world'],
    ['a page', '<!doctype html><title>no</title>'],
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['a few zeros', '\0\0\0\0'],
  ])('of %s is of no supported type', async (_what, text) => {
    const problem = await expectProblem(await service.optimize(text), 'unsupported_media_type');
    expect(problem.supported).toEqual([
      ...['image/jpeg', 'image/png', 'image/webp', 'image/avif', 'image/gif'],
    ]);
  });

  it.each(['photo.jpg', 'logo.png'])(
    'that ends in the middle of %s is refused in every format',
    async (name) => {
      const whole = await sample(name);
      for (const format of ['keep', 'webp', 'avif']) {
        for (const part of [0.3, 0.9]) {
          const cut = whole.slice(0, whole.length * part);
          await expectProblem(await service.optimize(cut, `?format=${format}`), 'invalid_image');
        }
      }
    },
  );

  it.each(['webp', 'avif'] as const)(
    'that ends in the middle of a %s is refused',
    async (format) => {
      const whole = await plainPicture(300, 200).toFormat(format).toBuffer();
      for (const target of ['keep', 'png']) {
        const cut = whole.subarray(0, whole.length * 0.7);
        await expectProblem(
          await service.optimize(Uint8Array.from(cut), `?format=${target}`),
          'invalid_image',
        );
      }
    },
  );

  it('that is progressive and lacks its last scans is refused', async () => {
    const whole = await plainPicture(200, 150).jpeg({ quality: 95, progressive: true }).toBuffer();
    const lastScan = whole.lastIndexOf(Buffer.from([0xff, 0xda]));
    // The tables of a scan precede it.
    const lastTables = whole.lastIndexOf(Buffer.from([0xff, 0xc4]), lastScan);
    const cut = Uint8Array.from(whole.subarray(0, lastTables));
    for (const query of ['', '?quality=lossless', '?format=webp']) {
      await expectProblem(await service.optimize(cut, query), 'invalid_image');
    }
  });

  it('that is cut short is refused even where nothing would be coded again', async () => {
    const coarse = await plainPicture(300, 200).jpeg({ quality: 50 }).toBuffer();
    const cut = Uint8Array.from(coarse.subarray(0, coarse.length * 0.6));
    await expectProblem(await service.optimize(cut), 'invalid_image');
    await expectProblem(await service.optimize(cut, '?quality=lossless'), 'invalid_image');
  });

  it('whose data fits none of its checksums is refused in every format', async () => {
    const png = await plainPicture(60, 50).png().toBuffer();
    // The last bytes of the checksums of IDAT and of the stream in it.
    for (const at of [png.length - 13, png.length - 17]) png.writeUInt8(png.readUInt8(at) ^ 1, at);
    for (const format of ['keep', 'webp', 'avif']) {
      const response = await service.optimize(Uint8Array.from(png), `?format=${format}`);
      await expectProblem(response, 'invalid_image');
    }
  });

  it('that inflates to less than its header states is refused; what is more is not inflated', {
    tags: 'slow',
  }, async () => {
    const bomb = pngOf(32, 32, deflateSync(Buffer.alloc(64 * 1024 * 1024)));
    const short = pngOf(32, 32, deflateSync(Buffer.alloc(32 * 129 - 1)));
    for (const format of ['keep', 'webp', 'auto']) {
      expect((await service.optimize(bomb, `?format=${format}`)).status).toBe(200);
      await expectProblem(await service.optimize(short, `?format=${format}`), 'invalid_image');
    }
  });

  it('that is damaged, and too large for other formats, is not handed on under auto', {
    tags: 'slow',
  }, async () => {
    const huge = await plainPicture(11_000, 10_000).jpeg({ quality: 90 }).toBuffer();
    const cut = Uint8Array.from(huge.subarray(0, huge.length / 2));
    await expectProblem(await service.optimize(cut, '?format=auto'), 'invalid_image');
    await expectProblem(await service.optimize(cut, '?format=avif&quality=95'), 'image_too_large');
  });

  it('with a few bytes behind the image is taken', async () => {
    const longer = new Uint8Array([...photo, 1, 2, 3, 4, 5]);
    const response = await service.optimize(longer);
    expect(response.status).toBe(200);
    await sharp(Buffer.from(await response.arrayBuffer()))
      .raw()
      .toBuffer();
  });
});

describe('a form', () => {
  async function expectRefusal(form: FormData) {
    await expectProblem(await service.optimize(form), 'invalid_request');
  }

  it('without a file is refused', async () => {
    const form = new FormData();
    form.set('format', 'webp');
    await expectRefusal(form);
  });

  it('with an empty file is refused', async () => {
    const form = new FormData();
    form.set('file', new Blob([]), 'a.jpg');
    await expectRefusal(form);
  });

  it.each(['Łódź.png', '写真.png', '😀.png', '“x”.png', 'a"b.png'])(
    'with a file called %s is taken',
    async (name) => {
      const form = new FormData();
      form.set('file', new Blob([photo]), name);
      const response = await service.optimize(form);
      expect(response.status).toBe(200);
      const stem = encodeURIComponent(name.replace('.png', ''));
      expect(response.headers.get('Content-Disposition')).toContain(`UTF-8''${stem}.jpg`);
    },
  );

  it('with two files is refused', async () => {
    const form = new FormData();
    form.append('file', new Blob([photo]), 'a.jpg');
    form.append('file', new Blob([photo]), 'b.jpg');
    await expectRefusal(form);
  });

  it('with a file of another name is refused', async () => {
    const form = new FormData();
    form.set('image', new Blob([photo]), 'a.jpg');
    await expectRefusal(form);
  });

  it.each([
    ['no boundary', 'multipart/form-data', 'x'],
    ['rubbish', 'multipart/form-data; boundary=b', 'x'],
    [
      'no end',
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nxyz',
    ],
    [
      'a part without a name',
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--\r\n',
    ],
    [
      'a name that cannot be decoded',
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="file"; filename*=UTF-8\'\'%ff\r\n\r\nx\r\n--b--\r\n',
    ],
    [
      'an endless field',
      'multipart/form-data; boundary=b',
      `--b\r\nContent-Disposition: form-data; name="format"\r\n\r\n${'x'.repeat(5000)}\r\n--b--\r\n`,
    ],
  ])('with %s is refused', async (_what, contentType, body) => {
    const response = await service.optimize(body, '', { 'Content-Type': contentType });
    await expectProblem(response, 'invalid_request');
  });
});
