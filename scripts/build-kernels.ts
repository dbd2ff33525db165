/**
 * Compiles the kernels (src/image/kernels, AssemblyScript) to WebAssembly with
 * SIMD. Their memory is imported: they run in the arena, as the codecs do.
 */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import asc from 'assemblyscript/asc';

const kernels = join(import.meta.dirname, '../src/image/kernels');

for (const name of ['jpeg', 'png']) await build(name);

async function build(name: string): Promise<void> {
  const folder = join(kernels, name, 'assembly');
  const target = join(kernels, name, `${name}.wasm`);
  if (await isFresh(target, [folder, join(kernels, 'shared')])) return;
  const { error, stderr } = await asc.main([
    join(folder, 'index.ts'),
    ...['--outFile', target, '--runtime', 'stub', '--importMemory', '--enable', 'simd'],
    ...[
      '-O3',
      '--converge',
      '--noAssert',
      '--zeroFilledMemory',
      '--use',
      'abort=',
      '--disableWarning',
      '--noColors',
    ],
  ]);
  if (error) throw new Error(`The kernel ${name} cannot be compiled.\n${stderr.toString()}`);
}

/** Newer than all files of these folders and this script. */
async function isFresh(target: string, folders: readonly string[]): Promise<boolean> {
  const sources = folders.map(async (folder) =>
    (await readdir(folder, { recursive: true })).map((file) => join(folder, file)),
  );
  const [built = 0, ...changed] = await Promise.all(
    [target, import.meta.filename, ...(await Promise.all(sources)).flat()].map((file) =>
      stat(file).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    ),
  );
  return built > Math.max(...changed);
}
