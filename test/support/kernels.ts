import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isFresh } from '../../scripts/local/is-fresh.ts';
import { root } from '../../scripts/local/root.ts';

/** Missing in the types of Workers, which cannot compile modules. */
const { compile } = WebAssembly as unknown as {
  compile(binary: Uint8Array): Promise<WebAssembly.Module>;
};

const image = join(root, 'src/image');

/** What a stage may be compiled of: it may contain parts of another kernel. */
const sources = [
  ...globSync(['formats/*/kernel', 'metric/kernel', 'wasm/assembly'], { cwd: image }).map(
    (folder) => join(image, folder),
  ),
  import.meta.filename,
];

/**
 * Compiles parts of a kernel, so that a stage can be tested alone: everything that these files of its folder export can
 * be called. A stage is kept in `dist/stages`, and compiled again once a source is newer.
 */
export async function compiledKernel(
  kernel: string,
  files: readonly string[],
): Promise<WebAssembly.Module> {
  const name = createHash('sha256')
    .update(JSON.stringify([kernel, files]))
    .digest('hex');
  const target = join(root, 'dist/stages', `${name}.wasm`);
  if (!(await isFresh(target, sources))) {
    const binary = await compileStage(join(image, 'formats', kernel, 'kernel'), files);
    await mkdir(join(root, 'dist/stages'), { recursive: true });
    // Other workers may compile it as well.
    const own = `${target}.${process.pid}`;
    await writeFile(own, binary);
    await rename(own, target);
  }
  return compile(await readFile(target));
}

async function compileStage(folder: string, files: readonly string[]): Promise<Uint8Array> {
  const { default: asc } = await import('assemblyscript/asc');
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
  return binary;
}

/**
 * Records the functions of a kernel that trap from now on: a trap is a bug even if it is caught and converted to a
 * refusal.
 * @param file a file of the kernel that imports host functions, and that no other kernel or codec has
 */
export function kernelTraps(file: 'bit-reader' | 'cursor' | 'file-window'): {
  readonly traps: readonly string[];
  restore(): void;
} {
  const traps: string[] = [];
  const { Instance } = WebAssembly;
  WebAssembly.Instance = new Proxy(Instance, {
    construct(_, [module, imports]: [WebAssembly.Module, WebAssembly.Imports]) {
      const instance = new Instance(module, imports);
      return file in imports ? { exports: watched(instance.exports, traps) } : instance;
    },
  });
  return {
    traps,
    restore: () => {
      WebAssembly.Instance = Instance;
    },
  };
}

function watched(exports: WebAssembly.Exports, traps: string[]): WebAssembly.Exports {
  return Object.fromEntries(
    Object.entries(exports).map(([name, value]) => {
      if (typeof value !== 'function') return [name, value];
      const call = (...given: unknown[]): unknown => {
        try {
          return Reflect.apply(value, undefined, given);
        } catch (error) {
          if (error instanceof WebAssembly.RuntimeError) traps.push(`${name}: ${error.message}`);
          throw error;
        }
      };
      return [name, call];
    }),
  );
}
