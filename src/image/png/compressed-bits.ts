const capacity = 16_384;

/** Bytes that one symbol of the inner loop reads ahead at most; see `Inflater`. */
const lookahead = 16;

/**
 * The compressed bytes of several pieces as one row of bits, the lowest of each byte first
 * (RFC 1951 §3.1.1).
 *
 * Its fields are open so that the inner loop of `Inflater` can keep them in registers. Behind the
 * last byte it reads on without an error; `isOverrun` tells that bits were used which are not there.
 */
export class CompressedBits {
  readonly input = new Uint8Array(capacity + lookahead);
  /** Next byte of `input` that is not among `bits` yet. */
  at = 0;
  /** End of the bytes in `input`. */
  end = 0;
  /** Bits read ahead, the next one lowest; none are set from `count` on. */
  bits = 0;
  count = 0;
  /** `input` holds the last byte. */
  isExhausted = false;
  readonly #pieces: Iterator<Uint8Array, void>;
  #piece: Uint8Array = new Uint8Array(0);

  constructor(pieces: Iterator<Uint8Array, void>) {
    this.#pieces = pieces;
  }

  /** How far `at` may go before the next symbol is begun. */
  get limit(): number {
    return this.isExhausted ? this.end + 4 : this.end - lookahead;
  }

  get isOverrun(): boolean {
    return this.at - (this.count >> 3) > this.end;
  }

  /** Fills `input` up; bytes that were read ahead go back to it. Not to be called when exhausted. */
  refill(): void {
    this.#unread();
    this.input.copyWithin(0, this.at, this.end);
    this.end -= this.at;
    this.at = 0;
    while (this.end < capacity && !this.isExhausted) {
      if (this.#piece.length === 0) {
        const next = this.#pieces.next();
        if (next.done) this.isExhausted = true;
        else this.#piece = next.value;
      }
      const part = this.#piece.subarray(0, capacity - this.end);
      this.input.set(part, this.end);
      this.end += part.length;
      this.#piece = this.#piece.subarray(part.length);
    }
  }

  /** Sees to it that `bits` holds so many, 16 at most. */
  need(count: number): void {
    while (this.count < count) {
      if (this.at >= this.end && !this.isExhausted) this.refill();
      this.bits |= (this.input[this.at] ?? 0) << this.count;
      this.at += 1;
      this.count += 8;
    }
  }

  drop(count: number): void {
    this.bits >>>= count;
    this.count -= count;
  }

  /** The next bits, 16 at most, as a number. */
  take(count: number): number {
    this.need(count);
    const value = this.bits & ((1 << count) - 1);
    this.drop(count);
    return value;
  }

  /** Goes to the next whole byte; afterwards `at` is the position and nothing is read ahead. */
  alignToByte(): void {
    this.#unread();
    this.bits = 0;
    this.count = 0;
  }

  #unread(): void {
    this.at -= this.count >> 3;
    this.count &= 7;
    this.bits &= (1 << this.count) - 1;
  }
}
