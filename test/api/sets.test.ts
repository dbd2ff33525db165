import { setTimeout as pause } from 'node:timers/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Manifest } from '../../src/routes/sets/manifest.ts';
import { expectProblem } from '../support/answers.ts';
import { itForEach } from '../support/each.ts';
import { plainPicture, sample, smallPhoto } from '../support/pictures.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { eventually } from '../support/time.ts';
import { storedEntries } from '../support/zip.ts';

let service: TestService;
let photo: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  service = await startTestService({ FREE_FILES_PER_MONTH: '40' });
  photo = await smallPhoto();
});
afterAll(() => service.close());

type Body = Uint8Array<ArrayBuffer> | FormData | string;

function post(key: string, query: string, body: Body = photo, type?: string): Promise<Response> {
  const headers = { Authorization: `Bearer ${key}`, ...(type && { 'Content-Type': type }) };
  return service.fetch(`/v1/sets${query}`, { method: 'POST', headers, body });
}

interface Set {
  readonly files: ReadonlyMap<string, Buffer>;
  readonly manifest: Manifest;
}

/** The files of an archive, checked against its manifest and by another decoder. */
async function setIn(response: Response): Promise<Set> {
  const zip = Buffer.from(await response.arrayBuffer());
  expect(response.status, zip.toString('latin1', 0, 300)).toBe(200);
  expect(response.headers.get('Content-Type')).toBe('application/zip');
  const files = storedEntries(zip);
  const names = [...files.keys()];
  expect(names.at(-1)).toBe('manifest.json');
  const manifest: Manifest = JSON.parse(String(files.get('manifest.json')));
  expect(manifest.results.map(({ file }) => file).sort()).toEqual(names.slice(0, -1).sort());
  const inputBytes = Number(response.headers.get('Image-Input-Bytes'));
  for (const { file, type, width, height, bytes, optimized } of manifest.results) {
    const content = files.get(file) ?? Buffer.of();
    const { format, autoOrient } = await sharp(content).metadata();
    expect(`image/${format === 'heif' ? 'avif' : format}`).toBe(type);
    expect([autoOrient.width, autoOrient.height, content.length]).toEqual([width, height, bytes]);
    expect(optimized).toBe(bytes <= 0.99 * inputBytes);
  }
  return { files, manifest };
}

/** The files that are used and in flight, and what statistics know. */
async function figures(email: string) {
  await service.meters.flush();
  const row = await service.database
    .prepare(
      `SELECT m.free_used AS used, m.uncharged_used AS uncharged,
              (SELECT coalesce(sum(files), 0) FROM usage_days d WHERE d.user_id = u.id) AS files,
              (SELECT coalesce(sum(month_used), 0) FROM api_keys k WHERE k.user_id = u.id) AS ofKeys
       FROM users u JOIN mailboxes m ON m.id = u.mailbox_id WHERE email = ?1`,
    )
    .bind(email)
    .first<Record<'used' | 'uncharged' | 'files' | 'ofKeys', number>>();
  return { ...row, open: await (await service.meters.of(email)).inFlight() };
}

function expectFigures(email: string, expected: object): Promise<void> {
  return eventually(async () =>
    expect(await figures(email)).toMatchObject({ open: 0, ...expected }),
  );
}

