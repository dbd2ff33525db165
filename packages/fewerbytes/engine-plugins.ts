import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import type { Plugin } from 'rolldown';

// How the engine is bundled, here and into the Action: code and kernels are loaded only when they are used. The service for
// Node has them at once.

const engine = join(import.meta.dirname, 'src/engine');
const image = join(import.meta.dirname, '../../src/image');

/** What takes the place of modules of the engine. */
const standIns: ReadonlyMap<string, string> = new Map([
  [join(image, 'formats/all.ts'), join(engine, 'stand-ins.ts')],
  ...['@xmldom/xmldom', 'smartcrop', 'thumbhash'].map(
    (name) => [name, join(engine, 'stand-ins.ts')] as const,
  ),
]);

export const lazyCode: Plugin = {
  name: 'lazy-code',
  resolveId: {
    order: 'pre',
    async handler(source, importer, options) {
      if (!importer || importer.startsWith(engine)) return null;
      const standIn = standIns.get(source.startsWith('.') ? join(importer, '..', source) : source);
      return standIn ? this.resolve(standIn, importer, { ...options, skipSelf: true }) : null;
    },
  },
};

/** A `.wasm` import becomes a module that is compiled later, from a file beside the code. */
export const wasmFiles: Plugin = {
  name: 'wasm-files',
  load: {
    order: 'pre',
    async handler(id) {
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
  },
};

/** Tells results in a cache from those of another engine (identity.ts). */
export const engineHash = { ENGINE_HASH: JSON.stringify(hashOf(image)) };

function hashOf(folder: string): string {
  const hash = createHash('sha256');
  for (const file of globSync('**/*.{ts,wasm}', { cwd: folder }).sort()) {
    hash.update(readFileSync(join(folder, file)));
  }
  return hash.digest('hex').slice(0, 8);
}

/** Where npm puts the packages from which code is bundled. */
const modules = join(import.meta.dirname, '../../node_modules');

/** The texts of what is only in a `.wasm` file (scripts/build-codecs.ts). */
const codecLicenses = ['ogv/COPYING', 'ogv/dist/COPYING-dav1d.txt', '../codecs/libaom/NOTICE'];

/** Writes `licenses.md`: the terms of all that is bundled, once for packages that have the same. */
export const licenses: Plugin = {
  name: 'licenses',
  async generateBundle() {
    const folders = [...this.getModuleIds()].flatMap(
      (id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id.replaceAll('\\', '/')) ?? [],
    );
    const files = new Set([
      ...(await Promise.all([...new Set(folders)].map(licenseIn))),
      ...codecLicenses.map((path) => join(modules, path)),
    ]);
    const packagesByText = new Map<string, string[]>();
    for (const file of [...files].sort()) {
      const text = (await readFile(file, 'utf8')).replaceAll('\r', '').trim();
      const name = relative(modules, file).replaceAll('\\', '/').replace('../', '');
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

/** Packages that name their license, MIT, but do not contain it, and files that do, with the same authors. */
const textsElsewhere: ReadonlyMap<string, string> = new Map([
  ['thumbhash', join(import.meta.dirname, 'licenses/thumbhash.txt')],
  ['@hono/zod-openapi', join(modules, 'hono/LICENSE')],
  ['@hono/zod-validator', join(modules, 'hono/LICENSE')],
]);

/** @throws Error if a package has no license, because then it must not be bundled */
async function licenseIn(folder: string): Promise<string> {
  const elsewhere = textsElsewhere.get(relative(modules, folder).replaceAll('\\', '/'));
  if (elsewhere !== undefined) return elsewhere;
  const file = (await readdir(folder)).find((name) => /^(licen[cs]e|copying)/i.test(name));
  if (file === undefined) throw new Error(`${folder} has no license.`);
  return join(folder, file);
}
