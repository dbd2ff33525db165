import { arena } from './codecs/runtime.ts';

const mebibyte = 1024 * 1024;

/**
 * Everything that this isolate may hold for images at one moment: the arena,
 * bodies on their way in and out, rasters. An isolate has 128 MB in all; the
 * rest is the runtime's, the code's and the collector's.
 */
export const memoryBudget = 96 * mebibyte;

/**
 * What the arena may grow to. It never shrinks, so what it leaves is all that
 * bodies and rasters can count on for the rest of the isolate's life: 32 MiB,
 * the largest body that is taken.
 */
export const arenaCeiling = 64 * mebibyte;

/** What is left for the file, its raster and the result, however far the arena has grown. */
export const buffersLimit = memoryBudget - arenaCeiling;

/**
 * After this time in milliseconds a hold lapses. Holds are released when their
 * request ends; one whose request was torn down by the platform must not close
 * the isolate for good. Longer than any body may take.
 */
const holdLife = 5 * 60 * 1000;

/** Bytes taken from the ledger, until `release`. */
export interface Hold {
  readonly bytes: number;
  /** Nothing but this is held, beside the arena. */
  readonly isAlone: boolean;
  /** Takes more, or refuses and changes nothing. */
  growTo(bytes: number): boolean;
  release(): void;
}

/** The memory that one step of work needs beside what is held already. */
export interface Peak {
  /** The arena's size while the step runs. */
  readonly arena: number;
  /** JavaScript buffers: rasters and results. */
  readonly buffers: number;
}

/** The account of one isolate's memory. Counting is synchronous, so nothing slips in between. */
export class MemoryLedger {
  readonly #holds = new Map<symbol, { bytes: number; lapses: number }>();

  /** Bytes held now, the arena included. */
  get held(): number {
    return arena.bytes + this.#bodies();
  }

  /** Takes `bytes` for a body, or null when they do not fit now. */
  hold(bytes: number): Hold | null {
    this.#forgetLapsed();
    const id = Symbol();
    if (!this.#admits(bytes, 0)) return null;
    const entry = { bytes, lapses: Date.now() + holdLife };
    this.#holds.set(id, entry);
    const others = () => this.#bodies() - entry.bytes;
    return {
      get bytes() {
        return entry.bytes;
      },
      get isAlone() {
        return others() === 0;
      },
      growTo: (size) => {
        if (!this.#admits(size, entry.bytes)) return false;
        entry.bytes = size;
        return true;
      },
      release: () => {
        this.#holds.delete(id);
      },
    };
  }

  /** Whether a step fits beside everything that is held at this moment. */
  fits({ arena: needed, buffers }: Peak): boolean {
    return Math.max(arena.bytes, needed) + this.#bodies() + buffers <= memoryBudget;
  }

  #admits(bytes: number, replacing: number): boolean {
    const others = this.#bodies() - replacing;
    const left = memoryBudget - arena.bytes;
    // Bodies of several requests leave half of it free to work on them; one alone may have it all.
    return others + bytes <= (others > 0 ? left / 2 : left);
  }

  #bodies(): number {
    let sum = 0;
    for (const { bytes } of this.#holds.values()) sum += bytes;
    return sum;
  }

  #forgetLapsed(): void {
    const now = Date.now();
    for (const [id, { lapses }] of this.#holds) if (lapses < now) this.#holds.delete(id);
  }
}

/** The ledger of this isolate. */
export const ledger = new MemoryLedger();

/**
 * Whether a step fits in any isolate that does nothing else and holds the file
 * itself, one whose arena has grown to its ceiling included.
 */
export function fitsAlone({ arena: needed, buffers }: Peak, fileBytes: number): boolean {
  return needed <= arenaCeiling && buffers + fileBytes <= buffersLimit;
}
