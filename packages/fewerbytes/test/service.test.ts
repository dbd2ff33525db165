import {
  chmod,
  copyFile,
  mkdir,
  readFile,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { smallLogo, smallPhoto } from '../../../test/support/pictures.ts';
import { sharedTestService, type TestService } from '../../../test/support/service.ts';
import { OptimizeError, optimize } from '../src/files/index.ts';
import { command, linesOf } from './support/command.ts';
import { contents, newFolder } from './support/folders.ts';

const samples = join(import.meta.dirname, '../../../test/support/samples');
let service: TestService;
let cwd: string;

beforeAll(async () => {
  service = await sharedTestService();
});
afterAll(() => service.close());

beforeEach(async () => {
  cwd = await newFolder(onTestFinished);
});

const run = (...args: readonly string[]) =>
  command(args, { cwd, url: service.url.href, key: service.key });

async function place(sample: string, name: string): Promise<void> {
  await mkdir(join(cwd, name, '..'), { recursive: true });
  await copyFile(join(samples, sample), join(cwd, name));
}

it('a folder is optimized in place: whatever names, links once, nothing hidden, nothing larger, modes kept', {
  tags: 'slow',
}, async () => {
  await place('logo.png', 'in/sub folder/größe – 写真.PNG');
  await place('photo.jpg', 'in/photo [1].JPG');
  await place('logo.png', 'in/.hidden/logo.png');
  await place('logo.png', 'in/node_modules/logo.png');
  await place('logo.png', 'outside.png');
  await writeFile(join(cwd, 'in/notes.txt'), 'no image');
  await symlink('../outside.png', join(cwd, 'in/link.png'));
  await symlink('photo [1].JPG', join(cwd, 'in/again.jpg'));
  await chmod(join(cwd, 'in/photo [1].JPG'), 0o640);
  const before = await contents(cwd);
  const ended = await run('in', 'in/photo [1].JPG');
  expect(ended.err).toBe('');
  expect(ended.code).toBe(0);
  expect(ended.out).toContain('3 optimized. 2 requests sent');
  const after = await contents(cwd);
  expect([...after.keys()]).toEqual([...before.keys()]);
  const changed = [...after].filter(([name, bytes]) => !before.get(name)?.equals(bytes));
  expect(changed.map(([name]) => name)).toEqual([
    'in/again.jpg',
    'in/link.png',
    'in/photo [1].JPG',
    'in/sub folder/größe – 写真.PNG',
    'outside.png',
  ]);
  for (const [name, bytes] of changed) {
    expect(bytes.length, name).toBeLessThan(before.get(name)?.length ?? 0);
  }
  expect((await stat(join(cwd, 'in/photo [1].JPG'))).mode & 0o777).toBe(0o640);
  // control characters belong to terminals
  expect(ended.out).not.toContain('\x1b');
  const again = await run('in');
  expect(again.out).toContain('3 cannot be smaller. 0 requests sent, 3 known from the cache.');
});

it('other formats go beside their images, and are known the second time; others’ files are left alone', {
  tags: 'slow',
}, async () => {
  await place('photo.jpg', 'photo.jpg');
  await place('logo.png', 'logo.png');
  await place('samples.webp', 'logo.webp');
  const first = await run('.', '--format', 'webp', '--width', '300', '--json');
  expect(first.code).toBe(0);
  expect(linesOf(first.out)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ path: 'photo.jpg', status: 'optimized', output: 'photo.webp' }),
      expect.objectContaining({ path: 'logo.png', status: 'skipped', reason: 'exists' }),
      expect.objectContaining({ path: 'logo.webp', status: 'optimized', output: 'logo.webp' }),
    ]),
  );
  const sizes = await Promise.all(
    ['photo.jpg', 'photo.webp'].map((name) => readFile(join(cwd, name))),
  );
  expect(sizes[0]).toEqual(await readFile(join(samples, 'photo.jpg')));
  expect(sizes[1]?.subarray(8, 12).toString()).toBe('WEBP');
  const second = await run('.', '--format', 'webp', '--width', '300', '--json');
  expect(second.code).toBe(0);
  expect(linesOf(second.out).at(-1)).toMatchObject({ requests: 0 });
});

