import { arena, CodecError } from './codec.ts';

/** What every kernel exports (kernels/shared/assembly/memory.ts). */
export interface KernelMemory {
  beginMemory(): void;
  /** Bytes taken, statics included. */
  taken(): number;
  /** Bytes that can still be taken. */
  room(): number;
}

/** A kernel linked for one run. */
export type LinkedKernel<Exports> = Exports & {
  /** Bytes of the kernel's memory; as it never grows during a run, they stay where they are. */
  readonly bytes: Uint8Array<ArrayBuffer>;
};

/**
 * Links a kernel against the wiped arena for one run. It never grows the arena; what it may take has been
 * reserved before.
 *
 * @param importsOf functions that the kernel calls, by its files; they are given the kernel's memory
 * @throws CodecError what `work` throws as such, or when the kernel traps, which no input should make it do
 */
export function runKernel<Exports extends KernelMemory, Result>(
  name: string,
  module: WebAssembly.Module,
  importsOf: (bytes: Uint8Array<ArrayBuffer>) => WebAssembly.Imports,
  work: (kernel: LinkedKernel<Exports>) => Result,
): Result {
  arena.wipe();
  const bytes = new Uint8Array(arena.memory.buffer);
  try {
    const imports = { env: { memory: arena.memory }, ...importsOf(bytes) };
    const { exports } = new WebAssembly.Instance(module, imports);
    const kernel = { ...(exports as unknown as Exports), bytes };
    kernel.beginMemory();
    return work(kernel);
  } catch (cause) {
    if (!(cause instanceof WebAssembly.RuntimeError)) throw cause;
    throw new CodecError(name, false, cause);
  }
}
