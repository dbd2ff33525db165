/** Writes bits into bytes, the lowest of each byte first, as deflate, VP8L and GIF's LZW do. */
export class BitWriter {
  readonly #bytes: number[] = [];
  #pending = 0;
  #pendingBits = 0;

  /** @param bits at most 24 */
  put(value: number, bits: number): this {
    this.#pending |= value << this.#pendingBits;
    this.#pendingBits += bits;
    for (; this.#pendingBits >= 8; this.#pendingBits -= 8) {
      this.#bytes.push(this.#pending & 255);
      this.#pending >>>= 8;
    }
    return this;
  }

  /** Number of bits written so far. */
  get length(): number {
    return 8 * this.#bytes.length + this.#pendingBits;
  }

  /** The bytes, the last one filled with zeros. */
  get bytes(): Uint8Array<ArrayBuffer> {
    const rest = this.#pendingBits > 0 ? [this.#pending & 255] : [];
    return Uint8Array.from([...this.#bytes, ...rest]);
  }
}

/** Repeats a string of bits until it ends with a byte: at most eight times. */
export function wholeBytes(write: (to: BitWriter) => void): Uint8Array<ArrayBuffer> {
  const writer = new BitWriter();
  do write(writer);
  while (writer.length % 8 !== 0);
  return writer.bytes;
}

/** As many repetitions of some bytes as fit into a length, at least one. */
export function repeated(unit: Uint8Array, maxBytes: number): Uint8Array<ArrayBuffer> {
  const times = Math.max(1, Math.floor(maxBytes / unit.length));
  return Uint8Array.from(Buffer.alloc(times * unit.length, unit));
}

/** Joins parts. */
export function joined(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.concat(parts));
}