it('an out folder gets every image, in its folders; two results of one name are not written over each other', async () => {
  await place('logo.png', 'in/a/logo.png');
  await place('photo.jpg', 'in/a/logo.jpg');
  await place('photo.jpg', 'in/b/photo.jpg');
  const ended = await run('in', '-o', 'out', '-f', 'webp', '-w', '200', '--keep-time', '-c', '1');
  expect(ended.code).toBe(1);
  expect(ended.out).toContain('name_collision: The result would have the name of another image');
  const after = await contents(cwd);
  expect([...after.keys()].filter((name) => name.startsWith('out'))).toEqual([
    'out/a/logo.webp',
    'out/b/photo.webp',
  ]);
  expect(after.get('in/a/logo.png')).toEqual(await readFile(join(samples, 'logo.png')));
  const [source, result] = await Promise.all(
    ['in/b/photo.jpg', 'out/b/photo.webp'].map((name) => stat(join(cwd, name))),
  );
  // to the millisecond, which a Date has
  expect(result?.mtimeMs).toBeCloseTo(source?.mtimeMs ?? 0, -1);
});

it('some failed is status 1: damaged, no image, missing, read-only; the others are done', {
  tags: 'slow',
}, async () => {
  await place('logo.png', 'logo.png');
  await place('logo.png', 'read-only.png');
  await chmod(join(cwd, 'read-only.png'), 0o444);
  await writeFile(
    join(cwd, 'broken.jpg'),
    (await readFile(join(samples, 'photo.jpg'))).subarray(0, 9000),
  );
  await writeFile(join(cwd, 'notes.txt'), 'no image');
  const before = await contents(cwd);
  const ended = await run('.', 'notes.txt', 'missing.jpg', '--json');
  expect(ended.code).toBe(1);
  const codes = linesOf(ended.out).flatMap(({ path, error }) =>
    error ? [[path, (error as { code: string }).code]] : [],
  );
  expect(codes.sort()).toEqual([
    ['broken.jpg', 'invalid_image'],
    ['missing.jpg', 'not_found'],
    ['notes.txt', 'not_an_image'],
    ['read-only.png', 'read_only'],
  ]);
  const after = await contents(cwd);
  expect(after.get('logo.png')?.length).toBeLessThan(before.get('logo.png')?.length ?? 0);
  before.delete('logo.png');
  after.delete('logo.png');
  expect(after).toEqual(before);
});

it('a wrong key is status 3, and the variable is named that has it', async () => {
  await place('logo.png', 'logo.png');
  const ended = await command(['.'], { cwd, url: service.url.href, key: 'fewer_wrong' });
  expect(ended.code).toBe(3);
  expect(ended.out).toMatch(
    /invalid_api_key: The API key in FEWERBYTES_KEY is not valid: .+\n {2}http.+\/docs\/errors#invalid_api_key\n {2}logo\.png/,
  );
});

