import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Plugin } from 'rolldown';

// How the engine is bundled, here and into the Action: code and kernels are loaded only when they are used.

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
