import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import sharp from 'sharp';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { findChromium } from '../../../scripts/local/browsers.ts';
import { root } from '../../../scripts/local/root.ts';
import { sharedBrowser } from '../../../test/support/browser.ts';
import { itForEach } from '../../../test/support/each.ts';
import { smallPhoto } from '../../../test/support/pictures.ts';
import { sharedTestService } from '../../../test/support/service.ts';
import { createPool } from '../src/pool/index.ts';
import type { Picture } from '../src/vite.ts';
import { CountingProxy } from './support/counting-proxy.ts';
import { serveFolder } from './support/page.ts';
import { picturePage, ViteProject } from './support/vite-project.ts';

// Builds of projects that import pictures.

const query = '?widths=120,240&formats=avif,jpeg&quality=90&placeholder=thumbhash';

/** Code of the documentation, by the title of its fence. */
function sample(title: string): string {
  const page = readFileSync(join(root, 'docs/vite.md'), 'utf8');
  const [, code = ''] = page.split(`\`\`\`js title="${title}"\n`);
  return code.slice(0, code.indexOf('```'));
}

/** A picture that takes many bytes. */
function noise(): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
  return sharp({ create: { width: 400, height: 400, channels: 3, background: '#888', noise } })
    .png()
    .toBuffer();
}

let photo: Uint8Array<ArrayBuffer>;
let project: ViteProject;

beforeAll(async () => {
  photo = await smallPhoto();
});
beforeEach(async () => {
  project = await ViteProject.create({ ...picturePage(query), 'photo.jpg': photo }, onTestFinished);
});

/** The assets of a build, by their names without hashes. */
async function assets(folder = 'dist'): Promise<Map<string, Buffer>> {
  const path = join(project.folder, folder, 'assets');
  const names = (await readdir(path)).filter((name) => !name.endsWith('.js'));
  const read = names.map(async (name) => {
    return [name.replace(/-[\w-]{8}(?=\.\w+$)/, ''), await readFile(join(path, name))] as const;
  });
  return new Map(await Promise.all(read));
}

it('the files of a picture become assets: the results of its query, which nothing optimizes once more', {
  tags: 'slow',
}, async () => {
  await project.write('other.js', "import url from './photo.jpg'; alert(url);");
  await project.write(
    'index.html',
    `${picturePage(query)['index.html']}<script type="module" src="./other.js"></script>`,
  );
  const text = await project.build();
  expect(text).toMatch(/: 1 picture in 4 files, [\d.]+ kB, 0 known from the cache\./);
  expect(text).toMatch(/: 1 images, /);
  const built = await assets();
  expect([...built.keys()].sort()).toEqual([
    ...['photo-120.avif', 'photo-120.jpg', 'photo-240.avif', 'photo-240.jpg', 'photo.jpg'],
  ]);
  const pool = createPool({ size: 1 });
  const { results } = await pool.optimizeSet(photo, {
    widths: [120, 240],
    formats: ['avif', 'jpeg'],
    quality: 90,
  });
  await pool.close();
  for (const { boxWidth, extension, bytes } of results) {
    const name = `photo-${boxWidth}.${extension}`;
    expect(built.get(name)?.equals(bytes), name).toBe(true);
    expect((await sharp(built.get(name)).metadata()).width).toBe(boxWidth);
  }
});

it('a second build makes nothing, and has the same files', { tags: 'slow' }, async () => {
  await project.build();
  const first = await assets();
  expect(await project.build()).toMatch(/: 1 picture in 4 files, .+, 1 known from the cache\./);
  expect(await assets()).toEqual(first);
});

it('a service makes a picture by one call, the files that this machine makes', {
  tags: 'slow',
}, async () => {
  await project.build();
  const local = await assets();
  const service = await sharedTestService();
  onTestFinished(() => service.close());
  const proxy = await new CountingProxy(service.url).start();
  onTestFinished(() => proxy.stop());
  const environment = { FEWERBYTES_URL: proxy.origin, FEWERBYTES_KEY: service.key };
  await project.build('{}', environment);
  expect(await assets()).toEqual(local);
  expect(proxy.paths).toEqual(['/v1/sets']);
  const asked = Object.fromEntries(new URLSearchParams(proxy.queries[0]));
  expect(asked).toEqual(Object.fromEntries(new URLSearchParams(query)));
  await project.build('{}', environment);
  expect(proxy.requests).toBe(1);
});

it('a service without a key ends a build with a picture: there is nothing to show instead', {
  tags: 'slow',
}, async () => {
  await expect(project.build('{ service: true }')).rejects.toThrow(
    /photo\.jpg\?widths=\S+: A service is to be used, but FEWERBYTES_URL is not set/,
  );
});

it('files that cannot be made are left out with a warning, or end a build', {
  tags: 'slow',
}, async () => {
  await project.write('noise.png', await noise());
  const limit = 'widths=50,400&formats=webp&max_bytes=4000';
  await project.write('main.js', `import one from './noise.png?${limit}'; alert(one.srcset);`);
  const text = await project.build();
  expect(text).toMatch(/noise\.png\?widths=\S+: 400 pixels wide as webp: \w.+/);
  expect([...(await assets()).keys()]).toEqual(['noise-50.webp']);
  await expect(project.build('{ required: true }')).rejects.toThrow(/400 pixels wide as webp/);
});