it('a key without files left is status 4; with a higher limit the next run does the rest', {
  tags: 'slow',
}, async () => {
  const visitor = await service.signedIn('clialice@gmail.com');
  const send = (method: string, path: string, body: object) =>
    visitor.fetch(path, {
      method,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  const made = await send('POST', '/v1/keys', { name: 'command', monthly_limit: 1 });
  const { id, key } = (await made.json()) as { id: string; key: string };
  await place('logo.png', 'a.png');
  await place('interface.png', 'b.png');
  const url = service.url.href;
  const ended = await command(['.', '-c', '1'], { cwd, url, key });
  expect(ended.code).toBe(4);
  expect(ended.out).toContain('1 optimized, 1 failed.');
  expect(ended.out).toContain('key_limit_exceeded');
  await send('PATCH', `/v1/keys/${id}`, { monthly_limit: 5 });
  const later = await command(['.'], { cwd, url, key });
  expect(later.code).toBe(0);
  expect(later.out).toContain('1 optimized, 1 cannot be smaller. 1 request sent');
});

it('max-bytes and target reach the service', async () => {
  await writeFile(join(cwd, 'photo.jpg'), await smallPhoto());
  const ended = await run('photo.jpg', '--max-bytes', '12000', '--target', 'high', '--json');
  expect(linesOf(ended.out)[0]).toMatchObject({ status: 'optimized' });
  expect((await stat(join(cwd, 'photo.jpg'))).size).toBeLessThanOrEqual(12_000);
});

it('what was changed meanwhile is left alone', { tags: 'slow' }, async () => {
  await place('photo.jpg', 'photo.jpg');
  const path = join(cwd, 'photo.jpg');
  const running = run('photo.jpg', '--json', '--format', 'jpeg');
  const timer = setInterval(() => void utimes(path, new Date(), new Date()), 5);
  const ended = await running;
  clearInterval(timer);
  expect(linesOf(ended.out)[0]).toMatchObject({ error: { code: 'changed_meanwhile' } });
  expect(await readFile(path)).toEqual(await readFile(join(samples, 'photo.jpg')));
});

it('the library optimizes bytes and files, and its errors have codes', {
  tags: 'slow',
}, async () => {
  const settings = { url: service.url.href, key: service.key, cache: join(cwd, '.cache') };
  const path = join(samples, 'logo.png');
  const image = await optimize(path, { ...settings, options: { format: 'webp', width: 64 } });
  expect(image).toMatchObject({ kind: 'smaller', type: 'image/webp', width: 64, isCached: false });
  if (image.kind !== 'smaller') throw new Error('kept');
  const again = await optimize(await readFile(path), {
    ...settings,
    options: { width: 64, format: 'webp' },
  });
  expect(again).toMatchObject({ isCached: true, bytes: image.bytes });
  await expect(optimize('nowhere.jpg', settings)).rejects.toMatchObject({ code: 'not_found' });
  const refused = optimize(path, { ...settings, options: { format: 'jpeg' } });
  await expect(refused).rejects.toBeInstanceOf(OptimizeError);
  await expect(refused).rejects.toMatchObject({ code: 'invalid_options', status: 400 });
});

it('a file that is too large fails with the service’s words, not as a broken connection', {
  tags: 'slow',
}, async () => {
  const large = Buffer.alloc(40 * 2 ** 20);
  large.set([0xff, 0xd8, 0xff, 0xe0]);
  await writeFile(join(cwd, 'large.jpg'), large);
  await place('logo.png', 'logo.png');
  const ended = await run('.', '--json', '-c', '1');
  expect(ended.code).toBe(1);
  expect(linesOf(ended.out)).toMatchObject([
    { path: 'large.jpg', error: { code: 'body_too_large', status: 413 } },
    { path: 'logo.png', status: 'optimized' },
    { requests: 2 },
  ]);
});

it('a set takes one request and the bytes of this machine; a second run takes none', {
  tags: 'slow',
}, async () => {
  await mkdir(join(cwd, 'in/sub'), { recursive: true });
  await writeFile(join(cwd, 'in/sub/photo.jpg'), await smallPhoto());
  await writeFile(join(cwd, 'in/logo.png'), await smallLogo());
  const set = ['--widths', '60,200', '--formats', 'webp,keep', '--ratio', '4:3', '--json'];
  const sent = await run('in', '-o', 'out', '--service', ...set);
  expect(sent.err).toBe('');
  expect(sent.code).toBe(0);
  const lines = linesOf(sent.out);
  expect(lines.at(-1)).toMatchObject({ optimized: 8, requests: 2, peakMemory: null });
  expect(lines.at(-1)?.quotaRemaining).toEqual(expect.any(Number));
  const local = await run('in', '-o', 'local', '--local', ...set);
  expect(local.code).toBe(0);
  const files = [...(await contents(cwd))];
  const made = (folder: string) =>
    files.flatMap(([name, bytes]) => {
      const [first, ...rest] = name.split('/');
      return first === folder ? [[rest.join('/'), bytes] as const] : [];
    });
  expect(made('out').map(([name]) => name)).toEqual([
    ...['logo-200.png', 'logo-200.webp', 'logo-60.png', 'logo-60.webp'],
    ...['sub/photo-200.jpg', 'sub/photo-200.webp', 'sub/photo-60.jpg', 'sub/photo-60.webp'],
  ]);
  expect(made('out')).toEqual(made('local'));
  const html = (out: string) =>
    linesOf(out)
      .flatMap(({ html }) => (html ? [html] : []))
      .sort();
  expect(html(sent.out)).toEqual(html(local.out.replaceAll('local/', 'out/')));
  const again = await run('in', '-o', 'out', '--service', ...set);
  expect(linesOf(again.out).at(-1)).toMatchObject({ optimized: 8, requests: 0 });
});

it('what a service refuses of a set is told as by this machine', { tags: 'slow' }, async () => {
  await place('photo.jpg', 'photo.jpg');
  const set = ['--widths', '60,1600', '--formats', 'webp', '--max-bytes', '12000', '--json'];
  const ended = await run('photo.jpg', '--service', ...set);
  expect(ended.code).toBe(1);
  const [made, failed] = linesOf(ended.out);
  expect(made).toMatchObject({ status: 'optimized', output: 'photo-60.webp' });
  expect(failed).toMatchObject({
    status: 'failed',
    error: {
      code: 'max_bytes_unreachable',
      detail: expect.stringContaining('1600 pixels wide, as image/webp: '),
    },
  });
  const refused = await run(
    'photo.jpg',
    '--service',
    '--widths',
    '60',
    '--formats',
    'gif',
    '--json',
  );
  expect(linesOf(refused.out)[0]).toMatchObject({
    error: { code: 'invalid_options', status: 400 },
  });
});
