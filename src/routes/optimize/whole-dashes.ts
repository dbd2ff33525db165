const dash = 45;

/** Longer runs are no end of a form, in bytes. */
const longest = 128;

/**
 * Hands bytes on so that no cut falls into a run of dashes. multipasta knows the end of a form by two
 * dashes after a boundary, and only if they come together.
 */
export class WholeDashes {
  readonly #write: (bytes: Uint8Array) => void;
  /** Dashes that the last bytes ended with. */
  #held = new Uint8Array(0);

  constructor(write: (bytes: Uint8Array) => void) {
    this.#write = write;
  }

  write(bytes: Uint8Array): void {
    const from = this.#held.length > 0 ? this.#complete(bytes) : 0;
    let end = bytes.length;
    while (end > from && bytes.length - end < longest && bytes[end - 1] === dash) end -= 1;
    if (end > from) this.#write(bytes.subarray(from, end));
    if (end < bytes.length) this.#held = joined(this.#held, bytes.subarray(end));
  }

  end(): void {
    if (this.#held.length > 0) this.#write(this.#held);
    this.#held = new Uint8Array(0);
  }

  /** Hands on the run that was begun, if it ends in these bytes, or is too long; how many of them it took. */
  #complete(bytes: Uint8Array): number {
    const next = bytes.findIndex((byte) => byte !== dash);
    const isOver = next >= 0 || this.#held.length + bytes.length > longest;
    if (!isOver) return 0;
    const count = next < 0 ? bytes.length : next;
    this.#write(joined(this.#held, bytes.subarray(0, count)));
    this.#held = new Uint8Array(0);
    return count;
  }
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(one.length + other.length);
  bytes.set(one);
  bytes.set(other, one.length);
  return bytes;
}