describe('a set', () => {
  it('has what calls of their own give, in one archive, with markup for all of it', async () => {
    const key = await service.keyOf('set@example.com');
    const response = await post(key, '?widths=60,120&formats=jpeg,webp&placeholder=thumbhash');
    expect(response.headers.get('Content-Disposition')).toBe('attachment; filename="image.zip"');
    expect(response.headers.get('Quota-Remaining')).toBe('36');
    const { files, manifest } = await setIn(response);
    expect([...files.keys()].sort()).toEqual([
      ...['image-120.jpg', 'image-120.webp', 'image-60.jpg', 'image-60.webp', 'manifest.json'],
    ]);
    expect(manifest).toMatchObject({ width: 480, height: 320, failed: [] });
    expect(manifest.placeholder).toMatch(/^[\w+/]+=*$/);
    for (const width of [60, 120]) {
      for (const [format, extension] of [
        ['jpeg', 'jpg'],
        ['webp', 'webp'],
      ]) {
        const single = await service.optimize(photo, `?width=${width}&format=${format}`);
        const bytes = Buffer.from(await single.arrayBuffer());
        expect(files.get(`image-${width}.${extension}`)?.equals(bytes)).toBe(true);
      }
    }
    expect(manifest.html).toBe(
      [
        '<picture>',
        '  <source type="image/webp" srcset="image-60.webp 60w, image-120.webp 120w" sizes="{{sizes}}">',
        '  <img src="image-120.jpg" srcset="image-60.jpg 60w, image-120.jpg 120w" sizes="{{sizes}}" width="120" height="80" alt="" loading="lazy">',
        '</picture>',
      ].join('\n'),
    );
    await expectFigures('set@example.com', { used: 4, files: 4, ofKeys: 4, uncharged: 0 });
  });

  it('comes of a form, and of JSON whose lists are lists', async () => {
    const key = await service.keyOf('carriers@example.com');
    const form = new FormData();
    form.append('widths', '30');
    form.append('formats', 'png');
    form.append('ratio', '1:1');
    form.append('file', new Blob([photo]), 'a/Häuser & "Co".jpg');
    const { files, manifest } = await setIn(await post(key, '', form));
    expect([...files.keys()]).toEqual(['Häuser & _Co_-30.png', 'manifest.json']);
    expect(manifest.results).toMatchObject([{ width: 30, height: 30 }]);
    expect(manifest.html).toContain('src="H%C3%A4user%20%26%20_Co_-30.png"');
    const json = JSON.stringify({
      url: 'https://localhost/',
      widths: [30],
      formats: ['png', 'gif', 'bmp'],
    });
    const problem = await expectProblem(
      await post(key, '', json, 'application/json'),
      'invalid_options',
    );
    expect(problem.errors).toMatchObject([{ path: 'formats' }]);
  });

  itForEach<readonly [what: string, name: string, stem: string]>(
    [
      ['a surrogate pair is cut', `${'x'.repeat(99)}😀.png`, `${'x'.repeat(99)}\ufffd`],
      ['nothing but dots', '....png', 'image'],
      ['a hidden file', '.photo.png', 'photo'],
      ['text that runs backwards', 'gnp.\u202eoto.png', 'gnp._oto'],
    ],
    'has names that can be unpacked: of %s',
    async (_, name, stem) => {
      const key = await service.keyOf('names@example.com');
      const form = new FormData();
      form.append('widths', '20');
      form.append('formats', 'webp');
      form.append('file', new Blob([await smallPhoto(60)]), name);
      const { files, manifest } = await setIn(await post(key, '', form));
      expect([...files.keys()]).toEqual([`${stem}-20.webp`, 'manifest.json']);
      expect(manifest.html).toContain(`src="${encodeURIComponent(stem)}-20.webp"`);
    },
  );

  it('has names that can be unpacked: of a line break', { tags: 'slow' }, async () => {
    const key = await service.keyOf('names@example.com');
    const part = (disposition: string, content: string) =>
      `--x\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}`;
    const options = `${part('name="widths"', '20')}\r\n${part('name="formats"', 'webp')}\r\n`;
    const head = part(`name="file"; filename*=UTF-8''a%0Ab.png`, '');
    const body = new Blob([options, head, await smallPhoto(60), '\r\n--x--\r\n']);
    const form = new Uint8Array(await body.arrayBuffer());
    const { files } = await setIn(await post(key, '', form, 'multipart/form-data; boundary=x'));
    expect([...files.keys()]).toEqual(['a_b-20.webp', 'manifest.json']);
  });

  it('includes what can be made, and says why the rest cannot', { tags: 'slow' }, async () => {
    const email = 'partly@example.com';
    const key = await service.keyOf(email);
    const { manifest } = await setIn(await post(key, '?widths=40,480&formats=webp&max_bytes=3000'));
    expect(manifest.results).toMatchObject([{ file: 'image-40.webp' }]);
    expect(manifest.failed).toMatchObject([
      { width: 480, type: 'image/webp', code: 'max_bytes_unreachable' },
    ]);
    await expectFigures(email, { used: 1, files: 1, uncharged: 1 });
  });

  it('is not charged for results that are no smaller than the upload', {
    tags: 'slow',
  }, async () => {
    const email = 'larger@example.com';
    const key = await service.keyOf(email);
    const tiny = await plainPicture(100, 80).webp({ quality: 1 }).toBuffer();
    const { manifest } = await setIn(
      await post(key, '?widths=20,100&formats=png', Uint8Array.from(tiny)),
    );
    const charged = manifest.results.filter(({ optimized }) => optimized).length;
    expect(charged).toBeLessThan(2);
    await expectFigures(email, { used: charged, files: 2, uncharged: 2 - charged });
  });
});

