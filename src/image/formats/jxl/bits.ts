/** Receives bits, lowest first. */
export interface BitSink {
  /** @param count number of bits, at most 32; higher bits of the value are 0 */
  put(value: number, count: number): void;
}

/** Packs bits into bytes, lowest bit first. */
export class BitWriter implements BitSink {
  readonly #bytes: number[] = [];
  #loose = 0;
  #looseCount = 0;

  put(value: number, count: number): void {
    let rest = value >>> 0;
    for (let left = count; left > 0; ) {
      const taken = Math.min(left, 8 - this.#looseCount);
      this.#loose |= (rest & (2 ** taken - 1)) << this.#looseCount;
      this.#looseCount += taken;
      rest = taken < 32 ? rest >>> taken : 0;
      left -= taken;
      if (this.#looseCount === 8) this.pad();
    }
  }

  /** Removes and returns the bits that do not fill a byte. */
  takeLoose(): { readonly value: number; readonly count: number } {
    const loose = { value: this.#loose, count: this.#looseCount };
    this.#loose = 0;
    this.#looseCount = 0;
    return loose;
  }

  /** Pads to a whole byte with zeros. */
  pad(): void {
    if (this.#looseCount === 0) return;
    this.#bytes.push(this.#loose);
    this.#loose = 0;
    this.#looseCount = 0;
  }

  /** The complete bytes so far. */
  get bytes(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }
}

/** An encoding of a number: its difference to an offset, in a number of bits. */
type Distribution = readonly [bits: number, offset: number];

/**
 * Writes a number with the first of four encodings that it fits (ISO/IEC 18181-1 §B.2.2, U32).
 * @throws RangeError if it fits none
 */
export function putU32(sink: BitSink, value: number, ways: readonly Distribution[]): void {
  const selector = ways.findIndex(
    ([bits, offset]) => value >= offset && value - offset < 2 ** bits,
  );
  const [bits, offset] = ways[selector] ?? [];
  if (bits === undefined || offset === undefined) throw new RangeError(`${value} has no place`);
  sink.put(selector, 2);
  sink.put(value - offset, bits);
}

/**
 * Writes a number in 2 to 73 bits (§B.2.3, U64).
 * @throws RangeError if it has more than 32
 */
export function putU64(sink: BitSink, value: number): void {
  if (value >= 2 ** 32) throw new RangeError(`${value} has no place`);
  if (value <= 272) {
    const [selector, bits, offset] = value === 0 ? [0, 0, 0] : value <= 16 ? [1, 4, 1] : [2, 8, 17];
    sink.put(selector, 2);
    sink.put(value - offset, bits);
    return;
  }
  sink.put(3, 2);
  sink.put(value & 0xfff, 12);
  for (let rest = value >>> 12; rest > 0; rest >>>= 8) {
    sink.put(1, 1);
    sink.put(rest & 0xff, 8);
  }
  sink.put(0, 1);
}

/**
 * Writes 0 or a number from 2^-14 to 65504 as a half float (§B.2.6), truncated like libjxl.
 */
export function putF16(sink: BitSink, value: number): void {
  const [bits = 0] = new Uint32Array(Float32Array.of(value).buffer);
  const exponent = bits === 0 ? 0 : (bits >>> 23) - 127 + 15;
  sink.put((exponent << 10) | ((bits & 0x7fffff) >>> 13), 16);
}

/** Maps signed to unsigned numbers: 0, −1, 1, −2, 2 … become 0, 1, 2, 3, 4 … */
export function packed(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

/** ⌈log2⌉ of a number above 0. */
export function bitsFor(count: number): number {
  return 32 - Math.clz32(count - 1);
}
