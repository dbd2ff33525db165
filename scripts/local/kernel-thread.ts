/** The thread that compiles kernels (scripts/build-kernels.ts), as it gets messages with a {@link KernelOrder}. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parentPort } from 'node:worker_threads';
import asc from 'assemblyscript/asc';
import { kernelInterface } from './kernel-interface.ts';

/** What to compile; all paths are absolute. */
export interface KernelOrder {
  readonly name: string;
  /** The AssemblyScript file whose exports the kernel has. */
  readonly entry: string;
  /** The WebAssembly file to write. */
  readonly target: string;
  /** The TypeScript file with its interface, which is written only if it changes. */
  readonly declaration: string;
}

/** API missing from the types of Workers, where nothing is compiled. */
const webAssembly = WebAssembly as unknown as {
  compile(binary: Uint8Array): Promise<WebAssembly.Module>;
  readonly Module: {
    imports(module: WebAssembly.Module): { module: string; name: string; kind: string }[];
  };
};

// One order after the other: the compiler is loaded, and gets fast, once for each thread.
const port = parentPort;
if (!port) throw new Error('This is a thread.');
port.on('message', (order: KernelOrder) => {
  compile(order).then(
    () => port.postMessage('done'),
    // Ends the thread, and with it the build.
    (error: unknown) => {
      throw error;
    },
  );
});

/** @throws Error with the output of the compiler */
async function compile({ name, entry, target, declaration }: KernelOrder): Promise<void> {
  let binary: Uint8Array | undefined;
  let bindings = '';
  const { error, stderr } = await asc.main(
    [
      entry,
      ...['--outFile', 'kernel.wasm', '--bindings', 'raw'],
      ...['--runtime', 'stub', '--importMemory', '--enable', 'simd'],
      ...['-O3', '--noAssert', '--zeroFilledMemory', '--use', 'abort='],
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
