import { arena, CodecError } from './codec.ts';

/** What every kernel exports of assembly/memory.ts. */
export interface KernelMemory {
  beginMemory(): void;
  /** Bytes taken, statics included. */
  taken(): number;
  /** Behind the last byte that the run may have written. */
  written(): number;
  /** Bytes that can still be taken. */
  room(): number;
  /** Begins counting mode, in which allocations are only added up. */
  beginCounting(): void;
  /** Bytes that a run would take with the allocations since `beginCounting`, statics included. */
  counted(): number;
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
    const result = work(kernel);
    // not after a failure: where it stopped is not known
    arena.writtenUpTo(kernel.written());
    return result;
  } catch (cause) {
    if (!(cause instanceof WebAssembly.RuntimeError)) throw cause;
    throw new CodecError(name, false, cause);
  }
}

/** Pages of 64 KiB for a kernel that only counts: its statics, and what allocators write at once. */
const countingPages = 4;

/**
 * How a kernel's memory is predicted: its own allocators tell, in counting mode. They run in an instance
 * apart from the arena, which is linked when it is first needed and stays.
 *
 * @param importsOf as for `runKernel`; nothing should be called while memory is counted
 * @returns gives the kernel that counts, from 0 each time
 */
export function countingKernel<Exports extends KernelMemory>(
  module: WebAssembly.Module,
  importsOf: (bytes: Uint8Array<ArrayBuffer>) => WebAssembly.Imports,
): () => LinkedKernel<Exports> {
  let linked: LinkedKernel<Exports> | undefined;
  const link = () => {
    const memory = new WebAssembly.Memory({ initial: countingPages });
    const bytes = new Uint8Array(memory.buffer);
    const { exports } = new WebAssembly.Instance(module, { env: { memory }, ...importsOf(bytes) });
    return { ...(exports as unknown as Exports), bytes };
  };
  return () => {
    linked ??= link();
    linked.beginCounting();
    return linked;
  };
}

/**
 * Predicts the memory of a kernel's runs with `countingKernel`.
 *
 * @param importsOf as for `runKernel`; nothing should be called while memory is counted
 * @returns bytes of the arena that a run takes which allocates as `allocate` does
 */
export function memoryCounter<Exports extends KernelMemory>(
  module: WebAssembly.Module,
  importsOf: (bytes: Uint8Array<ArrayBuffer>) => WebAssembly.Imports,
): (allocate: (kernel: LinkedKernel<Exports>) => void) => number {
  const counting = countingKernel<Exports>(module, importsOf);
  return (allocate) => {
    const kernel = counting();
    allocate(kernel);
    return kernel.counted();
  };
}
