/**
 * Compiles the kernels (of formats, and that of src/image/metric; AssemblyScript) to WebAssembly with
 * SIMD, and writes down for TypeScript what they export. Their memory is
 * imported: they run in the arena, as the codecs do.
 */
import { existsSync, globSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isFresh } from './local/is-fresh.ts';
import { kernelInterface } from './local/kernel-interface.ts';

/** What is missing in the types of Workers, where nothing is compiled. */
const webAssembly = WebAssembly as unknown as {
  compile(binary: Uint8Array): Promise<WebAssembly.Module>;
  readonly Module: {
    imports(module: WebAssembly.Module): { module: string; name: string; kind: string }[];
  };
};

const image = join(import.meta.dirname, '../src/image');

/** Folders below src/image that have a kernel, whose name is theirs. */
const rooms = globSync(['formats/*/kernel/index.ts', 'metric/kernel/index.ts'], { cwd: image });
for (const file of rooms) await build(dirname(dirname(file)));

async function build(room: string): Promise<void> {
  const name = basename(room);
  const folder = join(image, room, 'kernel');
  const target = join(image, 'wasm/modules', `${name}.wasm`);
  const declaration = join(image, room, 'kernel-exports.ts');
  // a kernel may be made of stages of another
  const kernels = rooms.map((file) => join(image, dirname(file)));
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

/** The numbers that a kernel exports, by their names. */
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
