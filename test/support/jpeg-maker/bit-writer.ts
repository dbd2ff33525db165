/** Bits of a scan, the first of a byte on top. */
export class BitWriter {
  readonly bytes: number[] = [];
  #pending = 0;
  #pendingBits = 0;

  put(value: number, bits: number): void {
    for (let bit = bits - 1; bit >= 0; bit -= 1) {
      this.#pending = (this.#pending << 1) | ((value >> bit) & 1);
      this.#pendingBits += 1;
      if (this.#pendingBits < 8) continue;
      this.bytes.push(this.#pending);
      // a byte that could begin a marker is followed by a zero (T.81 §F.1.2.3)
      if (this.#pending === 0xff) this.bytes.push(0);
      this.#pending = 0;
      this.#pendingBits = 0;
    }
  }

  /** Fills the last byte with ones. */
  align(): void {
    while (this.#pendingBits > 0) this.put(1, 1);
  }

  marker(code: number): void {
    this.bytes.push(0xff, code);
  }
}
