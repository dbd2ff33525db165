import {
  appendFile,
  chmod,
  mkdir,
  readdir,
  readFile,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { sample, smallLogo, smallPhoto } from '../../../test/support/pictures.ts';
import { sharedTestService, type TestService } from '../../../test/support/service.ts';
import { CountingProxy } from './support/counting-proxy.ts';
import { ViteProject } from './support/vite-project.ts';

const graphic = await sharp(await sample('interface.png'))
  .resize(320)
  .png()
  .toBuffer();
const photo = await smallPhoto();
const logo = await smallLogo();
let service: TestService;
let proxy: CountingProxy;
let project: ViteProject;
let folder: string;

beforeAll(async () => {
  service = await sharedTestService();
});
afterAll(() => service.close());

beforeEach(async () => {
  proxy = await new CountingProxy(service.url).start();
  project = await ViteProject.create(
    {
      'photo.jpg': photo,
      'public/images/logo.png': logo,
      'interface.png': graphic,
      'main.js': `import url from './photo.jpg'; document.body.append(url);`,
      'style.css': 'body { background: url(./interface.png) }',
      'index.html':
        '<link rel="stylesheet" href="/style.css"><script type="module" src="/main.js"></script>',
    },
    onTestFinished,
  );
  folder = project.folder;
});
afterEach(() => proxy.stop());

/** The images that Vite says it has written, with their sizes in kB. */
function reported(text: string): Map<string, number> {
  const lines = text.matchAll(/^dist\/(\S+\.(?:png|jpg)) +([\d.]+) kB/gm);
  return new Map(Array.from(lines, ([, name = '', size]) => [name, Number(size)]));
}

const withKey = () => ({ FEWERBYTES_URL: proxy.origin, FEWERBYTES_KEY: service.key });

async function builtImages(): Promise<Map<string, number>> {
  const names = await readdir(join(folder, 'dist'), { recursive: true });
  const images = names.filter((name) => /\.(?:png|jpg)$/.test(name)).sort();
  const sizes = images.map(async (name) => {
    const { length } = await readFile(join(folder, 'dist', name));
    return [name, length] as const;
  });
  return new Map(await Promise.all(sizes));
}

it('images of the bundle and of the public folder get smaller under their names on this machine, and Vite tells their sizes', async () => {
  const text = await project.build('{}');
  expect(text).toMatch(
    /: 3 images \(1 from the public folder, not listed above\), .+ → .+ \(−\d+%\), 0 known from the cache\./,
  );
  const images = await builtImages();
  expect(images.get('images/logo.png')).toBeLessThan(logo.length * 0.7);
  const told = reported(text);
  expect(told.size).toBe(2);
  for (const [name, size] of told) expect(size).toBeCloseTo((images.get(name) ?? 0) / 1000, 1);
  expect(await project.build('{}')).toMatch(/: 3 images .+ 3 known from the cache\./);
  expect(await builtImages()).toEqual(images);
  expect(proxy.requests).toBe(0);
});

it('unknown settings and options that do not apply end a build before it begins, with a sentence', {
  tags: 'slow',
}, async () => {
  for (const [settings, sentence] of [
    ['{ options: { format: "webp" } }', '"format" is not an option of a build: images keep names'],
    ['{ options: { format: "auto", among: ["webp"] } }', '"format" is not an option of a build'],
    ['{ options: { quality: 500 } }', 'Option "quality": should be auto, lossless or 1 to 100.'],
    ['{ target: "low", wat: 1 }', '"target" is not a setting, but an option: write "options: { t'],
    ['{ wat: 1 }', '"wat" is not a setting.'],
  ]) {
    await expect(project.build(String(settings))).rejects.toThrow(sentence);
  }
  expect(await readdir(folder)).not.toContain('dist');
});

it('with a service, a second build sends nothing', { tags: 'slow' }, async () => {
  await project.build('{ service: true }');
  const before = await builtImages();
  expect([...before.keys()]).toEqual([
    expect.stringMatching(/^assets\/interface-[\w-]{8}\.png$/),
    expect.stringMatching(/^assets\/photo-[\w-]{8}\.jpg$/),
    'images/logo.png',
  ]);
  expect(proxy.requests).toBe(0);

  const first = await project.build('{}', withKey());
  expect(first).toMatch(/: 3 images .+ → .+ \(−\d+%\), 3 requests sent, 0 known/);
  const after = await builtImages();
  expect([...after.keys()]).toEqual([...before.keys()]);
  for (const [name, size] of after) expect(size, name).toBeLessThan((before.get(name) ?? 0) * 0.7);
  // sources stay as they are
  expect((await readFile(join(folder, 'photo.jpg'))).equals(photo)).toBe(true);

  const second = await project.build('{}', withKey());
  expect(second).toMatch(/3 images .+ 0 requests sent, 3 known/);
  expect(await builtImages()).toEqual(after);
  expect(proxy.requests).toBe(3);
});

it('the key may stand in an .env file; the public folder and options can be chosen', {
  tags: 'slow',
}, async () => {
  await writeFile(
    join(folder, '.env.local'),
    `FEWERBYTES_URL=${proxy.origin}\nFEWERBYTES_KEY=${service.key}\n`,
  );
  const text = await project.build('{ publicFolder: false, options: { quality: "lossless" } }');
  expect(text).toContain('2 images, ');
  expect((await builtImages()).get('images/logo.png')).toBe(logo.length);
  expect(proxy.queries).toEqual(['?quality=lossless', '?quality=lossless']);
});

it('a file of the public folder and a link to it both get smaller: the build has a copy for each', {
  tags: 'slow',
}, async () => {
  await symlink('logo.png', join(folder, 'public/images/linked.png'));
  await project.build('{}', withKey());
  const images = await builtImages();
  const before = logo.length;
  for (const name of ['images/linked.png', 'images/logo.png'])
    expect(images.get(name), name).toBeLessThan(before * 0.7);
});

it('an output folder that is the public folder, or has links into it, keeps the originals', {
  tags: 'slow',
}, async () => {
  const original = await readFile(join(folder, 'public/images/logo.png'));
  const text = await project.build('{}', {}, '--outDir', 'public', '--emptyOutDir', 'false');
  expect(text).toContain(': 2 images, ');
  expect(await readFile(join(folder, 'public/images/logo.png'))).toEqual(original);

  await mkdir(join(folder, 'out'));
  await symlink('../public/images', join(folder, 'out/images'));
  await project.build('{}', {}, '--outDir', 'out', '--emptyOutDir', 'false');
  expect(await readFile(join(folder, 'public/images/logo.png'))).toEqual(original);
});

it('a file of the public folder that nobody may write to gets smaller in the build', {
  tags: 'slow',
}, async () => {
  const original = join(folder, 'public/images/logo.png');
  await chmod(original, 0o444);
  await project.build('{ required: true }');
  expect((await builtImages()).get('images/logo.png')).toBeLessThan(logo.length * 0.7);
  expect((await stat(original)).mode & 0o777).toBe(0o444);
});

it('under --watch, each build makes the images smaller that Vite has copied again', {
  tags: 'slow',
}, async () => {
  const running = await project.start('{}', withKey(), 'build', '--watch');
  onTestFinished(() => running.kill('SIGTERM'));
  const totals = () => running.out.match(/\d+ images .+ sent, /g) ?? [];
  await expect.poll(totals).toEqual([expect.stringMatching(/3 requests/)]);
  // Vite watches files once it has built them.
  await expect.poll(() => running.out).toContain('built in');
  const first = await builtImages();
  await appendFile(join(folder, 'main.js'), '\n// changed');
  const again = expect.stringMatching(/^3 images .+ \(−\d+%\), 0 requests/);
  await expect.poll(() => totals().slice(1)).toContainEqual(again);
  await expect.poll(builtImages).toEqual(first);
});

it('an address that is none leaves the images, unless they are required', {
  tags: 'slow',
}, async () => {
  const environment = { FEWERBYTES_URL: service.key, FEWERBYTES_KEY: proxy.origin };
  const text = await project.build('{}', environment);
  expect(text).toContain(
    'images are left as they are. FEWERBYTES_URL is not the address of a service',
  );
  expect(text).not.toContain(service.key);
  await expect(project.build('{ required: true }', environment)).rejects.toThrow(
    /is not the address/,
  );
});

it('a service without a key leaves the images, and the build says so, unless they are required', {
  tags: 'slow',
}, async () => {
  expect(await project.build('{ service: true }')).toContain(
    'images are left as they are. A service is to be used, but FEWERBYTES_URL is not set',
  );
  await expect(project.build('{ service: true, required: true }')).rejects.toThrow(
    /left as they are/,
  );
});

it('a key that is not accepted fails a build only if images are required', {
  tags: 'slow',
}, async () => {
  const environment = { FEWERBYTES_URL: proxy.origin, FEWERBYTES_KEY: 'fewer_wrong' };
  expect(await project.build('{}', environment)).toContain('images/logo.png: invalid_api_key: ');
  await expect(project.build('{ required: true }', environment)).rejects.toThrow(/invalid_api_key/);
});
