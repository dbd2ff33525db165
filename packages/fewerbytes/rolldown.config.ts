import { readdir, readFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { defineConfig, type Plugin } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';

const engine = join(import.meta.dirname, 'src/engine');
/** The home that is named in `imports` of package.json, when the package is used. */
const platform = join(import.meta.dirname, 'src/platform/node.ts');
const image = join(import.meta.dirname, '../../src/image');
const output = join(import.meta.dirname, 'dist');
/** Where npm puts the packages from which code is bundled. */
const modules = join(import.meta.dirname, '../../node_modules');

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

/** The texts of a package whose code is only in a `.wasm` file (scripts/build-codecs.ts). */
const ogvLicenses = ['ogv/COPYING', 'ogv/dist/COPYING-dav1d.txt'];

/** Writes `licenses.md`: the terms of all that is bundled, once for packages that have the same. */
const licenses: Plugin = {
  name: 'licenses',
  async generateBundle() {
    const folders = [...this.getModuleIds()].flatMap(
      (id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id.replaceAll('\\', '/')) ?? [],
    );
    const files = [
      ...(await Promise.all([...new Set(folders)].map(licenseIn))),
      ...ogvLicenses.map((path) => join(modules, path)),
    ];
    const packagesByText = new Map<string, string[]>();
    for (const file of files.sort()) {
      const text = (await readFile(file, 'utf8')).replaceAll('\r', '').trim();
      const name = relative(modules, file).replaceAll('\\', '/');
      packagesByText.set(text, [...(packagesByText.get(text) ?? []), name]);
    }
    const sections = Array.from(
      packagesByText,
      ([text, names]) => `## ${names.join(', ')}\n\n\`\`\`\`\n${text}\n\`\`\`\`\n`,
    );
    const codecs = await readFile(join(import.meta.dirname, 'codecs.md'), 'utf8');
    const source = ['# Licenses of bundled code\n', codecs, ...sections].join('\n');
    this.emitFile({ type: 'asset', fileName: 'licenses.md', source });
  },
};

/** @throws Error if a package has no license, because then it must not be bundled */
async function licenseIn(folder: string): Promise<string> {
  const file = (await readdir(folder)).find((name) => /^(licen[cs]e|copying)/i.test(name));
  if (file === undefined) throw new Error(`${folder} has no license.`);
  return join(folder, file);
}

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
    plugins: [lazyCode, wasmFiles, licenses],
    output: { dir: output, minify: true, cleanDir: true },
  },
  {
    input: { index, pool, client, files, vite },
    external: [/^node:/, /^#/, 'vite', 'openapi-fetch', 'tinyglobby'],
    plugins: [dts({ dtsOnly: true, tsconfig: 'tsconfig.json' })],
    output: { dir: output },
  },
]);
