import type { Arena } from './arena.ts';
import { CodecError } from './codec.ts';

/** Links a codec's module against the wiped arena and returns its functions. */
export type Opener<Api> = (arena: Arena) => Api;

/**
 * One codec in the arena.
 *
 * Codecs take turns in the same memory, so each must find it as if it were
 * newborn. Right after linking, everything the codec keeps (data, statics, the
 * heap its constructors left) is copied out; before every run the arena is
 * wiped and that image put back. The instance itself stays, so a run costs a
 * memset and leaves nothing for the collector. A new instance is made only
 * when the arena has grown in between (growing detaches the views that the
 * glue code holds) or when the last run failed and left it in an unknown state.
 *
 * Nothing here awaits. Between decoding and encoding no other request can come
 * in, so there is no lock to hold, and none to lose when a client goes away.
 */
export class CodecInstance<Api> {
  readonly #name: string;
  readonly #arena: Arena;
  readonly #open: Opener<Api>;
  #linked: { readonly api: Api; readonly buffer: ArrayBuffer } | undefined;
  #newborn: Uint8Array | undefined;

  constructor(name: string, arena: Arena, open: Opener<Api>) {
    this.#name = name;
    this.#arena = arena;
    this.#open = open;
  }

  /**
   * Runs `work` on a codec in its newborn state.
   * @throws CodecError whatever goes wrong inside; the instance is dropped then
   */
  run<Result>(work: (api: Api) => Result | null): Result {
    try {
      const result = work(this.#link());
      // After a refused allocation some codecs go on, and hand over rubbish.
      if (result === null || this.#arena.exhausted) throw new Error('no result');
      return result;
    } catch (cause) {
      this.#linked = undefined;
      throw new CodecError(this.#name, this.#arena.exhausted, cause);
    }
  }

  #link(): Api {
    this.#arena.wipe();
    const { buffer } = this.#arena.memory;
    if (this.#linked?.buffer === buffer && this.#newborn) {
      new Uint8Array(buffer).set(this.#newborn);
      return this.#linked.api;
    }
    const api = this.#open(this.#arena);
    this.#newborn ??= writtenPart(buffer);
    this.#linked = { api, buffer };
    return api;
  }
}

/** A copy of `buffer` up to its last byte that is not zero. */
function writtenPart(buffer: ArrayBuffer): Uint8Array {
  const words = new Int32Array(buffer);
  let end = words.length;
  while (end > 0 && words[end - 1] === 0) end -= 1;
  return new Uint8Array(buffer.slice(0, end * words.BYTES_PER_ELEMENT));
}
