import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { smallLogo, smallPhoto } from '../../../test/support/pictures.ts';
import type * as Package from '../src/engine/index.ts';
import type * as Files from '../src/files/index.ts';
import { bin, blank, command, linesOf, start, systemNode } from './support/command.ts';
import { contents, newFolder } from './support/folders.ts';

// Sets of files, made by this machine; service.test.ts has those of a service.

const samples = join(import.meta.dirname, '../../../test/support/samples');
const urls = ['index.js', 'files.js'].map(
  (name) => pathToFileURL(join(import.meta.dirname, '../dist', name)).href,
) as [string, string];
const { optimize }: typeof Package = await import(urls[0]);
const { optimizeFiles }: typeof Files = await import(urls[1]);

let cwd: string;
const run = (...args: readonly string[]) => command(args, { cwd });
const set = ['--widths', '100,4000', '--formats', 'webp,keep'];

beforeEach(async () => {
  cwd = await newFolder(onTestFinished);
});

async function place(sample: string, name: string): Promise<void> {
  await mkdir(join(cwd, name, '..'), { recursive: true });
  await copyFile(join(samples, sample), join(cwd, name));
}

/** The names of all files, and when each was changed. */
async function times(): Promise<[string, number][]> {
  const names = [...(await contents(cwd)).keys()];
  return Promise.all(
    names.map(async (name) => [name, (await stat(join(cwd, name))).mtimeMs] as [string, number]),
  );
}

/** The lines about files, by the names of images and results. */
function filesOf(out: string) {
  const files = linesOf(out).filter(({ type }) => type === 'file');
  return files
    .map(({ path, status, output, reason }) => `${path} ${status} ${output ?? reason}`)
    .sort();
}

it('sets lie beside their images, of the bytes of single results; a second run does nothing', {
  tags: 'slow',
}, async () => {
  await mkdir(join(cwd, 'sub folder'));
  await writeFile(join(cwd, 'sub folder/a logo.PNG'), await smallLogo());
  await writeFile(join(cwd, 'photo.jpg'), await smallPhoto());
  const before = await contents(cwd);
  const first = await run('.', ...set, '--json');
  expect(first.err).toBe('');
  expect(first.code).toBe(0);
  const names = {
    'photo.jpg': [100, 480].flatMap((width) => [`photo-${width}.webp`, `photo-${width}.jpg`]),
    'sub folder/a logo.PNG': [100, 256].flatMap((width) =>
      ['webp', 'png'].map((extension) => `sub folder/a logo-${width}.${extension}`),
    ),
  };
  const lines = Object.entries(names).flatMap(([path, made]) =>
    made.map((name) => `${path} optimized ${name}`),
  );
  expect(filesOf(first.out)).toEqual(lines.sort());
  const after = await contents(cwd);
  expect(after.size).toBe(10);
  for (const [path, made] of Object.entries(names)) {
    const image = before.get(path) as Buffer;
    expect(after.get(path)).toEqual(image);
    for (const name of made) {
      const [, width, format] = /-(\d+)\.(\w+)$/.exec(name) ?? [];
      const options = { width: Number(width), ...(format === 'webp' && ({ format } as const)) };
      expect(after.get(name)?.equals((await optimize(image, options)).bytes), name).toBe(true);
    }
  }
  const written = await times();
  const second = await run('.', ...set, '--json');
  expect(second.code).toBe(0);
  const others = Object.values(names).flat();
  expect(filesOf(second.out)).toEqual(
    [...lines, ...others.map((name) => `${name} skipped set-result`)].sort(),
  );
  expect(linesOf(second.out).filter(({ isCached }) => isCached)).toHaveLength(8);
  expect(await times()).toEqual(written);
});

it('results are replaced by those of other options, and never become images of sets themselves', {
  tags: 'slow',
}, async () => {
  await writeFile(join(cwd, 'photo.jpg'), await smallPhoto());
  expect((await run('.', ...set)).code).toBe(0);
  const first = await contents(cwd);
  const other = await run('.', '--widths', '100', '--formats', 'webp,png', '--quality', '20');
  expect(other.code).toBe(0);
  expect(other.out).toContain('2 optimized, 4 left alone.');
  const second = await contents(cwd);
  expect([...second.keys()].filter((name) => !first.has(name))).toEqual(['photo-100.png']);
  const changed = [...first.keys()].filter(
    (name) => !second.get(name)?.equals(first.get(name) as Buffer),
  );
  expect(changed).toEqual(['photo-100.webp']);
  // a glob that names only results
  expect((await run('*.webp', '--widths', '50')).out).toContain('2 left alone.');
});

