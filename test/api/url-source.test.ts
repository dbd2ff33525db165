import { brotliCompressSync, gzipSync } from 'node:zlib';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../support/answers.ts';
import {
  type FetchingService,
  type ForeignServer,
  startFetchingService,
} from '../support/fetching-service.ts';
import { checkedFetch } from '../support/openapi-checker.ts';
import { plainPicture } from '../support/pictures.ts';

let service: FetchingService;
let foreign: ForeignServer;
let photo: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  service = await startFetchingService();
  foreign = service.foreign;
  photo = Uint8Array.from(await plainPicture(300, 200).jpeg({ quality: 95 }).toBuffer());
  foreign.serve('/photo.jpg', photo);
}, 120_000);
afterAll(() => service.close());

/** The picture in a response with status 200. */
async function picture(response: Response): Promise<Buffer> {
  const body = Buffer.from(await response.arrayBuffer());
  expect(response.status, body.toString('latin1', 0, 400)).toBe(200);
  return body;
}

describe('an image by its URL', () => {
  it('comes back as its bytes would, sent as they are', async () => {
    const byUrl = await service.optimize({ url: foreign.at('/photo.jpg'), quality: 60 });
    const byBytes = await checkedFetch(new URL('/v1/optimize?quality=60', service.origin), {
      method: 'POST',
      headers: { Authorization: `Bearer ${await service.keyOf('bytes@example.com')}` },
      body: photo,
    });
    expect(byUrl.headers.get('Image-Input-Bytes')).toBe(String(photo.length));
    expect(byUrl.headers.get('Image-Quality')).toBe('60');
    expect(byUrl.headers.get('Content-Disposition')).toBe('inline; filename="photo.jpg"');
    expect(await picture(byUrl)).toEqual(await picture(byBytes));
  });

  it.each([
    ['numbers', { quality: 50 }],
    ['text', { quality: '50' }],
  ])('takes options as %s', async (_what, options) => {
    const response = await service.optimize({
      url: foreign.at('/photo.jpg'),
      format: 'webp',
      ...options,
    });
    expect(response.headers.get('Image-Quality')).toBe('50');
    expect((await sharp(await picture(response)).metadata()).format).toBe('webp');
  });

  it('is asked for by name of the service, and nothing of the caller’s goes along', async () => {
    await picture(
      await service.optimize({ url: `http://localhost:${foreign.port}/photo.jpg?x=1#y` }),
    );
    const request = foreign.asked.find(({ url }) => url === '/photo.jpg?x=1');
    expect(request?.method).toBe('GET');
    expect(request?.headers).toMatchObject({
      accept: 'image/jpeg,image/png,image/*;q=0.8,*/*;q=0.5',
      'user-agent': 'fewerbytes/1',
      'cache-control': 'no-cache',
    });
    for (const name of ['authorization', 'cookie', 'referer', 'origin', 'content-type']) {
      expect(request?.headers).not.toHaveProperty(name);
    }
  });

  it('is fetched anew each time', async () => {
    const url = foreign.serve('/once.jpg', photo, { 'Cache-Control': 'public, max-age=9999' });
    for (let i = 0; i < 2; i += 1) await picture(await service.optimize({ url }));
    expect(foreign.asked.filter((request) => request.url === '/once.jpg')).toHaveLength(2);
  });

  it('names the answer after the last part of its path, decoded', async () => {
    const path = '/a/%C3%9Cbersee%20%22%0d%0aX-Y:%201.png';
    foreign.serve(path, photo);
    const response = await service.optimize({ url: foreign.at(`${path}?name=/other.gif`) });
    await picture(response);
    expect(response.headers.get('Content-Disposition')).toBe(
      `inline; filename="_bersee ___X-Y_ 1.jpg"; filename*=UTF-8''%C3%9Cbersee%20%22%0D%0AX-Y%3A%201.jpg`,
    );
    expect(response.headers.has('X-Y')).toBe(false);
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('may come coded as %s, and counts decoded', async (coding, code) => {
    const url = foreign.serve(`/coded-${coding}`, code(photo), { 'Content-Encoding': coding });
    const response = await service.optimize({ url });
    expect(response.headers.get('Image-Input-Bytes')).toBe(String(photo.length));
    await picture(response);
  });

  it('may come in pieces without a length', async () => {
    const url = foreign.on('/pieces', (response) => {
      response.write(photo.subarray(0, 1000));
      setTimeout(() => response.end(photo.subarray(1000)), 200);
    });
    await picture(await service.optimize({ url }));
  });

  it('may be three redirects away, absolute and relative ones', async () => {
    foreign.redirect('/1', `http://localhost:${foreign.port}/folder/2`, 301);
    foreign.redirect('/folder/2', '../3?x', 307);
    foreign.redirect('/3', `//127.0.0.1:${foreign.port}/photo.jpg`, 308);
    await picture(await service.optimize({ url: foreign.at('/1') }));
    foreign.redirect('/0', '/1');
    await expectProblem(await service.optimize({ url: foreign.at('/0') }), 'source_fetch_failed');
  });

  it('is fetched for many at once', async () => {
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        service.optimize({ url: foreign.at(`/photo.jpg?${i}`), quality: 40 + i }),
      ),
    );
    for (const [i, response] of responses.entries()) {
      expect(response.headers.get('Image-Quality')).toBe(String(40 + i));
      await picture(response);
    }
  });
});
