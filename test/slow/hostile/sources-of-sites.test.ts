import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type DeliveringService,
  type Site,
  signedPath,
  startDeliveringService,
} from '../../support/delivering-service.ts';
import { chunk, smallPhoto } from '../../support/pictures.ts';

let service: DeliveringService;
let signed: Site;
beforeAll(async () => {
  service = await startDeliveringService();
  const { foreign } = service;
  const photo = await smallPhoto();
  const large = Buffer.alloc(33 * 2 ** 20);
  foreign.on('/unread-words.html', (response) =>
    response.writeHead(200, { 'Content-Type': 'image/png' }).end('<!doctype html>foreign words'),
  );
  foreign.serve('/drawing.svg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'));
  foreign.serve('/marked.jpg', Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), photo]));
  foreign.serve('/announced.jpg', large, { 'Content-Length': String(large.length) });
  foreign.on('/unannounced.jpg', (response) => {
    response.write(photo);
    response.end(large);
  });
  for (const status of [204, 206, 401, 403, 429, 500, 503]) {
    foreign.on(`/${status}.jpg`, (response) => response.writeHead(status).end('foreign words'));
  }
  foreign.redirect('/private.jpg', 'http://10.0.0.1/secret.jpg');
  foreign.redirect('/metadata.jpg', 'http://169.254.169.254/latest');
  foreign.redirect('/data.jpg', 'data:image/png;base64,AAAA');
  foreign.redirect('/circle.jpg', '/circle.jpg');
  foreign.redirect('/ourselves.jpg', `${service.origin}/i/open/_/photo.jpg`);
  foreign.on('/silent.jpg', () => {});
  foreign.on('/trickling.jpg', (response) => {
    response.writeHead(200, { 'Content-Length': '100000' });
    const timer = setInterval(() => response.write('x'), 500);
    response.on('close', () => clearInterval(timer));
  });
  const png = await sharp(photo).resize(8).png().toBuffer();
  const header = Buffer.from(png.subarray(16, 29));
  header.writeUInt32BE(40_000, 0);
  header.writeUInt32BE(40_000, 4);
  const huge = [png.subarray(0, 8), chunk('IHDR', header), png.subarray(33)];
  foreign.serve('/huge.png', Buffer.concat(huge));
  foreign.serve('/tail.png', Buffer.concat([png, Buffer.from('<script>alert(1)</script>')]));
  foreign.on('/lying.jpg', (response) =>
    response
      .writeHead(200, {
        'Content-Type': 'text/html',
        'Set-Cookie': 'a=b',
        'Content-Disposition': 'attachment; filename="x.html"',
      })
      .end(photo),
  );
  await service.site('open');
  signed = await service.site('signed', { signed: true });
}, 180_000);
afterAll(() => service.close());

describe('a source', () => {
  it.each([
    ...['unread-words.html', 'drawing.svg', 'marked.jpg', 'announced.jpg', 'unannounced.jpg'],
    ...['204.jpg', '206.jpg', '401.jpg', '403.jpg', '429.jpg', '500.jpg', '503.jpg', 'huge.png'],
    ...['private.jpg', 'metadata.jpg', 'data.jpg', 'circle.jpg', 'ourselves.jpg', 'silent.jpg'],
    'trickling.jpg',
  ])('%s: pages get the original, and a signed site says nothing of it', async (name) => {
    const redirect = await service.get(`/i/open/w_50/${name}`);
    expect([redirect.status, await redirect.text()]).toEqual([302, '']);
    expect(redirect.headers.get('Location')).toBe(service.foreign.at(`/${name}`));
    const problem = await service.get(await signedPath(signed, `w_50/${name}`));
    expect(problem.status).toBeGreaterThanOrEqual(400);
    expect(problem.status).toBeLessThan(500);
    const said = `${await problem.text()} ${[...problem.headers].join(' ')}`;
    expect(said.replaceAll(service.origin, '')).not.toMatch(
      /foreign words|127\.|10\.0|169\.|SVG|redirect|seconds|status 200/,
    );
  });

  it.each(['lying.jpg', 'tail.png'])('%s: nothing but its image passes', async (name) => {
    const response = await service.get(`/i/open/_/${name}`);
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toMatch(/^image\/(jpeg|png)$/);
    expect(response.headers.has('Set-Cookie')).toBe(false);
    expect(response.headers.get('Content-Disposition')).toMatch(/^inline; filename="[a-z]+\.\w+"$/);
    expect(Buffer.from(await response.arrayBuffer()).includes('<script>')).toBe(false);
  });
});
