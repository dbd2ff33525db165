const dash = 45;

/** Longer runs are no end of a form, in bytes. */
const longest = 128;

/**
 * Hands bytes on so that no cut falls into a run of dashes. multipasta knows the end of a form by two
 * dashes after a boundary, and only if they come together.
 */
export class WholeDashes {
  readonly #write: (bytes: Uint8Array) => void;
  /** How many dashes the last bytes ended with; they are not handed on yet. */
  #held = 0;

  constructor(write: (bytes: Uint8Array) => void) {
    this.#write = write;
  }

  write(bytes: Uint8Array): void {
    const from = this.#held > 0 ? leadingDashes(bytes) : 0;
    this.#held += from;
    // the run may go on
    if (from === bytes.length && this.#held <= longest) return;
    this.end();
    let end = bytes.length;
    while (end > from && bytes.length - end < longest && bytes[end - 1] === dash) end -= 1;
    if (end > from) this.#write(bytes.subarray(from, end));
    this.#held = bytes.length - end;
  }

  /** Nothing more is to come, or no dash. */
  end(): void {
    if (this.#held > 0) this.#write(new Uint8Array(this.#held).fill(dash));
    this.#held = 0;
  }
}

function leadingDashes(bytes: Uint8Array): number {
  const next = bytes.findIndex((byte) => byte !== dash);
  return next < 0 ? bytes.length : next;
}
