import type { Slices } from '../slices.ts';
import type { Arena } from './arena.ts';
import { CodecError } from './codec.ts';

/** The exports of assembly/memory.ts, which every kernel has. */
export interface KernelMemory {
  beginMemory(): void;
  /** Limits the run to this many bytes; its memory grows if necessary. */
  limitMemory(bytes: number): void;
  /** Allocated bytes, including static data. */
  taken(): number;
  /** Offset behind the last byte that the run may have written. */
  written(): number;
  /** Bytes that can still be allocated. */
  room(): number;
  /** Starts counting mode, in which allocations are only added up. */
  beginCounting(): void;
  /** Bytes that a run with the allocations since `beginCounting` would take, including static data. */
  counted(): number;
}

/** The bytes of a memory that may grow, which detaches earlier views; request them anew each time. */
interface MemoryBytes {
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A kernel linked for one run. */
export type LinkedKernel<Exports> = Exports & MemoryBytes;

/** The functions that a kernel imports, by module; they may access the kernel's memory. */
export type KernelImports = (memory: MemoryBytes) => WebAssembly.Imports;

/** The current bytes of a memory. */
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
 * Links a kernel to a wiped arena for one run. It grows the arena as needed, at most to the reserved size.
 *
 * @param arena the arena, which nothing else may use meanwhile
 * @throws CodecError if `work` throws one, or the kernel traps, which no input should cause
 */
export function* runKernel<Exports extends KernelMemory, Result>(
  name: string,
  module: WebAssembly.Module,
  arena: Arena,
  importsOf: KernelImports,
  work: (kernel: LinkedKernel<Exports>) => Slices<Result>,
): Slices<Result> {
  arena.wipe();
  try {
    const kernel = linked<Exports>(module, arena.memory, importsOf);
    kernel.beginMemory();
    kernel.limitMemory(arena.reserved);
    const result = yield* work(kernel);
    // Not after a failure, because the state is then unknown.
    arena.writtenUpTo(kernel.written());
    return result;
  } catch (cause) {
    if (!(cause instanceof WebAssembly.RuntimeError)) throw cause;
    throw new CodecError(name, false, cause);
  }
}

/** Numbers of assembly/work.ts, as kernels export them. */
interface WorkConstants {
  readonly unfinished: number;
  readonly stretchMs: number;
}

/**
 * Drives work of a kernel that pauses.
 * @param first what its first call has returned
 * @param goOn calls the kernel again
 */
export function* finished(
  { unfinished, stretchMs }: WorkConstants,
  first: number,
  goOn: () => number,
): Slices<number> {
  let result = first;
  while (result === unfinished) {
    yield stretchMs;
    result = goOn();
  }
  return result;
}

/** Pages of 64 KiB for a kernel that only counts: its static data, and what allocators write immediately. */
const countingPages = 4;

/**
 * Predicts a kernel's memory with its own allocators, in counting mode. They run in a separate instance outside the
 * arena, which is linked on first use and kept.
 *
 * @param module returns the kernel, which may be compiled after this call
 * @param importsOf as for `runKernel`; imports must not be called while memory is counted
 * @returns a function that resets the counting kernel and returns it
 */
export function countingKernel<Exports extends KernelMemory>(
  module: () => WebAssembly.Module,
  importsOf: KernelImports,
): () => LinkedKernel<Exports> {
  let kernel: LinkedKernel<Exports> | undefined;
  return () => {
    const memory = () => new WebAssembly.Memory({ initial: countingPages });
    kernel ??= linked<Exports>(module(), memory(), importsOf);
    kernel.beginCounting();
    return kernel;
  };
}

/**
 * Predicts the memory of a kernel's runs with `countingKernel`.
 *
 * @param module returns the kernel, which may be compiled after this call
 * @param importsOf as for `runKernel`; nothing should be called while memory is counted
 * @returns bytes of the arena that a run takes which allocates as `allocate` does
 */
export function memoryCounter<Exports extends KernelMemory>(
  module: () => WebAssembly.Module,
  importsOf: KernelImports,
): (allocate: (kernel: LinkedKernel<Exports>) => void) => number {
  const counting = countingKernel<Exports>(module, importsOf);
  return (allocate) => {
    const kernel = counting();
    allocate(kernel);
    return kernel.counted();
  };
}