it('under --watch, a changed image is made into new files', { tags: 'slow' }, async () => {
  const running = await project.start('{}', {}, 'build', '--watch');
  onTestFinished(() => running.kill('SIGTERM'));
  const redOf = async (image?: Uint8Array) => (await sharp(image).stats()).channels[0]?.mean ?? 0;
  const built = async () => redOf((await assets()).get('photo-240.jpg'));
  const red = await redOf(photo);
  await expect.poll(built).toBeCloseTo(red, -1);
  // Vite watches files once it has built them.
  await expect.poll(() => running.out).toContain('built in');
  // written in place: what Vite sees first can be a part of it, of which a build follows another
  await project.write('photo.jpg', await sharp(photo).negate().jpeg().toBuffer());
  await expect.poll(built).toBeCloseTo(255 - red, -1);
  expect(running.out).toMatch(/1 picture in 4 files/);
});

it('a build for servers has the same URLs, and writes no images', { tags: 'slow' }, async () => {
  await project.write('server.js', `export { default } from './photo.jpg${query}';`);
  await project.build('{}', {}, '--base', '/app/');
  await project.build('{}', {}, '--base', '/app/', '--ssr', 'server.js', '--outDir', 'server');
  expect(await readdir(join(project.folder, 'server'), { recursive: true })).toEqual(['server.js']);
  const module = await import(pathToFileURL(join(project.folder, 'server/server.js')).href);
  const { src, srcset, width, height, placeholder, sources }: Picture = module.default;
  expect([width, height]).toEqual([240, 160]);
  expect(placeholder).toMatch(/^[\w+/]{20,}=*$/);
  const names = await readdir(join(project.folder, 'dist/assets'));
  const urls = (extension: string) =>
    [120, 240].map((wide) => {
      const name = names.find((one) => one.startsWith(`photo-${wide}-`) && one.endsWith(extension));
      return `/app/assets/${name} ${wide}w`;
    });
  expect(srcset).toBe(urls('.jpg').join(', '));
  expect(`${src} 240w`).toBe(urls('.jpg')[1]);
  expect(sources).toEqual([{ type: 'image/avif', srcset: urls('.avif').join(', ') }]);
});

it('other imports of images, and queries of Vite, get what they got before', {
  tags: 'slow',
}, async () => {
  await project.write(
    'server.js',
    `import plain from './photo.jpg';
     import url from './photo.jpg?url&widths=100';
     import raw from './photo.jpg?raw&widths=100';
     import other from './photo.jpg?w=100';
     export default { plain, url, other, length: raw.length };`,
  );
  await project.build('{}', {}, '--ssr', 'server.js');
  const module = await import(pathToFileURL(join(project.folder, 'dist/server.js')).href);
  const [asset, text] = [
    expect.stringMatching(/^\/assets\/photo-[\w-]{8}\.jpg/),
    Buffer.from(photo).toString(),
  ];
  expect(module.default).toEqual({ plain: asset, url: asset, other: asset, length: text.length });
});

it('a picture of the public folder is made of the file there', { tags: 'slow' }, async () => {
  await project.write('public/images/photo.jpg', photo);
  await project.write('server.js', "export { default } from '/images/photo.jpg?widths=100';");
  await project.build('{ publicFolder: false }', {}, '--ssr', 'server.js');
  const module = await import(pathToFileURL(join(project.folder, 'dist/server.js')).href);
  expect(module.default).toMatchObject({ width: 100, placeholder: null, sources: [] });
});

it('options of the plugin apply to pictures, where the query does not say otherwise', {
  tags: 'slow',
}, async () => {
  await project.write(
    'main.js',
    `import high from './photo.jpg?widths=200&formats=webp';
     import low from './photo.jpg?widths=200&formats=jpeg&quality=10';
     alert([high.src, low.src]);`,
  );
  const sizes = async (settings: string) => {
    await project.build(settings);
    const built = await assets();
    return ['photo-200.webp', 'photo-200.jpg'].map((name) => built.get(name)?.length ?? 0);
  };
  const [webp = 0, jpeg] = await sizes('{}');
  const [highWebp, sameJpeg] = await sizes('{ options: { target: "high", width: 50 } }');
  expect(highWebp).toBeGreaterThan(webp * 1.1);
  expect(sameJpeg).toBe(jpeg);
});

itForEach<readonly [query: string, sentence: RegExp]>(
  [
    [
      '?widths=100&formatz=avif',
      /photo\.jpg\?widths=100&formatz=avif: Option "formatz": is not an option of a picture, which are widths, formats, /,
    ],
    ['?formats=avif', /Option "widths": lists 1 to 10 widths from 1 to 16384, ascending\./],
    ['?widths=100&widths=200', /Option "widths": is there more than once\./],
    ['?widths=100,1e3', /Option "widths": lists 1 to 10 widths/],
    ['?widths=100&max_bytes=5', /Option "max_bytes": should be 1000 or more\./],
    ['?widths=100&fit=cover', /Option "fit": needs a ratio\./],
  ],
  '%s ends a build with a sentence about the option',
  async (wrong, sentence) => {
    await project.write('main.js', `import picture from './photo.jpg${wrong}'; alert(picture);`);
    await expect(project.build()).rejects.toThrow(sentence);
  },
);

