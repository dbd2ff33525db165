import type { BitSink } from './bits.ts';
import { type JxlKernel, kernelConstants } from './kernel.ts';

const { streamCode, coefficientCode, valueBits } = kernelConstants;

/** A value, and the context that it comes in. */
export type Token = readonly [context: number, value: number];

/** Bits behind the highest one of a value that are in its token: for all streams but that of coefficients. */
const topBits = 1;
const coefficientTopBits = 2;

/** What the coder begins with, and a decoder has to end with (ISO/IEC 18181-1 §C.2.5). */
const initialState = 0x130000;

/** Bits of sections as the kernel gathers them, and what it codes between them. */
export class EntropyCoder implements BitSink {
  readonly #kernel: JxlKernel;

  constructor(kernel: JxlKernel) {
    this.#kernel = kernel;
  }

  put(value: number, count: number): void {
    this.#kernel.putBits(value, count);
  }

  /** Writes a short stream of its own, with a code made for it (ISO/IEC 18181-1 §C.2). */
  putStream(tokens: readonly Token[], contexts: number): void {
    this.putFilledStream(tokens.length, contexts, (words) => fillWith(words, tokens));
  }

  /** The same of any length. @param fill writes the tokens (`tokenOf`) */
  putFilledStream(length: number, contexts: number, fill: (words: Uint32Array) => void): void {
    const kernel = this.#kernel;
    kernel.beginCode(streamCode, contexts, topBits);
    fill(this.#waiting(length));
    kernel.countTokens(streamCode, length);
    kernel.writeCode(streamCode);
    // stating the map of contexts has taken their place
    fill(this.#waiting(length));
    kernel.writeTokens(streamCode, length);
  }

  /** Writes a stream of any number of zeros, which take no bits, and leaves all codes as they are. */
  putZeros(contexts: number): void {
    // neither repetitions, nor, behind the map of contexts, prefix codes
    this.put(0, 1);
    if (contexts > 1) this.put(1, 3);
    this.put(0, 1);
    // an alphabet of 32, all of whose values are tokens
    this.put(0, 2);
    this.put(5, 3);
    // one token is certain
    this.put(1, 3);
    this.put(initialState, 32);
  }

  /** Writes a map from contexts to distributions, or to contexts of their own (§C.2.1). */
  putMap(numbers: readonly number[]): void {
    this.#waiting(numbers.length).set(numbers);
    this.#kernel.writeMap(numbers.length);
  }

  /** Writes a code for tokens that are gathered in parts, so that each part can be written with it. */
  putSharedCode(code: SharedCode): void {
    this.beginSharedCode(code);
    for (const gather of code.parts) this.#kernel.countTokens(code.id, gather());
    this.#kernel.writeCode(code.id);
  }

  beginSharedCode({ id, contexts }: Pick<SharedCode, 'id' | 'contexts'>): void {
    this.#kernel.beginCode(id, contexts, id === coefficientCode ? coefficientTopBits : topBits);
  }

  /** Where so many tokens wait. */
  #waiting(length: number): Uint32Array {
    return new Uint32Array(this.#kernel.bytes.buffer, this.#kernel.tokenBuffer(), length);
  }
}

/** A token as it waits. */
export function tokenOf(context: number, value: number): number {
  return context * 2 ** valueBits + value;
}

function fillWith(words: Uint32Array, tokens: readonly Token[]): void {
  for (const [i, [context, value]] of tokens.entries()) words[i] = tokenOf(context, value);
}

/** A code of tokens that the kernel gathers. */
interface SharedCode {
  readonly id: number;
  readonly contexts: number;
  /** Each leaves tokens waiting in the kernel, and tells how many. */
  readonly parts: Iterable<() => number>;
}