it('without the cache results are known by name and width, and files of others stay as they are', {
  tags: 'slow',
}, async () => {
  const photo = await smallPhoto();
  await writeFile(join(cwd, 'photo.jpg'), photo);
  await place('logo.png', 'photo-2.png');
  await symlink('photo.jpg', join(cwd, 'photo-300.jpg'));
  await writeFile(join(cwd, 'photo-100.webp'), 'of somebody else');
  const set = ['--widths', '100,300', '--formats', 'webp,keep'];
  const args = ['photo.jpg', '.', ...set, '--no-cache', '--json'];
  const first = await run(...args);
  const made = ['photo-100.jpg', 'photo-300.webp'];
  const ofLogo = ['100.png', '100.webp', '300.png', '300.webp'].map((name) => `photo-2-${name}`);
  const lines = [
    ...made.map((name) => `photo.jpg optimized ${name}`),
    'photo.jpg skipped exists',
    'photo.jpg skipped exists',
    ...ofLogo.map((name) => `photo-2.png optimized ${name}`),
    'photo-100.webp failed null',
  ];
  expect(filesOf(first.out)).toEqual(lines.sort());
  expect(await readFile(join(cwd, 'photo-100.webp'), 'utf8')).toBe('of somebody else');
  expect(new Uint8Array(await readFile(join(cwd, 'photo.jpg')))).toEqual(photo);
  const written = await times();
  const second = await run(...args);
  const left = ['photo.jpg', 'photo-2.png'].flatMap((name) =>
    Array.from({ length: 4 }, () => `${name} skipped exists`),
  );
  const results = [...made, ...ofLogo].map((name) => `${name} skipped set-result`);
  expect(filesOf(second.out)).toEqual([...left, ...results, 'photo-100.webp failed null'].sort());
  expect(await times()).toEqual(written);
});

it('an image that is the best of its own size is its own result, time and again', {
  tags: 'slow',
}, async () => {
  const { bytes } = await optimize(await readFile(join(samples, 'logo.png')), { width: 60 });
  await writeFile(join(cwd, 'logo.png'), bytes);
  const args = ['.', '--widths', '30,60', '--json'];
  const lines = ['logo.png optimized logo-30.png', 'logo.png optimized logo-60.png'];
  expect(filesOf((await run(...args)).out)).toEqual(lines);
  const results = ['logo-30.png skipped set-result', 'logo-60.png skipped set-result'];
  expect(filesOf((await run(...args)).out)).toEqual([...results, ...lines].sort());
  expect((await contents(cwd)).size).toBe(3);
});

it('an out folder gets them under the paths of their images, cropped; two of one name are not mixed up', async () => {
  await place('logo.png', 'in/a/logo.png');
  await place('photo.jpg', 'in/a/logo.jpg');
  await place('photo.jpg', 'in/b/photo.jpg');
  const crop = ['--ratio', '2:1', '--position', 'top'];
  const ended = await run('in', '-o', 'out', '--widths', '200', '--formats', 'webp', ...crop);
  expect(ended.code).toBe(1);
  expect(ended.out).toContain('name_collision: The result would have the name of another image');
  const after = await contents(cwd);
  const made = [...after.keys()].filter((name) => !name.startsWith('in/'));
  expect(made).toEqual(['out/a/logo-200.webp', 'out/b/photo-200.webp']);
  const photo = after.get('in/b/photo.jpg') as Buffer;
  const box = { width: 200, height: 100, fit: 'cover', position: 'top', format: 'webp' } as const;
  expect(after.get('out/b/photo-200.webp')?.equals((await optimize(photo, box)).bytes)).toBe(true);
});

it('--html prints nothing but the markup, with URLs for a page in the working folder', {
  tags: 'slow',
}, async () => {
  await writeFile(join(cwd, 'b.jpg'), await smallPhoto());
  await mkdir(join(cwd, 'sub folder'));
  await writeFile(join(cwd, 'sub folder/a.png'), await smallLogo());
  const args = ['b.jpg', 'sub folder', '--widths', '50,100', '--formats', 'webp,keep'];
  const { out, err, code } = await run(...args, '--html', '--sizes', '(width < 40em) 100vw, 50vw');
  expect(code).toBe(0);
  expect(err).toContain('8 optimized.');
  const sizes = 'sizes="(width &lt; 40em) 100vw, 50vw"';
  const picture = (path: string, type: string, height: number) =>
    [
      '<picture>',
      `  <source type="image/webp" srcset="${path}-50.webp 50w, ${path}-100.webp 100w" ${sizes}>`,
      `  <img src="${path}-100.${type}" srcset="${path}-50.${type} 50w, ${path}-100.${type} 100w" ${sizes} width="100" height="${height}" alt="" loading="lazy">`,
      '</picture>\n',
    ].join('\n');
  expect(out).toBe(picture('b', 'jpg', 67) + picture('sub%20folder/a', 'png', 100));
  const json = await run(...args, '--json', '--placeholder', 'thumbhash');
  const sets = linesOf(json.out).filter(({ type }) => type === 'set');
  expect(sets).toHaveLength(2);
  expect(sets).toContainEqual({
    ...{ type: 'set', path: 'b.jpg', width: 480, height: 320 },
    placeholder: expect.stringMatching(/^[\w+/]{20,}=*$/),
    html: picture('b', 'jpg', 67).trimEnd().replaceAll(sizes, 'sizes="{{sizes}}"'),
  });
});

