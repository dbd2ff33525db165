import { runAtOnce, type Slices } from '../slices.ts';
import { type Arena, arena } from './arena.ts';

/** Links a codec's module to the wiped arena and returns its functions. */
export type Opener<Api> = (arena: Arena) => Api;

/**
 * When the arena grows for a codec: before it runs, if its glue code keeps views that growing would detach, or as it
 * allocates.
 */
type Growth = 'at-once' | 'as-needed';

/**
 * A codec in the arena.
 *
 * Codecs take turns in the same memory, so each has to find its initial state there. Right after linking, that state
 * (data, static variables, the heap after its constructors) is copied out; before each run, the arena is wiped and the
 * state is restored. The instance is reused, so a run costs a memset and creates no garbage. A new instance is only
 * created if the arena has grown in the meantime (which detaches the views that the glue code holds), or if the last
 * run failed and left an unknown state.
 *
 * One job has the arena until it ends, so no lock is needed, nor can one be lost when a client disconnects.
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
   * @throws CodecError for any failure inside; the instance is then dropped
   */
  run<Result>(work: (api: Api) => Result | null): Result {
    return runAtOnce(
      this.runInSlices(function* (api) {
        return work(api);
      }),
    );
  }

  /** Like `run`, for work that pauses. */
  *runInSlices<Result>(work: (api: Api) => Slices<Result | null>): Slices<Result> {
    try {
      const result = yield* work(this.#link());
      // Some codecs continue after a refused allocation, and return garbage.
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

/** A part of a memory. */
interface Stretch {
  /** Byte offset. */
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** Granularity in bytes; at this size, nine tenths of libaom's 6 MiB are zero. */
const blockBytes = 4096;

/** Copies all nonzero blocks of `buffer`, with adjacent ones joined. */
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

/** Thrown if a codec fails: it trapped, exited, ran out of memory, or returned nothing. */
export class CodecError extends Error {
  override readonly name = 'CodecError';
  /** Whether it requested more memory than was reserved, in which case the picture itself may be intact. */
  readonly exhausted: boolean;

  constructor(codec: string, exhausted: boolean, cause: unknown) {
    super(`${codec} gave up`, { cause });
    this.exhausted = exhausted;
  }
}

/**
 * Thrown if coded data take far more work than their bytes and what they decode to account for, as no encoder writes
 * them: nothing else is known to be wrong, and other readers may show the picture.
 */
export class ExcessiveWork extends CodecError {
  constructor(codec: string) {
    super(codec, false, 'more work than any encoder makes');
  }
}

/** Thrown if a result is longer than there is room for; more working memory would not help. */
export class NoRoomForResult extends CodecError {
  constructor(codec: string) {
    super(codec, true, 'no room for a result');
  }
}

/** Thrown if the picture is intact but the format cannot represent it, which is only noticed during encoding. */
export class Unrepresentable extends CodecError {
  /** One sentence for the user. */
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
