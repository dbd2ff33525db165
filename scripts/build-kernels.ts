/**
 * Compiles the kernels (src/image/formats, AssemblyScript) to WebAssembly with
 * SIMD, and writes down for TypeScript what they export. Their memory is
 * imported: they run in the arena, as the codecs do.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isFresh } from './local/is-fresh.ts';
import { kernelInterface } from './local/kernel-interface.ts';

const image = join(import.meta.dirname, '../src/image');

for (const name of ['jpeg', 'png']) await build(name);

async function build(name: string): Promise<void> {
  const folder = join(image, 'formats', name, 'kernel');
  const target = join(image, 'wasm/modules', `${name}.wasm`);
  const declaration = join(image, 'formats', name, 'kernel-exports.ts');
  const sources = [folder, join(image, 'wasm/assembly'), import.meta.filename];
  if (existsSync(declaration) && (await isFresh(target, sources))) return;
  const { default: asc } = await import('assemblyscript/asc');
  let binary: Uint8Array | undefined;
  let bindings = '';
  const { error, stderr } = await asc.main(
    [
      join(folder, 'index.ts'),
      ...['--outFile', 'kernel.wasm', '--bindings', 'raw'],
      ...['--runtime', 'stub', '--importMemory', '--enable', 'simd'],
      ...['-O3', '--converge', '--noAssert', '--zeroFilledMemory', '--use', 'abort='],
      ...['--disableWarning', '--noColors'],
    ],
    {
      writeFile(file, contents) {
        if (typeof contents !== 'string') binary = contents;
        else if (file.endsWith('.d.ts')) bindings = contents;
      },
    },
  );
  if (error || !binary) {
    throw new Error(`The kernel ${name} cannot be compiled.\n${stderr.toString()}`);
  }
  const declared = kernelInterface(name, bindings);
  const before = await readFile(declaration, 'utf8').catch(() => '');
  if (declared !== before) await writeFile(declaration, declared);
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, binary);
}
