import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../support/answers.ts';
import {
  type DeliveringService,
  type Site,
  signedPath,
  startDeliveringService,
} from '../support/delivering-service.ts';
import { itForEach } from '../support/each.ts';
import { plainPicture, smallPhoto } from '../support/pictures.ts';

let service: DeliveringService;
/** A site that redirects if something is wrong, one that says so, and one that answers signed URLs only. */
let open: Site;
let strict: Site;
let signed: Site;

beforeAll(async () => {
  service = await startDeliveringService();
  const { foreign } = service;
  const photo = await smallPhoto();
  foreign.serve('/photo.jpg', photo);
  foreign.serve('/a%20b/%C3%A9.jpg', photo);
  const logo = await sharp({ create: { width: 64, height: 48, channels: 4, background: '#f008' } })
    .png()
    .toBuffer();
  foreign.serve('/logo.png', logo);
  foreign.serve('/photo.avif', await sharp(photo).resize(120).avif({ quality: 90 }).toBuffer());
  foreign.serve('/logo.webp', await sharp(logo).webp().toBuffer());
  const frames = [0, 90, 180].map((red) => plainPicture(40, 30).linear(1, red));
  const pages = await Promise.all(frames.map((frame) => frame.png().toBuffer()));
  const moving = sharp(pages, { join: { animated: true } });
  foreign.serve('/moving.webp', await moving.webp({ loop: 0, delay: [80, 80, 80] }).toBuffer());
  foreign.serve('/page.svg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'));
  foreign.serve('/page.html', Buffer.from('<!doctype html><script>alert(1)</script>'), {
    'Content-Type': 'text/html',
  });
  foreign.serve('/cut.jpg', photo.subarray(0, photo.length / 2));
  foreign.on('/dead.jpg', (response) => response.destroy());
  foreign.on('/gone.jpg', (response) => response.writeHead(410).end());
  open = await service.site('open');
  strict = await service.site('strict', { on_error: 'error' });
  signed = await service.site('signed', { signed: true });
}, 180_000);
afterAll(() => service.close());

async function picture(response: Response) {
  const body = Buffer.from(await response.arrayBuffer());
  expect(response.status, body.toString('latin1', 0, 400)).toBe(200);
  const { format, width, height, pages } = await sharp(body).metadata();
  // Decoded as a whole, by a decoder that is not ours.
  await sharp(body, { animated: true }).raw().toBuffer();
  return { format, width, height, pages };
}

const browser = { Accept: 'image/avif,image/webp,image/*,*/*;q=0.8' };

