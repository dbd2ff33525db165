/** Size of a WebAssembly page in bytes. */
const page = 65_536;

/**
 * Pages that the largest codec build asks for at its birth (Emscripten's
 * 16 MiB), so that every module links against a fresh arena.
 */
const birthPages = 256;

/** What the codec builds declare as their ceiling; the import has to agree. */
const declaredMaximum = 32_768;

/** The side arena at its birth: what the statics of a kernel take. */
const sideBirthPages = 4;

/** Between what runs take and what is set apart: the stores of a kernel may reach a little beyond what it has taken. */
const guardBytes = page;

/**
 * The WebAssembly memory in which every codec runs, one at a time.
 *
 * A codec as published owns a memory of 16 MiB or more, and WebAssembly memory
 * never shrinks: eight idle codecs would hold a whole isolate. Dropping an
 * instance does not help either, since nothing says when the collector will
 * come, and dropped memories pile up until it does. So the build turns each
 * module's own memory into an import (scripts/build-codecs.ts) and they all
 * share this one: a picture costs the largest of its steps instead of their
 * sum, and what is held is known to the byte.
 *
 * There is a second, small one for kernels (`sideArena`): where rows flow from one kernel to another, both
 * have to be in memory at once, and where a codec runs several times, what gives it its rows outlives each run.
 *
 * An arena grows to what a step has announced and never beyond, and no sooner than it is needed; a codec
 * that asks for more is refused and fails as it would on an exhausted heap.
 */
export class Arena {
  readonly memory: WebAssembly.Memory;
  readonly #birthBytes: number;
  #reserved: number;
  #exhausted = false;
  /** Everything from here on is zeros. */
  #written: number | null = null;
  /** From here on lies what outlives runs; null: nothing does. */
  #apartFrom: number | null = null;

  /** @param pages of 64 KiB at its birth */
  constructor(pages = birthPages) {
    this.memory = new WebAssembly.Memory({ initial: pages, maximum: declaredMaximum });
    this.#birthBytes = pages * page;
    this.#reserved = this.#birthBytes;
  }

  /** Bytes held, now and from now on. */
  get bytes(): number {
    return this.memory.buffer.byteLength;
  }

  /** WebAssembly pages of 64 KiB held. */
  get pages(): number {
    return this.bytes / page;
  }

  /** Lets it grow to hold `bytes`; nothing may grow it further until the next call. */
  reserve(bytes: number): void {
    this.#reserved = Math.max(this.#birthBytes, Math.ceil(bytes / page) * page);
  }

  /**
   * Bytes that were reserved last, or those of its birth, without what is set apart and the page before that: kernels take no
   * more, even where it holds more.
   */
  get reserved(): number {
    return this.#apartFrom === null ? this.#reserved : this.#apartFrom - guardBytes;
  }

  /**
   * Sets the end of what is reserved apart, behind the bytes that runs may take: what lies there outlives them. The arena grows
   * to all of it at once, so that views of it stay good. Only kernels may run until `endApart`: a codec takes whatever the
   * arena holds.
   * @returns zeros, as is what lies behind them; empty where runs take all of it
   */
  setApart(runBytes: number): Uint8Array<ArrayBuffer> {
    const from = apartBytes(runBytes, 0);
    if (from >= this.#reserved) return new Uint8Array(0);
    this.growToReserved();
    this.#apartFrom = from;
    // all that was written, even beyond what is reserved now: wiping will not come as far
    const end = this.#written ?? this.bytes;
    if (end > from) new Uint8Array(this.memory.buffer, from, end - from).fill(0);
    this.#written = Math.min(end, from);
    return new Uint8Array(this.memory.buffer, from, this.#reserved - from);
  }

  /** Wipes what was set apart, which runs may use again. */
  endApart(): void {
    if (this.#apartFrom === null) return;
    new Uint8Array(this.memory.buffer, this.#apartFrom, this.#reserved - this.#apartFrom).fill(0);
    this.#apartFrom = null;
  }

  /**
   * Grows to what was reserved: for a codec, which cannot grow it piece by piece without being linked anew. It
   * takes whatever the arena holds.
   */
  growToReserved(): void {
    this.grow(Math.max(0, this.#reserved - this.bytes) / page);
  }

  /** Whether a codec has been refused memory since the last wipe. */
  get exhausted(): boolean {
    return this.#exhausted;
  }

  /** Called by codecs: adds pages, or throws a RangeError beyond what was reserved. */
  grow(pages: number): number {
    if (this.bytes + pages * page > Math.max(this.#reserved, this.bytes)) {
      this.#exhausted = true;
      throw new RangeError('a codec asked for more memory than was reserved for it');
    }
    return pages > 0 ? this.memory.grow(pages) : this.pages;
  }

  /**
   * Zeroes everything: the next codec starts as if on a memory of its own, and
   * no pixel of one customer's picture is there for another's to meet. Whoever runs next and
   * does not say how far it has written has written everywhere.
   */
  wipe(): void {
    const end = Math.min(this.#written ?? this.bytes, this.#apartFrom ?? this.bytes);
    new Uint8Array(this.memory.buffer, 0, end).fill(0);
    this.#written = null;
    this.#exhausted = false;
  }

  /** Called after a run that has written nothing from `end` on, so that the next wipe is no longer than need be. */
  writtenUpTo(end: number): void {
    this.#written = end;
  }

  /** The first bytes, for what is put together there without a codec. */
  firstBytes(length: number): Uint8Array<ArrayBuffer> {
    this.grow(Math.max(0, Math.ceil((length - this.bytes) / page)));
    if (this.#written !== null) this.#written = Math.max(this.#written, length);
    return new Uint8Array(this.memory.buffer, 0, length);
  }
}

/** What is to be reserved where so many bytes are set apart behind what runs may take. */
export function apartBytes(runBytes: number, bytes: number): number {
  return Math.ceil(runBytes / page) * page + guardBytes + bytes;
}

export const arenaBirthBytes = birthPages * page;
export const sideBirthBytes = sideBirthPages * page;

/** The arena of this isolate: for codecs, and for the larger of two kernels. */
export const arena = new Arena();

/** The side arena of this isolate: for a kernel beside what runs in the arena. */
export const sideArena = new Arena(sideBirthPages);
