import { join } from 'node:path';
import asc from 'assemblyscript/asc';

/** Missing in the types of Workers, where nothing is compiled. */
const { compile } = WebAssembly as unknown as {
  compile(binary: Uint8Array): Promise<WebAssembly.Module>;
};

/**
 * Compiles parts of a kernel, so that a stage can be tested alone: all that these
 * files of its folder export can be called.
 */
export async function compiledKernel(
  kernel: string,
  files: readonly string[],
): Promise<WebAssembly.Module> {
  const folder = join(import.meta.dirname, '../../src/image/formats', kernel, 'kernel');
  let binary = new Uint8Array(0);
  const { error, stderr } = await asc.main(
    [
      ...files.map((file) => join(folder, file)),
      ...['--outFile', 'stage.wasm', '--runtime', 'stub', '--importMemory', '--enable', 'simd'],
      ...['-O3', '--noAssert', '--use', 'abort=', '--disableWarning'],
    ],
    {
      writeFile(_, contents) {
        if (typeof contents !== 'string') binary = new Uint8Array(contents);
      },
    },
  );
  if (error) throw new Error(stderr.toString());
  return compile(binary);
}
