import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createServer } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium } from '../../../scripts/local/browsers.ts';
import { itForEach } from '../../../test/support/each.ts';
import { smallPhoto } from '../../../test/support/pictures.ts';
import { identity } from '../src/identity.ts';
import { newFolder } from './support/folders.ts';
import { NodeHome, type Outcome } from './support/homes.ts';
import { buildSite, pageOf, writeProject } from './support/package.ts';
import { PackagePage, serveFolder } from './support/page.ts';

// What someone gets who installs the package and imports it in a page, without reading on.

const site = pageOf('', '/pool');

describe.skipIf(findChromium() === null)('a page that imports the package', () => {
  const endings: (() => Promise<void>)[] = [];
  let folder: string;
  let photo: Uint8Array;
  let expected: Outcome;

  beforeAll(async () => {
    folder = await newFolder((work) => endings.push(work));
    await writeProject(folder, site);
    photo = await smallPhoto();
    const node = new NodeHome(process.execPath);
    expected = await node.optimize(photo, {});
    node.close();
  });
  afterAll(async () => {
    for (const end of endings) await end();
  });

  /** Optimizes a photo in the page and in a worker of it. */
  async function tryPage(url: string): Promise<void> {
    const page = await PackagePage.open(url);
    try {
      for (const place of ['page', 'pool'] as const) {
        expect(await page.optimize(photo, {}, place), place).toEqual(expected);
      }
      expect(page.complaints).toEqual([]);
    } finally {
      await page.close();
    }
  }

  async function tryFolder(path: string, types: Record<string, string> = {}): Promise<void> {
    const server = await serveFolder(path, types);
    try {
      await tryPage(server.origin);
    } finally {
      server.close();
    }
  }

  it('works as Vite builds it, from servers that know the type of .wasm files and from others', {
    tags: 'slow',
  }, async () => {
    const built = buildSite(folder);
    await tryFolder(built);
    await tryFolder(built, { '.wasm': 'text/plain' });
  });

  itForEach(
    [
      ['as it comes', ''],
      ['with the plugin', 'optimizeImages()'],
    ],
    'works on the development server of Vite %s',
    async (_, plugin) => {
      const config = join(folder, 'vite.config.js');
      await writeFile(
        config,
        `import { optimizeImages } from '${identity.name}/vite'; export default { plugins: [${plugin}] };`,
      );
      const server = await createServer({
        root: folder,
        logLevel: 'error',
        server: { host: '127.0.0.1', port: 0 },
      });
      try {
        await server.listen();
        await tryPage(server.resolvedUrls?.local[0] ?? '');
      } finally {
        await server.close();
        await rm(config);
      }
    },
  );

  it('works without a bundler, by an import map', { tags: 'slow' }, async () => {
    const files = `./node_modules/${identity.name}/dist/browser`;
    const imports = {
      [identity.name]: `${files}/index.js`,
      [`${identity.name}/pool`]: `${files}/pool.js`,
    };
    const [head, script] = (site['index.html'] ?? '').split('<script');
    const map = `<script type="importmap">${JSON.stringify({ imports })}</script>`;
    await writeFile(join(folder, 'index.html'), `${head}${map}<script${script}`);
    await tryFolder(folder);
  });
});