it('what cannot be made is named with width and type, and the others are written', async () => {
  await writeFile(join(cwd, 'photo.jpg'), await smallPhoto());
  const args = ['.', '--widths', '50,480', '--formats', 'webp', '--max-bytes', '4000'];
  const ended = await run(...args);
  expect(ended.code).toBe(1);
  expect(ended.out).toContain('max_bytes_unreachable: 480 pixels wide, as image/webp: This image');
  expect([...(await contents(cwd)).keys()]).toEqual(['photo-50.webp', 'photo.jpg']);
});

it('a dry run writes nothing, and neither does a run that only measures', async () => {
  await place('logo.png', 'logo.png');
  const { out } = await run('.', '--widths', '50', '--dry-run', '--json');
  expect(filesOf(out)).toEqual(['logo.png planned null']);
  const settings = { cwd, cache: false, set: { widths: [50] } } as const;
  const { files } = await optimizeFiles(['.'], { ...settings, write: false });
  expect(files).toMatchObject([{ status: 'optimized', output: null, width: 50, height: 50 }]);
  expect([...(await contents(cwd)).keys()]).toEqual(['logo.png']);
});

it('a dry run writes no markup of files that are not there, though the cache has them', async () => {
  await place('logo.png', 'logo.png');
  const args = ['.', '--widths', '50', '--html'];
  const markup = (await run(...args)).out;
  expect(markup).toContain('logo-50.png');
  expect((await run(...args, '--dry-run')).out).toBe(markup);
  await rm(join(cwd, 'logo-50.png'));
  const planned = await run(...args, '--dry-run');
  expect(planned.out).toBe('');
  expect(planned.err).toContain('1 would be written.');
  const [file, report] = linesOf((await run('.', '--widths', '50', '--dry-run', '--json')).out);
  expect(file).toMatchObject({ status: 'planned', output: null, isCached: true, width: 50 });
  expect(report).toMatchObject({ type: 'set', html: '' });
  expect([...(await contents(cwd)).keys()]).toEqual(['logo.png']);
});

it('the markup is printed, although nobody reads the report', async () => {
  await place('logo.png', 'logo.png');
  const args = [bin, '.', '--widths', '50', '--html', '--no-cache'];
  const running = spawn('sh', ['-c', 'read line; exec "$@"', 'sh', systemNode, ...args], {
    cwd,
    env: { ...blank, PATH: process.env.PATH ?? '' },
  });
  let out = '';
  running.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  running.stderr.destroy();
  await once(running.stderr, 'close');
  // only now may it begin
  running.stdin.end('begin\n');
  const [code] = await once(running, 'close');
  expect(out).toContain('logo-50.png');
  expect(code).toBe(0);
});

it('settings that make no sense with sets are refused', async () => {
  const attempts: [object, string][] = [
    [{ set: { widths: [50] }, inPlace: true }, '`set` excludes `inPlace` and `options`'],
    [{ set: { widths: [50] }, options: { width: 9 } }, '`set` excludes `inPlace` and `options`'],
    [{ set: { widths: [0] } }, 'Option "widths": lists 1 to 10 widths'],
    [{ inPlace: true, sizes: '50vw' }, '`sizes` needs a `set`.'],
  ];
  for (const [settings, message] of attempts) {
    const attempt = optimizeFiles([cwd], { cwd, cache: false, ...settings });
    await expect(attempt).rejects.toThrow(message);
  }
});

it('what is too large for the service is not too large here', { tags: 'slow' }, async () => {
  const { default: sharp } = await import('sharp');
  const create = { width: 8000, height: 5000, channels: 3 as const, background: '#875' };
  const path = join(cwd, 'large.jpg');
  await writeFile(path, await sharp({ create }).jpeg({ progressive: true }).toBuffer());
  const { out } = await run('large.jpg', '--widths', '80,160', '--quality', '50', '--json');
  expect(filesOf(out)).toEqual([
    'large.jpg optimized large-160.jpg',
    'large.jpg optimized large-80.jpg',
  ]);
});

it('--watch makes sets of images that come, and not of their results', {
  tags: 'slow',
}, async () => {
  await place('logo.png', 'logo.png');
  const running = start(['.', '--widths', '40', '--formats', 'webp', '--watch'], { cwd });
  await vi.waitFor(() => expect(running.out).toContain('Watching.'), 20_000);
  await writeFile(join(cwd, 'photo.jpg'), await smallPhoto());
  await vi.waitFor(() => expect(running.out).toContain('photo-40.webp'), 20_000);
  await rm(join(cwd, 'logo.png'));
  await new Promise((resolve) => setTimeout(resolve, 2500));
  running.kill('SIGINT');
  expect((await running.ended).code).toBe(130);
  const names = ['logo-40.webp', 'photo-40.webp', 'photo.jpg'];
  expect([...(await contents(cwd)).keys()]).toEqual(names);
});
