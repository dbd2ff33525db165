import { describe, expect, it } from 'vitest';
import { compiledKernel } from '../../../../../support/kernels.ts';
import { Random } from '../../../../../support/random.ts';

type Calls = Record<string, (...given: number[]) => number>;

const module = await compiledKernel('webp', [
  '../../../wasm/assembly/memory.ts',
  'pieces.ts',
  'vp8-encoder/bool-encoder.ts',
]);

/** A bit, and its probability of being 0 in 256ths. */
type Bit = readonly [bit: number, probability: number];

/** What the encoder makes of bits. */
function encoded(bits: readonly Bit[]): Buffer {
  const memory = new WebAssembly.Memory({ initial: 16 });
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  const calls = exports as unknown as Calls;
  calls.beginMemory?.();
  calls.beginPieces?.();
  calls.allocateBoolEncoder?.();
  const string = Number((exports.tokenPartition as WebAssembly.Global).value);
  expect(calls.beginBools?.(string)).toBe(1);
  for (const [bit, probability] of bits) calls.putBit?.(bit, probability);
  expect(calls.endBools?.()).toBe(1);
  const parts: Buffer[] = [];
  for (let at = calls.nextCodedPiece?.(string); at; at = calls.nextCodedPiece?.(string)) {
    const bytes = calls.codedPieceBytes?.(string) ?? 0;
    parts.push(Buffer.from(memory.buffer.slice(at, at + bytes)));
  }
  return Buffer.concat(parts);
}

/** The decoder of RFC 6386 §7.3, bit by bit; what it is not given is 0. */
class Decoder {
  readonly #bytes: Uint8Array;
  #value: number;
  #range = 255;
  /** Bits that have been looked at. */
  read = 8;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#value = bytes[0] ?? 0;
  }

  bit(probability: number): number {
    while (this.#range < 128) {
      const byte = this.#bytes[this.read >> 3] ?? 0;
      this.#value = 2 * this.#value + ((byte >> (7 - (this.read & 7))) & 1);
      this.#range *= 2;
      this.read++;
    }
    const split = 1 + (((this.#range - 1) * probability) >> 8);
    const bit = this.#value >= split ? 1 : 0;
    if (bit) this.#value -= split;
    this.#range = bit ? this.#range - split : split;
    return bit;
  }
}

function expectDecoded(bits: readonly Bit[], bytes: Buffer): void {
  const decoder = new Decoder(bytes);
  for (const [i, [bit, probability]] of bits.entries()) {
    if (decoder.bit(probability) !== bit) throw new Error(`bit ${i} is wrong`);
  }
  // as many bytes as are looked at, or one more
  const needed = (decoder.read + 7) >> 3;
  expect(bytes.length).toBeGreaterThanOrEqual(needed);
  expect(bytes.length).toBeLessThanOrEqual(needed + 1);
}

/** Bits that are coded as a number near to the one of these bytes. */
function bitsTowards(bytes: Uint8Array, random: Random): Bit[] {
  const decoder = new Decoder(bytes);
  const bits: Bit[] = [];
  while (decoder.read < 8 * bytes.length) {
    const probability = 1 + Math.floor(255 * random.unit());
    bits.push([decoder.bit(probability), probability]);
  }
  return bits;
}

describe('the boolean entropy encoder', () => {
  it('codes bits of all probabilities', { tags: 'slow' }, () => {
    const random = new Random(1);
    for (const number of [0, 1, 2, 3, 7, 40, 1023, 1024, 1025, 3000, 400_000]) {
      const bits = Array.from({ length: number }, (): Bit => {
        const probability = 1 + Math.floor(255 * random.unit());
        return [256 * random.unit() < probability ? 0 : 1, probability];
      });
      expectDecoded(bits, encoded(bits));
    }
  });

  it('ends in every place of a byte', { tags: 'slow' }, () => {
    for (let number = 0; number < 100; number++) {
      for (const bit of [0, 1]) {
        const bits = Array.from({ length: number }, (): Bit => [bit, 128]);
        expectDecoded(bits, encoded(bits));
      }
    }
  });

  it('codes unlikely bits', () => {
    const bits = Array.from({ length: 2000 }, (_, i): Bit => [i & 1, i & 1 ? 255 : 1]);
    expectDecoded(bits, encoded(bits));
  });

  it.each([0, 1, 2, 3, 5, 11, 40])('carries through %i words of ones, or leaves them', (words) => {
    const random = new Random(2);
    for (const first of [[0x80], [0x10, 0x40], [0x12, 0x34, 0x57], [1, 2, 3, 4]]) {
      for (const filling of [0, 255]) {
        const tail = Array.from({ length: 12 }, () => Math.floor(256 * random.unit()));
        const middle = Array.from({ length: 4 * words + 4 }, () => filling);
        const bits = bitsTowards(Uint8Array.from([...first, ...middle, ...tail]), random);
        expectDecoded(bits, encoded(bits));
      }
    }
  });
});
