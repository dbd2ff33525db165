import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type FetchingService,
  type ForeignServer,
  startFetchingService,
} from '../support/fetching-service.ts';
import { plainPicture } from '../support/pictures.ts';
import { eventually } from '../support/time.ts';

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

describe('an image URL is not fetched', () => {
  it.each([204, 300, 304, 400, 401, 403, 404, 410, 500, 503])(
    'when it answers with status %i',
    async (status) => {
      const url = foreign.on(`/status-${status}`, (response) => {
        response.writeHead(status, 'foreign words', { 'X-Foreign': 'foreign words' });
        response.end(status === 204 || status === 304 ? undefined : 'foreign words');
      });
      await service.failure(url, 'source_fetch_failed');
    },
  );

  it('when nobody listens there, or the connection is reset', async () => {
    await service.failure(service.nobody, 'source_fetch_failed');
    const url = foreign.on('/reset', (response) => response.socket?.resetAndDestroy());
    await service.failure(url, 'source_fetch_failed');
  });

  it.each([
    ['nowhere', {}],
    ['what is no URL', { Location: 'http://[' }],
    ['itself', { Location: '/redirect-itself' }],
  ])('when it redirects to %s', async (target, headers) => {
    const url = foreign.on(`/redirect-${target.replaceAll(' ', '-')}`, (response) => {
      response.writeHead(302, headers).end('foreign words');
    });
    await service.failure(url, 'source_fetch_failed');
  });

  it.each([
    'http://127.0.0.1:1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[::1]/',
    'http://printer.local/',
    'ftp://ftp.example/',
    'http://user:hidden@images.example/',
    'https://images.example:8443/',
    '/?hop',
  ])('when it redirects to %s', async (location) => {
    foreign.redirect('/hop', 'http://10.0.0.1/');
    const target = location === '/?hop' ? '/hop' : location;
    const url = foreign.redirect('/away', target, 301);
    const { detail } = await service.failure(url, 'source_not_allowed');
    expect(detail).toContain('this one redirects to a URL that');
  });

  it('when its answer is empty, breaks off, or cannot be decoded', async () => {
    const empty = foreign.serve('/empty', new Uint8Array(0));
    const pieces = foreign.on('/empty-pieces', (response) => {
      response.flushHeaders();
      response.end();
    });
    const short = foreign.on('/short', (response) => {
      response.writeHead(200, { 'Content-Length': photo.length });
      response.write(photo.subarray(0, 1000), () => response.destroy());
    });
    const garbled = foreign.serve('/garbled', Buffer.from('foreign words'), {
      'Content-Encoding': 'gzip',
    });
    for (const url of [empty, pieces, short, garbled])
      await service.failure(url, 'source_fetch_failed');
  });

  it('when it is no image, or a broken one', async () => {
    const page = foreign.serve('/page', Buffer.from('<p>foreign words'), {
      'Content-Type': 'image/jpeg',
    });
    await service.failure(page, 'unsupported_media_type');
    const cut = foreign.serve('/cut', photo.subarray(0, photo.length / 2));
    await service.failure(cut, 'invalid_image');
  });
});

describe('the quota', () => {
  it('is not touched by what was not fetched', async () => {
    const key = await service.keyOf('careful@example.com');
    const left = async () => {
      const response = await service.optimize({ url: foreign.at('/photo.jpg') }, { key });
      await response.arrayBuffer();
      return Number(response.headers.get('Quota-Remaining'));
    };
    const before = await left();
    await Promise.all([
      service.failure(foreign.at('/no-such-image'), 'source_fetch_failed', key),
      service.failure('http://10.0.0.1/', 'source_not_allowed', key),
      service.failure('nowhere', 'invalid_request', key),
      service.failure(foreign.redirect('/home', 'http://localhost:1/'), 'source_not_allowed', key),
    ]);
    let files = 0;
    // Reservations are given back just after the response.
    await eventually(async () => {
      files += 1;
      expect(await left()).toBe(before - files);
    });
  });
});
