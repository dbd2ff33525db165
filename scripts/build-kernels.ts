/**
 * Compiles the kernels (src/image/formats, AssemblyScript) to WebAssembly with
 * SIMD. Their memory is imported: they run in the arena, as the codecs do.
 */
import { join } from 'node:path';
import asc from 'assemblyscript/asc';
import { isFresh } from './local/is-fresh.ts';

const image = join(import.meta.dirname, '../src/image');

for (const name of ['jpeg', 'png']) await build(name);

async function build(name: string): Promise<void> {
  const folder = join(image, 'formats', name, 'kernel');
  const target = join(image, 'wasm/modules', `${name}.wasm`);
  if (await isFresh(target, [folder, join(image, 'wasm/assembly'), import.meta.filename])) return;
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