describe('an image by URL', () => {
  it('is made as its options say, and opens', async () => {
    const response = await service.get('/i/open/w_100,h_50,f_webp/photo.jpg');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/webp',
      'cache-control': 'public, max-age=86400, stale-while-revalidate=86400',
      'content-disposition': 'inline; filename="photo.webp"',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'timing-allow-origin': '*',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      etag: expect.stringMatching(/^"[0-9a-f]{32}"$/),
      'last-modified': expect.stringContaining('GMT'),
      'image-input-type': 'image/jpeg',
      'image-optimized': 'true',
    });
    expect(response.headers.has('Vary')).toBe(false);
    expect(response.headers.get('Content-Length')).toBe(response.headers.get('Image-Output-Bytes'));
    expect(await picture(response)).toMatchObject({ format: 'webp', width: 100, height: 50 });
  });

  it('has the same bytes and entity tag however its options are written', async () => {
    const ways = ['w_90,f_jpg', 'f=jpeg&width=90', 'format:jpg,w:90', 'w_90%2Cf_jpg'];
    const etags = [];
    for (const way of ways) {
      const response = await service.get(`/i/open/${way}/photo.jpg`);
      expect(await picture(response)).toMatchObject({ format: 'jpeg', width: 90 });
      etags.push(response.headers.get('ETag'));
    }
    expect(new Set(etags).size).toBe(1);
  });

  itForEach(
    [
      [browser.Accept, 'photo.jpg', /^(heif|webp|jpeg)$/],
      ['image/webp,*/*', 'photo.jpg', /^(webp|jpeg)$/],
      ['*/*', 'photo.jpg', /^jpeg$/],
      ['*/*', 'photo.avif', /^jpeg$/],
      ['*/*', 'logo.webp', /^png$/],
      ['image/webp;q=0,image/*', 'logo.webp', /^png$/],
      ['*/*', 'moving.webp', /^gif$/],
      ['image/webp', 'moving.webp', /^webp$/],
    ],
    'with Accept: %s, %s becomes what the client shows',
    async (accept, name, format) => {
      for (const options of ['_', 'f_keep']) {
        const response = await service.get(`/i/open/${options}/${name}`, { Accept: accept });
        expect(response.headers.get('Vary')).toBe('Accept');
        const { format: made, pages } = await picture(response);
        expect(made).toMatch(format);
        if (name === 'moving.webp') expect(pages).toBe(3);
      }
    },
  );

  it('has a path and a query that reach the source as they are, and nothing else does', async () => {
    await picture(await service.get('/i/open/w_20/a%20b/é.jpg?v=%2F2', { Cookie: 'a=b' }));
    const { url, headers } = service.foreign.asked.at(-1) ?? {};
    expect(url).toBe('/a%20b/%C3%A9.jpg?v=%2F2');
    expect(headers).toMatchObject({ 'cdn-loop': 'fewerbytes', 'user-agent': 'fewerbytes/1' });
    expect(headers).not.toHaveProperty('cookie');
  });

  it('is never enlarged but for its margins', async () => {
    const { width, height } = await picture(await service.get('/i/open/w_9000/logo.png'));
    expect([width, height]).toEqual([64, 48]);
    expect(await picture(await service.get('/i/open/s_96x96/logo.png'))).toMatchObject({
      ...{ width: 48, height: 48 },
    });
    expect(await picture(await service.get('/i/open/s_96x96,fit_contain/logo.png'))).toMatchObject({
      width: 96,
      height: 96,
    });
  });

  it('is not sent again to a client that has it', async () => {
    const path = '/i/open/w_100,h_50,f_webp/photo.jpg';
    const etag = (await service.get(path)).headers.get('ETag') ?? '';
    for (const condition of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const response = await service.get(path, { 'If-None-Match': condition });
      expect([response.status, await response.text()]).toEqual([304, '']);
      expect(response.headers.get('ETag')).toBe(etag);
      expect(response.headers.get('Cache-Control')).toContain('max-age=86400');
    }
    expect((await service.get(path, { 'If-None-Match': '"other"' })).status).toBe(200);
  });

  it('can be asked about with HEAD, and with no other method', async () => {
    const path = '/i/open/w_77/photo.jpg';
    const head = await service.get(path, {}, { method: 'HEAD' });
    const full = await service.get(path);
    expect(head.status).toBe(200);
    expect(await head.text()).toBe('');
    for (const name of ['ETag', 'Content-Type', 'Content-Length', 'Image-Width']) {
      expect(head.headers.get(name), name).toBe(full.headers.get(name));
    }
    const posted = await service.get(path, {}, { method: 'POST' });
    await expectProblem(posted, 'method_not_allowed');
    expect(posted.headers.get('Allow')).toBe('GET, HEAD, OPTIONS');
  });
});

describe('a URL that is wrong', () => {
  it.each([
    ['/i/open/w_abc/photo.jpg', 'invalid_options'],
    ['/i/open/blur_5/photo.jpg', 'invalid_options'],
    ['/i/open/%FF/photo.jpg', 'invalid_options'],
    ['/i/open/exp_1/photo.jpg', 'invalid_options'],
    ['/i/open/_/', 'invalid_request'],
    ['/i/open/_', 'invalid_request'],
    ['/i/open/_/a//b.jpg', 'invalid_request'],
    ['/i/open/_/..%2Fsecret', 'invalid_request'],
    ['/i/nobody/_/photo.jpg', 'site_not_found'],
    ['/i/Open/_/photo.jpg', 'invalid_request'],
    ['/i', 'not_found'],
  ] as const)('%s is told so: %s', async (path, code) => {
    await expectProblem(await service.get(path), code);
  });

  it('is told so where it comes from this service itself', async () => {
    const get = (loop: string) => service.get('/i/open/_/photo.jpg', { 'CDN-Loop': loop });
    await expectProblem(await get('cloudflare, fewerbytes; v=1'), 'delivery_loop');
    expect((await get('cloudflare; fewerbytes=1')).status).toBe(200);
    const another = await service.get('/i/open/w_33/photo.jpg', { 'CDN-Loop': 'other' });
    expect(another.status).toBe(200);
    expect(service.foreign.asked.at(-1)?.headers['cdn-loop']).toBe('fewerbytes');
  });
});

