import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../support/answers.ts';
import {
  type DeliveringService,
  type Site,
  signedPath,
  startDeliveringService,
} from '../support/delivering-service.ts';
import { smallPhoto } from '../support/pictures.ts';
import { rawRequest } from '../support/raw-request.ts';

const newPerMinute = 20;
/** Enough for a flood that lasts into another minute, and fewer than all tests together ask for. */
const freeFiles = 60;

let service: DeliveringService;
beforeAll(async () => {
  service = await startDeliveringService({
    MAX_NEW_RESULTS_PER_MINUTE: String(newPerMinute),
    FREE_FILES_PER_MONTH: String(freeFiles),
  });
  const photo = await smallPhoto();
  for (const path of ['/photo.jpg', '/below/photo.jpg', '/flood.jpg', '/quota.jpg']) {
    service.foreign.serve(path, photo);
  }
  const large = { width: 5000, height: 4000, channels: 3, background: '#248' } as const;
  service.foreign.serve('/large.png', await sharp({ create: large }).png().toBuffer());
}, 180_000);
afterAll(() => service.close());

/** The paths that the source was asked for during some work. */
async function askedDuring(work: () => Promise<unknown>): Promise<string[]> {
  const before = service.foreign.asked.length;
  await work();
  return service.foreign.asked.slice(before).map(({ url }) => url ?? '');
}

/** Answers to many requests, of which a dozen are under way at any time. */
async function flood<Item, Result>(
  items: readonly Item[],
  request: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = items.values();
  const workers = Array.from({ length: 12 }, async () => {
    for (const item of waiting) results.push(await request(item));
  });
  await Promise.all(workers);
  return results;
}

/** The status of a path that is sent as it is written, byte for byte. */
async function statusOf(path: string, headers = ''): Promise<number | null> {
  const head = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`);
  return (await rawRequest(new URL(service.origin), head)).status;
}

const tricks = [
  ...['..', '.', '%2e', '%2e%2e', '.%2E', '%2e.', '%252e%252e', '%25252e', '..;', '..%00', '..%09'],
  ...['%2f', '%2F', '%252f', '%5c', '\\', '%255c', '%3f', '%23', '%00', '%0a', '%0d%0aX:%20y'],
  ...[
    '%09',
    '\t',
    '%7f',
    '%c2%85',
    '%e2%80%a8',
    '%ef%bc%8f',
    '%e2%88%95',
    '%c0%ae%c0%ae',
    '%c0%af',
  ],
  ...['%ed%a0%80', '%ff', '%', '%2', '%zz', '%u002e', '/', '//', '//evil.example', '@evil.example'],
  ...[
    'user:word@host',
    'http:',
    'http:%2f%2fevil.example',
    ':80',
    '*',
    '"',
    "'",
    '<',
    '|',
    '^',
    '`',
  ],
  ...['{}', '[]', '~', '%7e', '+', '%20', ';a=b', '&', '=', '%2e%2e%2f%2e%2e%2f', '%2e%2e%5c', 'é'],
  ...['\u202e', '%F0%9F%98%80', 'v1', 'sites', '__proto__', 'a'.repeat(3000), '%61'.repeat(900)],
];

