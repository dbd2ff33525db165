import { type Arena, arena } from './arena.ts';

/** Links a codec's module against the wiped arena and returns its functions. */
export type Opener<Api> = (arena: Arena) => Api;

/**
 * When the arena grows for a codec: as soon as it runs, where its glue code keeps views that growing would detach, or
 * as it allocates.
 */
type Growth = 'at-once' | 'as-needed';

/**
 * One codec in the arena.
 *
 * Codecs take turns in the same memory, so each must find it in its
 * initial state. Right after linking, everything the codec keeps (data, statics, the
 * heap its constructors left) is copied out; before every run the arena is
 * wiped and that image put back. The instance itself stays, so a run costs a
 * memset and leaves nothing for the collector. A new instance is made only
 * when the arena has grown in between (growing detaches the views that the
 * glue code holds) or when the last run failed and left it in an unknown state.
 *
 * Nothing here awaits. Between decoding and encoding no other request can come
 * in, so there is no lock to hold, and none to lose when a client goes away.
 */
class CodecInstance<Api> {
  readonly #name: string;
  readonly #arena: Arena;
  readonly #open: Opener<Api>;
  readonly #growth: Growth;
  #linked: { readonly api: Api; readonly buffer: ArrayBuffer } | undefined;
  #initial: readonly Stretch[] | undefined;

  constructor(name: string, arena: Arena, open: Opener<Api>, growth: Growth) {
    this.#name = name;
    this.#arena = arena;
    this.#open = open;
    this.#growth = growth;
  }

  /**
   * Runs `work` on a codec in its initial state.
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
    if (this.#growth === 'at-once') this.#arena.growToReserved();
    const { buffer } = this.#arena.memory;
    if (this.#linked?.buffer === buffer && this.#initial) {
      const memory = new Uint8Array(buffer);
      for (const { at, bytes } of this.#initial) memory.set(bytes, at);
      return this.#linked.api;
    }
    const api = this.#open(this.#arena);
    this.#initial ??= writtenStretches(buffer);
    this.#linked = { api, buffer };
    return api;
  }
}

/** Part of a memory. */
interface Stretch {
  /** In bytes. */
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** In bytes; of libaom's 6 MiB nine tenths are zeros, as this sees them. */
const blockBytes = 4096;

/** Copies of all blocks of `buffer` that are not zero, neighbours joined. */
function writtenStretches(buffer: ArrayBuffer): readonly Stretch[] {
  const stretches: Stretch[] = [];
  const words = new Int32Array(buffer);
  const step = blockBytes / words.BYTES_PER_ELEMENT;
  const isWritten = (block: number) =>
    words.subarray(block * step, (block + 1) * step).some((word) => word !== 0);
  const blocks = Math.ceil(words.length / step);
  for (let block = 0; block < blocks; block += 1) {
    if (!isWritten(block)) continue;
    const first = block;
    while (block < blocks && isWritten(block)) block += 1;
    const bytes = new Uint8Array(buffer.slice(first * blockBytes, block * blockBytes));
    stretches.push({ at: first * blockBytes, bytes });
  }
  return stretches;
}

/** A codec gave up: it trapped, exited, ran out of arena, or returned nothing. */
export class CodecError extends Error {
  override readonly name = 'CodecError';
  /** It asked for more memory than was reserved; the picture itself may be sound. */
  readonly exhausted: boolean;

  constructor(codec: string, exhausted: boolean, cause: unknown) {
    super(`${codec} gave up`, { cause });
    this.exhausted = exhausted;
  }
}

/** An encoder got through, but what came of it is longer than there is room for: more memory to work in would not help. */
export class NoRoomForResult extends CodecError {
  constructor(codec: string) {
    super(codec, true, 'no room for a result');
  }
}

/** The picture is sound, but holds something that the format cannot, which shows only while it is coded. */
export class Unrepresentable extends CodecError {
  /** One sentence for the caller. */
  readonly detail: string;

  constructor(codec: string, detail: string) {
    super(codec, false, detail);
    this.detail = detail;
  }
}

export function codec<Api>(
  name: string,
  open: Opener<Api>,
  growth: Growth = 'at-once',
): CodecInstance<Api> {
  return new CodecInstance(name, arena, open, growth);
}
