import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { defineConfig, type Plugin } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';

const engine = join(import.meta.dirname, 'src/engine');
/** The home that is named in `imports` of package.json, when the package is used. */
const platform = join(import.meta.dirname, 'src/platform/node.ts');
const image = join(import.meta.dirname, '../../src/image');
const output = join(import.meta.dirname, 'dist');

/** What takes the place of modules of the engine, so that pages load only the code that their pictures need. */
const standIns: ReadonlyMap<string, string> = new Map([
  [join(image, 'formats/all.ts'), join(engine, 'stand-ins.ts')],
  ['@xmldom/xmldom', join(engine, 'stand-ins.ts')],
]);

const lazyCode: Plugin = {
  name: 'lazy-code',
  async resolveId(source, importer, options) {
    if (!importer) return null;
    const found = source.startsWith('.') ? join(importer, '..', source) : source;
    if (found === platform) return { id: '#platform', external: true };
    const standIn = importer.startsWith(engine) ? undefined : standIns.get(found);
    return standIn ? this.resolve(standIn, importer, { ...options, skipSelf: true }) : null;
  },
};

/** A `.wasm` import becomes a module that is compiled later, from a file beside the code. */
const wasmFiles: Plugin = {
  name: 'wasm-files',
  async load(id) {
    if (!id.endsWith('.wasm')) return null;
    const name = basename(id, '.wasm');
    this.emitFile({ type: 'asset', fileName: basename(id), source: await readFile(id) });
    const code = `
      import { addModule } from ${JSON.stringify(join(engine, 'loading.ts'))};
      let module;
      addModule(${JSON.stringify(name)}, new URL(${JSON.stringify(`./${name}.wasm`)}, import.meta.url), (compiled) => {
        module = compiled;
      });
      export { module as default };`;
    return { code, moduleType: 'js', moduleSideEffects: true };
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
    plugins: [lazyCode, wasmFiles],
    output: { dir: output, minify: true, cleanDir: true },
  },
  {
    input: { index, pool, client, files, vite },
    external: [/^node:/, /^#/, 'vite', 'openapi-fetch', 'tinyglobby'],
    plugins: [dts({ dtsOnly: true, tsconfig: 'tsconfig.json' })],
    output: { dir: output },
  },
]);