describe('a path', () => {
  it('never leads outside the source, whatever is written where', { tags: 'slow' }, async () => {
    const { foreign } = service;
    await service.site('below', { source: foreign.at('/below/'), signed: false });
    const shapes = [
      (trick: string) => `/i/below/_/${trick}/photo.jpg`,
      (trick: string) => `/i/below/_/photo.jpg${trick}`,
      (trick: string) => `/i/below/_/${trick}`,
      (trick: string) => `/i/below/${trick}/photo.jpg`,
      (trick: string) => `/i/below/_/none.jpg?${trick}`,
    ];
    const paths = shapes.flatMap((shape) => tricks.map(shape));
    const statuses: (number | null)[] = [];
    const asked = await askedDuring(async () => {
      statuses.push(...(await flood(paths, (path) => statusOf(path))));
    });
    for (const url of asked) expect(url).toMatch(/^\/below\//);
    const usual = new Set([200, 301, 302, 400, 404]);
    expect(paths.filter((_, at) => !usual.has(statuses[at] ?? 0))).toEqual([]);
  });
});

describe('options', () => {
  it.each([
    ...['t_toString', 't_constructor', 'p___proto__', 'fit_constructor', 'pos_constructor'],
    ...['f_toString', 'constructor_1', '__proto___1', 'w_NaN', 'w_1e3', 'm_1e9', 'b_%00%00%00'],
    ...['%09Location:x', 'w_10,,h_10', '&', '%5F%5F', 'x'.repeat(5000), 'w_10'.repeat(1000)],
  ])('%s are told to be wrong', async (options) => {
    await service.site('options').catch(() => {});
    await expectProblem(await service.get(`/i/options/${options}/photo.jpg`), 'invalid_options');
  });
});

describe('a site', () => {
  it('accepts the secrets of a rotation while they overlap, and expired URLs never', {
    tags: 'slow',
  }, async () => {
    const site = await service.site('rotated', { signed: true });
    const old = await signedPath(site, 'w_31/photo.jpg');
    const rotate = async (hours: number) => {
      const path = `/v1/sites/${site.id}/rotate-secret`;
      const response = await service.owner.post(path, { overlap_hours: hours });
      return response.json<Site>();
    };
    const rotated = await signedPath(await rotate(1), 'w_31/photo.jpg');
    expect(rotated).not.toBe(old);
    for (const path of [old, rotated]) expect((await service.get(path)).status).toBe(200);
    const last = await rotate(0);
    for (const path of [old, rotated]) {
      await expectProblem(await service.get(path), 'invalid_url_signature');
    }
    const expiry = Math.floor(Date.now() / 1000) + 3;
    const path = await signedPath(last, `w_31,exp_${expiry}/photo.jpg`);
    for (;;) {
      const before = Date.now();
      const { status } = await service.get(path);
      if (status !== 200) {
        expect(Date.now()).toBeGreaterThanOrEqual(1000 * expiry);
        break;
      }
      expect(before).toBeLessThan(1000 * expiry);
    }
    await expectProblem(await service.get(path), 'url_expired');
  });

  it('of presets answers nothing else, and tells scripts of pages so', async () => {
    const presets = { small: 'w_32,f_jpg' };
    await service.site('presets', { presets, presets_only: true });
    const first = await service.get('/i/presets/p_small/photo.jpg');
    expect([first.status, first.headers.get('Image-Width')]).toEqual([200, '32']);
    expect((await service.get('/i/presets/_/photo.jpg')).status).toBe(200);
    for (const [options, code] of [
      ['w_32', 'preset_required'],
      ['p_small,w_33', 'preset_required'],
      ['p_none', 'invalid_options'],
      ['p_small,p_small', 'invalid_options'],
    ] as const) {
      const response = await service.get(`/i/presets/${options}/photo.jpg`);
      expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*');
      await expectProblem(response, code);
    }
  });
});

describe('headers', () => {
  it('of any kind change neither the image nor who gets it', async () => {
    await service.site('headers', { cache_seconds: 86_400 });
    const path = '/i/headers/w_64,f_jpg/photo.jpg';
    const etag = (await service.get(path)).headers.get('ETag');
    const hostile = [
      ...[
        `"${'"'.repeat(7000)}`,
        `image/webp${' '.repeat(7000)};q=1`,
        `${'a;'.repeat(3500)}`,
        ',,,;,',
      ],
      ...['image/avif;q=NaN', 'image/webp;q=1;q="0"', 'image/__proto__', '\xff\xfe'],
    ].map((accept) => `Accept: ${accept}`);
    hostile.push(`If-None-Match: ${',"'.repeat(3500)}`, 'If-None-Match: "', 'Range: bytes=0-1');
    hostile.push(
      'If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT',
      'If-Match: "x"',
      'Cookie: a=b',
    );
    hostile.push('Authorization: Bearer x', 'X-Forwarded-Host: evil.example', 'Request-Id: mine');
    const answers = await flood(hostile, (header) =>
      rawRequest(
        new URL(service.origin),
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${header}\r\n\r\n`,
      ),
    );
    for (const { status, head } of answers) {
      expect(status).toBe(200);
      expect(head).toContain(`ETag: ${etag}`);
      expect(head).not.toContain('Request-Id: mine');
    }
  });
});

describe('a flood', () => {
  it('makes and fetches no more than the limit, and pages get the original', {
    tags: 'slow',
  }, async () => {
    await service.site('flooded');
    const widths = Array.from({ length: 80 }, (_, at) => `/i/flooded/w_${at + 20}/flood.jpg`);
    const absent = Array.from({ length: 80 }, (_, at) => `/i/flooded/_/none-${at}.jpg`);
    const answers: Response[] = [];
    const asked = await askedDuring(async () => {
      answers.push(...(await flood([...widths, ...absent], (path) => service.get(path))));
    });
    // The flood may last longer than a minute on a slow machine, but never two.
    expect(asked.length).toBeGreaterThanOrEqual(newPerMinute / 2);
    expect(asked.length).toBeLessThanOrEqual(2 * newPerMinute);
    const redirects = answers.filter(({ status }) => status === 302);
    expect(redirects.length).toBeGreaterThanOrEqual(160 - 2 * newPerMinute);
    for (const { headers } of redirects) {
      expect(headers.get('Location')).toMatch(
        new RegExp(`^${service.foreign.at('/')}(flood|none-)`),
      );
      expect(headers.get('Image-Error')).toBe('site_limit_exceeded');
    }
    const others = new Set(answers.map(({ status }) => status).filter((status) => status !== 302));
    for (const status of others) expect([200, 404]).toContain(status);
    await Promise.all(answers.map(({ body }) => body?.cancel()));
  });

  it('of wrong signatures makes and fetches nothing', async () => {
    const signed = await service.site('guarded', { signed: true });
    const path = await signedPath(signed, 'w_50/photo.jpg');
    const wrong = Array.from({ length: 50 }, (_, at) => path.replace('w_50', `w_${at + 51}`));
    const asked = await askedDuring(async () => {
      for (const { status } of await flood(wrong, (one) => service.get(one))) {
        expect(status).toBe(403);
      }
    });
    expect(asked).toEqual([]);
  });

  it('leaves the memory for a large image', { tags: 'slow' }, async () => {
    await service.site('large');
    const answers = await flood([1000, 1100], (width) =>
      service.get(`/i/large/w_${width},f_png/large.png`),
    );
    for (const response of answers) {
      expect(response.headers.get('Image-Error')).toBe(null);
      expect(response.status).toBe(200);
      await response.arrayBuffer();
    }
  });
});

describe('the quota', () => {
  it('is never exceeded, and then pages get originals and others the error', {
    tags: 'slow',
  }, async () => {
    const names = ['quota-a', 'quota-b', 'quota-c'];
    for (const name of names) await service.site(name);
    const strict = await service.site('quota-strict', { on_error: 'error' });
    const paths = names.flatMap((name) =>
      Array.from({ length: newPerMinute }, (_, at) => `/i/${name}/w_${at + 30}/quota.jpg`),
    );
    const answers = await flood(paths, (path) => service.get(path));
    for (const response of answers) {
      expect([200, 302]).toContain(response.status);
      await response.body?.cancel();
    }
    const refused = answers.map(({ headers }) => headers.get('Image-Error'));
    expect(refused).toContain('quota_exceeded');
    const problem = await service.get(`/i/${strict.slug}/w_99/quota.jpg`);
    await expectProblem(problem, 'quota_exceeded');
    const me = await (await service.owner.get('/v1/me')).json<{ free_quota: { used: number } }>();
    expect(me.free_quota.used).toBeLessThanOrEqual(freeFiles);
  });
});
