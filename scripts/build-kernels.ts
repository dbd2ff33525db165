/**
 * Compiles the kernels (AssemblyScript; one per format, and one in src/image/metric) to WebAssembly with SIMD, and
 * writes TypeScript declarations of their exports. Their memory is imported: they run in the arena, like the codecs.
 */
import { existsSync, globSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isFresh } from './local/is-fresh.ts';
import { kernelInterface } from './local/kernel-interface.ts';

/** API missing from the types of Workers, where nothing is compiled. */
const webAssembly = WebAssembly as unknown as {
  compile(binary: Uint8Array): Promise<WebAssembly.Module>;
  readonly Module: {
    imports(module: WebAssembly.Module): { module: string; name: string; kind: string }[];
  };
};

const image = join(import.meta.dirname, '../src/image');

/** Entry files of the kernels below src/image; a kernel has the name of its folder. */
const entryFiles = globSync(['formats/*/kernel/index.ts', 'metric/kernel/index.ts'], {
  cwd: image,
});
for (const file of entryFiles) await build(dirname(dirname(file)));

async function build(parent: string): Promise<void> {
  const name = basename(parent);
  const folder = join(image, parent, 'kernel');
  const target = join(image, 'wasm/modules', `${name}.wasm`);
  const declaration = join(image, parent, 'kernel-exports.ts');
  // A kernel may contain stages of another one.
  const kernels = entryFiles.map((file) => join(image, dirname(file)));
  const sources = [...kernels, join(image, 'wasm/assembly'), import.meta.filename];
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
  const declared = kernelInterface(name, bindings, await constantsOf(binary));
  const before = await readFile(declaration, 'utf8').catch(() => '');
  if (declared !== before) await writeFile(declaration, declared);
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, binary);
}

/** The numeric constants that a kernel exports, by name. */
async function constantsOf(binary: Uint8Array): Promise<Record<string, number>> {
  const module = await webAssembly.compile(binary);
  const imports: Record<string, Record<string, WebAssembly.ImportValue>> = {};
  for (const { module: file, name, kind } of webAssembly.Module.imports(module)) {
    imports[file] ??= {};
    imports[file][name] =
      kind === 'memory' ? new WebAssembly.Memory({ initial: 16 }) : () => undefined;
  }
  const { exports } = new WebAssembly.Instance(module, imports);
  const constants = Object.entries(exports).flatMap(([name, value]) =>
    value instanceof WebAssembly.Global ? [[name, Number(value.value)] as const] : [],
  );
  return Object.fromEntries(constants);
}
