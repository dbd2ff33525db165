import { CodecError } from './codec.ts';
import { arena } from './runtime.ts';

/** What every wasm-bindgen build of @jsquash exports beside its own functions. */
interface BindgenExports {
  __wbindgen_add_to_stack_pointer(bytes: number): number;
  __wbindgen_malloc(bytes: number, alignment: number): number;
  __wbindgen_free(pointer: number, bytes: number, alignment: number): void;
}

/** A codec linked for one run. */
export interface RustRun<Exports> {
  readonly exports: Exports & BindgenExports;
  /** The arena as it is now; growing replaces it, so ask again after every call. */
  view(): Uint8Array<ArrayBuffer>;
  /** Copies `bytes` in; the callee frees them. */
  put(bytes: Uint8Array | Uint8ClampedArray): { pointer: number; length: number };
  /** Calls a function that answers with a vector through a return pointer, copies that out and frees it. */
  vector(call: (returnPointer: number) => void): Uint8Array<ArrayBuffer>;
}

type Imports = Record<string, (...values: number[]) => unknown>;

/** Pages that the Rust builds are born with: stack and data, no heap yet. */
const birthPages = 17;

/**
 * Links a wasm-bindgen build against the wiped arena for one run.
 *
 * The package's own glue keeps one instance for ever, in a memory of its own;
 * this speaks the same protocol directly. Rust's allocator gets memory by
 * growing and expects the new pages behind all others, so growing is answered
 * from a count that starts over with each run. An instance without its memory
 * is small enough to make each time.
 *
 * @throws CodecError whatever goes wrong inside
 */
export function runRust<Exports, Result>(
  name: string,
  module: WebAssembly.Module,
  imports: Imports,
  work: (run: RustRun<Exports>) => Result,
): Result {
  arena.wipe();
  try {
    const instance = new WebAssembly.Instance(module, {
      wbg: { __wbindgen_throw: fail, ...imports },
      arena: { memory: arena.memory, grow: growingFrom(birthPages) },
    });
    const result = work(linked(instance.exports as unknown as Exports & BindgenExports));
    if (arena.exhausted) throw new Error('out of memory');
    return result;
  } catch (cause) {
    throw new CodecError(name, arena.exhausted, cause);
  }
}

function linked<Exports>(exports: Exports & BindgenExports): RustRun<Exports> {
  const view = () => new Uint8Array(arena.memory.buffer);
  return {
    exports,
    view,
    put(bytes) {
      const pointer = exports.__wbindgen_malloc(bytes.length, 1) >>> 0;
      view().set(bytes, pointer);
      return { pointer, length: bytes.length };
    },
    vector(call) {
      const returnPointer = exports.__wbindgen_add_to_stack_pointer(-16);
      call(returnPointer);
      const answer = new DataView(arena.memory.buffer, returnPointer, 8);
      const [pointer, length] = [answer.getUint32(0, true), answer.getUint32(4, true)];
      const bytes = view().slice(pointer, pointer + length);
      exports.__wbindgen_free(pointer, length, 1);
      exports.__wbindgen_add_to_stack_pointer(16);
      return bytes;
    },
  };
}

/** `memory.grow` as WebAssembly defines it (pages before, or −1), counted from `pages`. */
function growingFrom(pages: number): (delta: number) => number {
  let count = pages;
  return (delta) => {
    const before = count;
    try {
      arena.grow(Math.max(0, before + delta - arena.pages));
    } catch {
      return -1;
    }
    count += delta;
    return before;
  };
}

function fail(): never {
  throw new Error('panic');
}
