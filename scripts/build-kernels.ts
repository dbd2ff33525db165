/**
 * Compiles the kernels (src/image/kernels, AssemblyScript) to WebAssembly with
 * SIMD. Their memory is imported: they run in the arena, as the codecs do.
 */
import { join } from 'node:path';
import asc from 'assemblyscript/asc';
import { isFresh } from './local/is-fresh.ts';

const kernels = join(import.meta.dirname, '../src/image/kernels');

for (const name of ['jpeg', 'png']) await build(name);

async function build(name: string): Promise<void> {
  const folder = join(kernels, name, 'assembly');
  const target = join(kernels, name, `${name}.wasm`);
  if (await isFresh(target, [folder, join(kernels, 'shared'), import.meta.filename])) return;
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
