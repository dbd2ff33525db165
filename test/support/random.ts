/**
 * The sfc32 generator ("small fast counting", 128 bits of state) by Chris Doty-Humphrey, as given in PractRand 0.95
 * (https://pracrand.sourceforge.net), shifts 9, 3 and 21.
 *
 * Uses only 32-bit integer arithmetic: the sequence of a seed is the same on every machine, and `Math.random` has no
 * seed at all.
 */
export class Random {
  #a = 0;
  #b: number;
  #c = 0;
  #counter = 1;

  /** @param seed a 32-bit whole number */
  constructor(seed: number) {
    this.#b = seed | 0;
    // As in the author's code: twelve rounds until a small seed has reached all bits of the state.
    for (let round = 0; round < 12; round++) this.word();
  }

  /** The next 32 bits, as a whole number from 0 to 2³² − 1. */
  word(): number {
    const result = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + result) | 0;
    return result >>> 0;
  }

  /** The next number in [0, 1). */
  unit(): number {
    return this.word() / 0x1_0000_0000;
  }

  /** The next number in [low, high). */
  between(low: number, high: number): number {
    return low + (high - low) * this.unit();
  }

  /**
   * The next number of a nearly normal distribution, mean 0 and variance 1: the sum of the four bytes of one word
   * (Irwin–Hall), in exact arithmetic, whereas Box–Muller would need a logarithm and a cosine.
   */
  normal(): number {
    const word = this.word();
    const sum = (word & 255) + ((word >>> 8) & 255) + ((word >>> 16) & 255) + (word >>> 24);
    return (sum - 510) / 147.8;
  }
}
