import type { Arena } from './arena.ts';
import { CodecError } from './codec.ts';

/** What every kernel exports of assembly/memory.ts. */
export interface KernelMemory {
  beginMemory(): void;
  /** Lets the run take so many bytes of its memory, which grows where it has fewer. */
  limitMemory(bytes: number): void;
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

/** Bytes of a memory that may grow: what was seen before is then gone, so they are to be asked for each time. */
export interface MemoryBytes {
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A kernel linked for one run. */
export type LinkedKernel<Exports> = Exports & MemoryBytes;

/** Functions that a kernel calls, by its files, which work on the kernel's memory. */
export type KernelImports = (memory: MemoryBytes) => WebAssembly.Imports;

/** The bytes of a memory, wherever it has moved. */
class CurrentBytes implements MemoryBytes {
  readonly #memory: WebAssembly.Memory;
  #bytes: Uint8Array<ArrayBuffer>;

  constructor(memory: WebAssembly.Memory) {
    this.#memory = memory;
    this.#bytes = new Uint8Array(memory.buffer);
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    if (this.#bytes.length === 0) this.#bytes = new Uint8Array(this.#memory.buffer);
    return this.#bytes;
  }
}

function linked<Exports>(
  module: WebAssembly.Module,
  memory: WebAssembly.Memory,
  importsOf: KernelImports,
): LinkedKernel<Exports> {
  const current = new CurrentBytes(memory);
  const { exports } = new WebAssembly.Instance(module, { env: { memory }, ...importsOf(current) });
  const kernel = { ...(exports as unknown as Exports) };
  return Object.defineProperty(kernel, 'bytes', {
    get: () => current.bytes,
  }) as LinkedKernel<Exports>;
}

/**
 * Links a kernel against a wiped arena for one run. It grows the arena as far as it takes, at most to what has
 * been reserved before.
 *
 * @param arena in which nothing else runs meanwhile
 * @throws CodecError what `work` throws as such, or when the kernel traps, which no input should make it do
 */
export function runKernel<Exports extends KernelMemory, Result>(
  name: string,
  module: WebAssembly.Module,
  arena: Arena,
  importsOf: KernelImports,
  work: (kernel: LinkedKernel<Exports>) => Result,
): Result {
  arena.wipe();
  try {
    const kernel = linked<Exports>(module, arena.memory, importsOf);
    kernel.beginMemory();
    kernel.limitMemory(arena.reserved);
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
  importsOf: KernelImports,
): () => LinkedKernel<Exports> {
  let kernel: LinkedKernel<Exports> | undefined;
  return () => {
    const memory = () => new WebAssembly.Memory({ initial: countingPages });
    kernel ??= linked<Exports>(module, memory(), importsOf);
    kernel.beginCounting();
    return kernel;
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
  importsOf: KernelImports,
): (allocate: (kernel: LinkedKernel<Exports>) => void) => number {
  const counting = countingKernel<Exports>(module, importsOf);
  return (allocate) => {
    const kernel = counting();
    allocate(kernel);
    return kernel.counted();
  };
}
