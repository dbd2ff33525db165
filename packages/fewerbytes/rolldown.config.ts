import { join } from 'node:path';
import { defineConfig, type Plugin } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import { lazyCode, wasmFiles } from './engine-plugins.ts';

/** The home that is named in `imports` of package.json, when the package is used. */
const platform = join(import.meta.dirname, 'src/platform/node.ts');
const output = join(import.meta.dirname, 'dist');

const openPlatform: Plugin = {
  name: 'open-platform',
  resolveId(source, importer) {
    const isPlatform = importer !== undefined && join(importer, '..', source) === platform;
    return isPlatform ? { id: '#platform', external: true } : null;
  },
};

/** What the package consists of, by the names of its files. */
const input = {
  index: 'src/engine/index.ts',
  pool: 'src/pool/index.ts',
  'pool-thread': 'src/pool/thread.ts',
  'platform-node': 'src/platform/node.ts',
  'platform-browser': 'src/platform/browser.ts',
  client: 'src/client/client.ts',
  files: 'src/files/index.ts',
  vite: 'src/vite.ts',
  bin: 'src/bin.ts',
};

/** What programs import. */
const { index, pool, client, files, vite } = input;

export default defineConfig([
  {
    input,
    external: [/^node:/, /^#/, 'vite', 'openapi-fetch', 'tinyglobby'],
    plugins: [openPlatform, lazyCode, wasmFiles],
    output: { dir: output, minify: true, cleanDir: true },
  },
  {
    input: { index, pool, client, files, vite },
    external: [/^node:/, /^#/, 'vite', 'openapi-fetch', 'tinyglobby'],
    plugins: [dts({ dtsOnly: true, tsconfig: 'tsconfig.json' })],
    output: { dir: output },
  },
]);