describe('a set is refused before its first byte', () => {
  it('for what its options, its headers or its image tell, and costs nothing but damage', {
    tags: 'slow',
  }, async () => {
    const email = 'refused@example.com';
    const key = await service.keyOf(email);
    const png = await plainPicture(40, 30).png().toBuffer();
    const refusals: [string, Body, Parameters<typeof expectProblem>[1]][] = [
      ['', photo, 'invalid_options'],
      ['?widths=', photo, 'invalid_options'],
      ['?widths=40,30', photo, 'invalid_options'],
      ['?widths=1,2,3,4,5,6,7,8,9,10,11', photo, 'invalid_options'],
      ['?widths=40&formats=webp,webp', photo, 'invalid_options'],
      ['?widths=40&formats=auto', photo, 'invalid_options'],
      ['?widths=40&fit=cover', photo, 'invalid_options'],
      ['?widths=40&position=top', photo, 'invalid_options'],
      ['?widths=40&ratio=1:1&fit=inside', photo, 'invalid_options'],
      ['?widths=40&ratio=1:1&fit=fill&position=top', photo, 'invalid_options'],
      ['?widths=40&ratio=0:1', photo, 'invalid_options'],
      ['?widths=40&width=40', photo, 'invalid_options'],
      ['?widths=40&widths=50', photo, 'invalid_options'],
      ['?widths=40&quality=50&target=high', photo, 'invalid_options'],
      ['?widths=40&formats=gif,webp', photo, 'invalid_options'],
      ['?widths=40&formats=webp,jxl', Uint8Array.from(png), 'invalid_options'],
      ['?widths=40', Uint8Array.from(Buffer.from('no image')), 'unsupported_media_type'],
      ['?widths=40', new Uint8Array(0), 'invalid_request'],
    ];
    for (const [query, body, code] of refusals)
      await expectProblem(await post(key, query, body), code);
    await expectFigures(email, { used: 0, files: 0, uncharged: 0 });
    const cut = photo.slice(0, photo.length / 2);
    await expectProblem(await post(key, '?widths=40,80&formats=webp,jpeg', cut), 'invalid_image');
    // It was tried once for all results.
    await expectFigures(email, { used: 0, files: 0, uncharged: 1 });
  });

  it('and keeps nothing of the upload, however often', { tags: 'slow' }, async () => {
    const key = await service.keyOf('kept@example.com');
    const unknown = new Uint8Array(12_000_000);
    for (let i = 0; i < 4; i += 1) {
      const began = Date.now();
      await expectProblem(await post(key, '?widths=20,40', unknown), 'unsupported_media_type');
      expect(Date.now() - began).toBeLessThan(10_000);
    }
  });

  it('if all of it would take too long, and says how much would not', {
    tags: 'slow',
  }, async () => {
    const key = await service.keyOf('long@example.com');
    const large = await plainPicture(6000, 5000).jpeg({ quality: 60 }).toBuffer();
    const query =
      '?widths=600,1200,1800,2400,3000,3600,4200,4800,5400,6000&formats=avif,webp,png,jpeg';
    const problem = await expectProblem(
      await post(key, `${query}&target=high`, Uint8Array.from(large)),
      'invalid_options',
    );
    expect(problem.limit_results).toBeGreaterThan(0);
    expect(problem.detail).toContain(`${problem.limit_results} of them would do`);
  });

  it('if fewer files are left than it has results, and nothing is made or kept', {
    tags: 'slow',
  }, async () => {
    const email = 'few@example.com';
    const key = await service.keyOf(email);
    await service.meters.use(email, 37);
    const query = '?widths=20,40&formats=jpeg,webp';
    await expectProblem(await post(key, query), 'quota_exceeded');
    expect(await figures(email)).toMatchObject({ used: 37, uncharged: 0 });
    await expectFigures(email, { used: 37 });
    await setIn(await post(key, '?widths=20,30,40'));
    await expectFigures(email, { used: 40 });
    await expectProblem(await post(key, '?widths=20'), 'quota_exceeded');
  });

  it('if its key may not use so many', { tags: 'slow' }, async () => {
    const client = await service.signedIn('limited@example.com');
    const created = await client.post('/v1/keys', { name: 'limited', monthly_limit: 3 });
    const { key } = (await created.json()) as { key: string };
    const problem = await expectProblem(
      await post(key, '?widths=20,40&formats=jpeg,webp'),
      'key_limit_exceeded',
    );
    expect(problem.limit).toBe(3);
    await setIn(await post(key, '?widths=20,30,40'));
    await expectProblem(await post(key, '?widths=20'), 'key_limit_exceeded');
  });
});