describe('a signed URL', () => {
  it('is answered, and is written in any equivalent way', async () => {
    const path = await signedPath(signed, 'w_50/photo.jpg?a=%c3%a9');
    expect(await picture(await service.get(path))).toMatchObject({ width: 50 });
    const same = path.replace('%c3%a9', '%C3%A9').replace('photo', '%70hoto');
    expect(await picture(await service.get(same))).toMatchObject({ width: 50 });
  });

  it('stands for one image: other spellings of its query have nothing made', async () => {
    const path = await signedPath(signed, 'w_50/photo.jpg?v=20&id=abc%2fd');
    const spellings = ['?v=20&id=abc%2fd', '?v=%32%30&id=abc%2Fd', '?%76=20&id=%61%62%63%2fd'];
    for (const spelling of spellings) {
      const response = await service.get(path.replace(/\?.*/, spelling));
      expect(await picture(response)).toMatchObject({ width: 50 });
    }
    const asked = service.foreign.asked
      .map(({ url }) => url)
      .filter((url) => url?.includes('id=abc'));
    expect(asked).toEqual(['/photo.jpg?v=20&id=abc%2Fd']);
  });

  it('is refused where anything of it is wrong, and nothing else is told before', async () => {
    const path = await signedPath(signed, 'w_50/photo.jpg');
    const wrong = [
      path.replace('w_50', 'w_51'),
      `${path}?a`,
      path.replace('/~', '/~x'),
      '/i/signed/w_50/photo.jpg',
      '/i/signed/nonsense/photo.jpg',
      `/i/open/~${'a'.repeat(24)}/w_50/photo.jpg`,
    ];
    for (const one of wrong) await expectProblem(await service.get(one), 'invalid_url_signature');
    const nonsense = await signedPath(signed, 'nonsense/photo.jpg');
    await expectProblem(await service.get(nonsense), 'invalid_options');
  });

  it('is stored no longer than it is valid', async () => {
    const inAnHour = Math.floor(Date.now() / 1000) + 3600;
    const response = await service.get(await signedPath(signed, `w_50,exp_${inAnHour}/photo.jpg`));
    const [, age] =
      /^public, max-age=(\d+)$/.exec(response.headers.get('Cache-Control') ?? '') ?? [];
    expect(Number(age)).toBeGreaterThan(3500);
    expect(Number(age)).toBeLessThanOrEqual(3600);
    const expired = await signedPath(signed, `w_50,exp_${inAnHour - 3700}/photo.jpg`);
    await expectProblem(await service.get(expired), 'url_expired');
  });

  it('of an image that cannot be made says nothing of the source', async () => {
    const problem = await expectProblem(
      await service.get(await signedPath(signed, '_/cut.jpg')),
      'invalid_image',
    );
    expect(problem.detail).toBe('Invalid image.');
  });
});

describe('an image that cannot be made', () => {
  it.each([
    ['page.svg', 'unsupported_media_type'],
    ['page.html', 'unsupported_media_type'],
    ['cut.jpg', 'invalid_image'],
    ['dead.jpg', 'source_fetch_failed'],
  ] as const)('%s: the page gets the original, or the error', async (name, code) => {
    const redirect = await service.get(`/i/open/w_50/${name}?x=1`);
    expect(redirect.status).toBe(302);
    expect(await redirect.text()).toBe('');
    expect(Object.fromEntries(redirect.headers)).toMatchObject({
      location: service.foreign.at(`/${name}?x=1`),
      'cache-control': 'public, max-age=60',
      vary: 'Accept',
      'image-error': code,
    });
    await expectProblem(await service.get(`/i/strict/w_50/${name}`), code);
  });

  it.each([
    ['nothing.jpg', 404],
    ['%252e%252e/photo.jpg', 404],
    ['gone.jpg', 410],
  ])('%s: the source’s status %i, for a minute', async (name, status) => {
    for (const { slug } of [open, strict]) {
      const response = await service.get(`/i/${slug}/_/${name}`);
      expect(response.status).toBe(status);
      expect(response.headers.get('Cache-Control')).toBe('public, max-age=60');
      expect(await response.json()).toMatchObject({ status, code: 'source_not_found' });
    }
  });

  it('is neither where the site is paused: the original, or the error', async () => {
    const paused = await service.site('paused');
    expect((await service.owner.patch(`/v1/sites/${paused.id}`, { status: 'paused' })).status).toBe(
      200,
    );
    const response = await service.get('/i/paused/_/photo.jpg');
    expect([response.status, response.headers.get('Image-Error')]).toEqual([302, 'site_paused']);
    await service.owner.patch(`/v1/sites/${paused.id}`, { on_error: 'error' });
    await expectProblem(await service.get('/i/paused/_/photo.jpg'), 'site_paused');
  });
});
