/** Size of a WebAssembly page in bytes. */
const page = 65_536;

/**
 * Pages that the largest codec build asks for at its birth (Emscripten's
 * 16 MiB), so that every module links against a fresh arena.
 */
const birthPages = 256;

/** What the codec builds declare as their ceiling; the import has to agree. */
const declaredMaximum = 32_768;

/**
 * The one WebAssembly memory in which every codec runs, one at a time.
 *
 * A codec as published owns a memory of 16 MiB or more, and WebAssembly memory
 * never shrinks: eight idle codecs would hold a whole isolate. Dropping an
 * instance does not help either, since nothing says when the collector will
 * come, and dropped memories pile up until it does. So the build turns each
 * module's own memory into an import (scripts/build-codecs.ts) and they all
 * share this one: a picture costs the largest of its steps instead of their
 * sum, and what is held is known to the byte.
 *
 * The arena grows to what a step has announced and never beyond; a codec that
 * asks for more is refused and fails as it would on an exhausted heap.
 */
export class Arena {
  readonly memory = new WebAssembly.Memory({ initial: birthPages, maximum: declaredMaximum });
  #ceiling = this.bytes;
  #exhausted = false;
  /** Everything from here on is zeros. */
  #written: number | null = null;

  /** Bytes held, now and from now on. */
  get bytes(): number {
    return this.memory.buffer.byteLength;
  }

  /** WebAssembly pages of 64 KiB held. */
  get pages(): number {
    return this.bytes / page;
  }

  /** Grows to hold `bytes`; no codec may grow it further until the next call. */
  reserve(bytes: number): void {
    this.#ceiling = Math.max(this.bytes, Math.ceil(bytes / page) * page);
    this.grow((this.#ceiling - this.bytes) / page);
  }

  /** Whether a codec has been refused memory since the last wipe. */
  get exhausted(): boolean {
    return this.#exhausted;
  }

  /** Called by codecs: adds pages, or throws a RangeError beyond what was reserved. */
  grow(pages: number): number {
    if (this.bytes + pages * page > this.#ceiling) {
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
    new Uint8Array(this.memory.buffer, 0, this.#written ?? this.bytes).fill(0);
    this.#written = null;
    this.#exhausted = false;
  }

  /** Called after a run that has written nothing from `end` on, so that the next wipe is no longer than need be. */
  writtenUpTo(end: number): void {
    this.#written = end;
  }

  /** The first bytes, for what is put together there without a codec. */
  firstBytes(length: number): Uint8Array<ArrayBuffer> {
    if (this.#written !== null) this.#written = Math.max(this.#written, length);
    return new Uint8Array(this.memory.buffer, 0, length);
  }
}

export const arenaBirthBytes = birthPages * page;