describe('many sets at once', () => {
  it('are charged exactly, and none beyond the quota', async () => {
    const email = 'at-once@example.com';
    const key = await service.keyOf(email);
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const response = await post(key, '?widths=20,30,40');
        const bytes = Buffer.from(await response.arrayBuffer());
        return { status: response.status, files: response.ok ? storedEntries(bytes).size - 1 : 0 };
      }),
    );
    const served = answers.filter(({ status }) => status === 200);
    expect(answers.every(({ status }) => [200, 402, 503].includes(status))).toBe(true);
    expect(served.length).toBeGreaterThan(0);
    expect(served.every(({ files }) => files === 3)).toBe(true);
    expect(3 * served.length).toBeLessThanOrEqual(40);
    await expectFigures(email, { used: 3 * served.length, files: 3 * served.length });
  });

  it('let short calls of others through between their passes', { tags: 'slow' }, async () => {
    const key = await service.keyOf('passes@example.com');
    const other = await service.keyOf('between@example.com');
    const phone = await sample('phone.jpg');
    const order: string[] = [];
    const set = post(key, '?widths=400,1000,2000,4032&formats=jpeg,webp', phone).then(
      async (response) => {
        await setIn(response);
        order.push('set');
      },
    );
    await pause(300);
    const headers = { Authorization: `Bearer ${other}` };
    for (let i = 0; i < 3; i += 1) {
      const response = await service.fetch('/v1/optimize', {
        method: 'POST',
        headers,
        body: photo,
      });
      expect(response.status).toBe(200);
      await response.arrayBuffer();
      order.push('other');
    }
    await set;
    expect(order.slice(0, 3)).toEqual(['other', 'other', 'other']);
  });
});

describe('a client that leaves a set', () => {
  it('is charged for the results that had left, and for no other', { tags: 'slow' }, async () => {
    const email = 'leaves@example.com';
    const key = await service.keyOf(email);
    const large = await sample('photo.jpg');
    const leave = new AbortController();
    const headers = { Authorization: `Bearer ${key}` };
    const path = '/v1/sets?widths=300,600,900,1200,1500&formats=png,webp';
    const response = await fetch(new URL(path, service.url), {
      ...{ method: 'POST', headers, body: large, signal: leave.signal },
    });
    const reader = response.body?.getReader();
    let received = 0;
    while (received < 200_000) received += (await reader?.read())?.value?.length ?? 0;
    leave.abort();
    await eventually(async () => expect(await figures(email)).toMatchObject({ open: 0 }));
    const { used, uncharged = 0 } = await figures(email);
    expect(used).toBeGreaterThan(0);
    expect(used).toBeLessThan(10);
    expect(uncharged).toBeLessThanOrEqual(10 - (used ?? 0));
    const again = await service.fetch('/v1/optimize', { method: 'POST', headers, body: photo });
    expect(again.status).toBe(200);
  });
});
