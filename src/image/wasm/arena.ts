/** Size of a WebAssembly page in bytes. */
const page = 65_536;

/**
 * Initial pages that the largest codec build requires (Emscripten's 16 MiB), so that every module can link to a new
 * arena.
 */
const birthPages = 256;

/** The maximum that the codec builds declare, which the imported memory has to match. */
const declaredMaximum = 32_768;

/** Initial pages of the side arena: enough for the static data of a kernel. */
const sideBirthPages = 4;

/** Gap between the memory of runs and what is set apart, because a kernel may write slightly beyond its allocations. */
const guardBytes = page;

/**
 * The WebAssembly memory in which every codec runs, one at a time.
 *
 * A codec as published owns a memory of 16 MiB or more, and WebAssembly memory never shrinks: eight idle codecs would
 * fill an isolate. Dropping instances does not help, because the garbage collector may run late, and dropped memories
 * accumulate until then. So the build turns each module's own memory into an import (scripts/build-codecs.ts), and all
 * modules share this one: a picture costs the maximum of its steps instead of their sum, and the memory held is known
 * exactly.
 *
 * A second, small arena is for kernels (`sideArena`): if rows are streamed from one kernel to another, both have to be
 * in memory at once, and if a codec runs several times, the source of its rows outlives each run.
 *
 * An arena grows to the size that a step has reserved, as late as possible and never beyond. A codec that requests more
 * is refused, and fails as it would on an exhausted heap.
 */
export class Arena {
  readonly memory: WebAssembly.Memory;
  readonly #birthBytes: number;
  #reserved: number;
  #exhausted = false;
  /** Offset from which on everything is zero; null if unknown. */
  #written: number | null = null;
  /** Offset of the memory that outlives runs; null if there is none. */
  #apartFrom: number | null = null;

  /** @param pages initial size in pages of 64 KiB */
  constructor(pages = birthPages) {
    this.memory = new WebAssembly.Memory({ initial: pages, maximum: declaredMaximum });
    this.#birthBytes = pages * page;
    this.#reserved = this.#birthBytes;
  }

  /** Bytes held; never decreases. */
  get bytes(): number {
    return this.memory.buffer.byteLength;
  }

  /** WebAssembly pages of 64 KiB held. */
  get pages(): number {
    return this.bytes / page;
  }

  /** Allows it to grow to `bytes`, and no further until the next call. */
  reserve(bytes: number): void {
    this.#reserved = Math.max(this.#birthBytes, Math.ceil(bytes / page) * page);
  }

  /**
   * Bytes reserved by the last call, at least the initial size, without what is set apart and the gap before it.
   * Kernels take no more, even if the arena holds more.
   */
  get reserved(): number {
    return this.#apartFrom === null ? this.#reserved : this.#apartFrom - guardBytes;
  }

  /**
   * Sets apart the end of the reserved memory, behind the bytes for runs, so that its content outlives them. The arena
   * grows to its full size immediately, so that views of it stay valid. Until `endApart`, only kernels may run, because
   * a codec uses all memory that the arena holds.
   * @returns the zeroed memory; empty if runs take all of it
   */
  setApart(runBytes: number): Uint8Array<ArrayBuffer> {
    const from = apartBytes(runBytes, 0);
    if (from >= this.#reserved) return new Uint8Array(0);
    this.growToReserved();
    this.#apartFrom = from;
    // Includes what was written beyond the current reservation, which wiping will not reach.
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
   * Grows to the reserved size, for a codec, which cannot grow the arena piece by piece without being linked again. It
   * uses all memory that the arena holds.
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

  /** Called by codecs before they use memory up to `end`; false beyond what was reserved. */
  extendTo(end: number): boolean {
    if (end > this.#reserved) {
      this.#exhausted = true;
      return false;
    }
    this.grow(Math.max(0, Math.ceil((end - this.bytes) / page)));
    return true;
  }

  /**
   * Zeroes all written memory, so that the next codec starts as if on new memory, and no pixels of one customer's
   * picture remain for another one's. A run that does not report how far it has written counts as having written
   * everywhere.
   */
  wipe(): void {
    const end = Math.min(this.#written ?? this.bytes, this.#apartFrom ?? this.bytes);
    new Uint8Array(this.memory.buffer, 0, end).fill(0);
    this.#written = null;
    this.#exhausted = false;
  }

  /** Reports that a run has written nothing from `end` on, which shortens the next wipe. */
  writtenUpTo(end: number): void {
    this.#written = end;
  }

  /**
   * The first bytes, for data that is assembled there without a codec. They are not wiped and may hold what another
   * request has left, so every byte has to be written.
   */
  firstBytes(length: number): Uint8Array<ArrayBuffer> {
    this.grow(Math.max(0, Math.ceil((length - this.bytes) / page)));
    if (this.#written !== null) this.#written = Math.max(this.#written, length);
    return new Uint8Array(this.memory.buffer, 0, length);
  }
}

/** Bytes to reserve in order to set apart `bytes` behind the memory of runs. */
export function apartBytes(runBytes: number, bytes: number): number {
  return Math.ceil(runBytes / page) * page + guardBytes + bytes;
}

export const arenaBirthBytes = birthPages * page;
export const sideBirthBytes = sideBirthPages * page;

/** The main arena of this isolate: for codecs, and for the larger of two kernels. */
export const arena = new Arena();

/**
 * A small arena for headers, in which the kernel of PNG inflates profiles and texts piece by piece: files are planned
 * while the work on another one pauses, which has the others.
 */
export const headerArena = new Arena(sideBirthPages);

/** The side arena of this isolate: for a kernel that runs at the same time as one in the main arena. */
export const sideArena = new Arena(sideBirthPages);
