import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { workerData } from 'node:worker_threads';
import type { ThreadData } from './orders.ts';

// In the built server, every import of a `.wasm` file becomes a call of `kernel`: each is compiled once, and threads get
// the compiled modules, with whatever has been optimized of them.

/** Missing in the types of Workers. */
const { Module } = WebAssembly as unknown as {
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => WebAssembly.Module;
};

const given: Partial<ThreadData> | null = workerData;
const compiled = new Map(given?.kernels);

/** All that are compiled, by the names of their files: what threads are opened with. */
export const compiledKernels: ReadonlyMap<string, WebAssembly.Module> = compiled;

/**
 * A compiled kernel.
 * @param name that of its file
 */
export function kernel(name: string, file: URL): WebAssembly.Module {
  const module =
    compiled.get(name) ?? new Module(new Uint8Array(readFileSync(fileURLToPath(file.href))));
  compiled.set(name, module);
  return module;
}
