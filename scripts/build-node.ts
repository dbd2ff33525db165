/**
 * Builds the service for Node into `dist/node`, which needs nothing else: the server and its threads in one file each with
 * what they share, the kernels, the files of the pages, and the migrations.
 */
import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { licenses } from '../packages/fewerbytes/engine-plugins.ts';
import './build.ts';
import { isFresh } from './local/is-fresh.ts';
import { root } from './local/root.ts';

const target = join(root, 'dist/node');
const sources = [
  ...['src', 'packages/fewerbytes', 'migrations', 'dist/cabinet'],
  ...['package-lock.json', 'tsconfig.json'],
];

/** A `.wasm` import is a compiled module, as in Workers, from a file beside the code (src/node/pictures/kernels.ts). */
const wasmModules: Plugin = {
  name: 'wasm-modules',
  load: {
    order: 'pre',
    async handler(id) {
      if (!id.endsWith('.wasm')) return null;
      const fileName = basename(id);
      this.emitFile({ type: 'asset', fileName, source: await readFile(id) });
      const code = `
        import { kernel } from ${JSON.stringify(join(root, 'src/node/pictures/kernels.ts'))};
        const file = new URL(${JSON.stringify(`./${fileName}`)}, import.meta.url);
        export default kernel(${JSON.stringify(fileName)}, file);`;
      return { code, moduleType: 'js' };
    },
  },
};

const isCurrent = await isFresh(join(target, 'server.js'), [
  ...sources.map((path) => join(root, path)),
  import.meta.filename,
]);
if (!isCurrent) await build();

/** Builds beside the folder, which is replaced as a whole. */
async function build(): Promise<void> {
  const part = join(root, 'dist', `node.${process.pid}.part`);
  await rm(part, { recursive: true, force: true });
  await mkdir(part, { recursive: true });
  const bundle = await rolldown({
    input: {
      server: join(root, 'src/node/main.ts'),
      'picture-thread': join(root, 'src/node/pictures/picture-thread.ts'),
    },
    platform: 'node',
    // The others of some packages are for loaders that a bundle has not.
    resolve: { mainFields: ['module', 'main'] },
    tsconfig: join(root, 'tsconfig.json'),
    plugins: [wasmModules, licenses],
    checks: { bundlerTimings: false },
    logLevel: 'warn',
  });
  await bundle.write({ dir: part, format: 'esm', chunkFileNames: '[name]-[hash].js' });
  await bundle.close();
  await cp(join(root, 'dist/cabinet'), join(part, 'cabinet'), { recursive: true });
  await cp(join(root, 'migrations'), join(part, 'migrations'), { recursive: true });
  await cp(join(root, 'LICENSE'), join(part, 'LICENSE'));
  await writeFile(join(part, 'package.json'), '{ "type": "module", "private": true }\n');
  await rm(target, { recursive: true, force: true });
  await rename(part, target);
}