it('an image that is damaged, or none, ends a build with its name and what is wrong', {
  tags: 'slow',
}, async () => {
  await project.write('photo.jpg', photo.subarray(0, photo.length / 2));
  await expect(project.build()).rejects.toThrow(/photo\.jpg\?widths=120,240\S+: \w.+ \w+.*\./);
  await project.write('photo.jpg', 'nothing');
  await expect(project.build()).rejects.toThrow(/photo\.jpg\?widths=120,240\S+: \w.+ \w+.*\./);
});

describe('for TypeScript', () => {
  const config = {
    compilerOptions: {
      ...{ strict: true, noEmit: true, module: 'esnext', moduleResolution: 'bundler' },
      ...{ target: 'es2022', lib: ['es2022', 'dom'], types: ['vite/client'] },
    },
    include: ['src'],
  };
  const main = (first: string, second: string) => `
    import first from './photo.jpg${first}';
    import second from '../photo.jpg${second}';
    import type { Picture } from 'fewerbytes/vite';
    const pictures: Picture[] = [first, second];
    for (const { src, srcset, width, height, placeholder, sources } of pictures) {
      const texts: string[] = [src, srcset, placeholder ?? '', ...sources.map((one) => one.type)];
      document.body.append(...texts, String(width * height));
    }
    // @ts-expect-error
    first.url satisfies string;`;
  const compile = () => {
    try {
      return execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', '.'], {
        cwd: project.folder,
      }).toString();
    } catch (error) {
      return String((error as { stdout: Buffer }).stdout);
    }
  };

  beforeEach(async () => {
    await project.write('tsconfig.json', JSON.stringify(config));
    await project.write('src/photo.jpg', photo);
    await project.write('index.html', '<script type="module" src="/src/main.ts"></script>');
    await project.write('src/main.ts', main('?widths=100', '?widths=100,200&ratio=16:9'));
  });

  it('a build declares each query once, so that imports of pictures have types, those of other paths as well', {
    tags: 'slow',
  }, async () => {
    expect(compile()).toContain('TS2307');
    await project.build();
    expect(compile()).toBe('');
    const path = join(project.folder, 'src/pictures.d.ts');
    const before = await readFile(path, 'utf8');
    expect(before.match(/declare module/g)).toHaveLength(2);

    // as a formatter and git may leave it
    await project.write('src/pictures.d.ts', before.replaceAll('"', "'").replaceAll('\n', '\r\n'));
    const documented = '?widths=400,800,1600&formats=avif,webp,jpeg';
    await project.write('src/main.ts', main(documented, '?widths=100'));
    await project.build();
    expect(compile()).toBe('');
    const after = await readFile(path, 'utf8');
    expect(after.match(/declare module/g)).toHaveLength(3);
    expect(after).toContain(sample('src/pictures.d.ts'));
  });

  it('declarations can have another place, or none; no other file is overwritten', {
    tags: 'slow',
  }, async () => {
    await project.write('src/mine.d.ts', 'declare const mine: string;');
    await expect(project.build('{ types: "src/mine.d.ts" }')).rejects.toThrow(
      'src/mine.d.ts is another file: name one for the types of pictures.',
    );
    await expect(project.build('{ types: true }')).rejects.toThrow(
      '"types" is the path of a file whose name ends with .d.ts, or false.',
    );
    await project.build('{ types: false }');
    await project.build('{ types: "types/images.d.ts" }');
    expect(await readdir(join(project.folder, 'types'))).toEqual(['images.d.ts']);
    expect(await readdir(join(project.folder, 'src'))).not.toContain('pictures.d.ts');
  });
});

it.skipIf(findChromium() === null)(
  'with a relative base, the samples of the documentation show the file that fits and a placeholder, wherever the build lies',
  { tags: 'slow' },
  async () => {
    await project.write(
      'main.js',
      sample('main.js') + sample('Behind the image until it has loaded'),
    );
    await project.build('{}', {}, '--base', './', '--outDir', 'site/some/where');
    const server = await serveFolder(join(project.folder, 'site'));
    onTestFinished(() => server.close());
    const viewport = { width: 700, height: 700 };
    const context = await (await sharedBrowser()).newContext({ viewport });
    onTestFinished(() => context.close());
    const tab = await context.newPage();
    await tab.goto(`${server.origin}/some/where/`);
    await tab.waitForFunction('document.images[0]?.naturalWidth > 0');
    const evaluate = (code: string) => tab.evaluate<string>(`document.images[0].${code}`);
    expect(await evaluate('currentSrc')).toMatch(
      /\/some\/where\/assets\/photo-400-[\w-]{8}\.avif$/,
    );
    expect(await evaluate('style.background')).toContain('data:image/png;base64,');
    expect(await evaluate('width + " x " + document.images[0].height')).toBe('480 x 320');
  },
);
