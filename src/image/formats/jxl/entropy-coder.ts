import { Pace, type Slices } from '../../slices.ts';
import type { BitSink } from './bits.ts';
import { type JxlKernel, kernelConstants } from './kernel.ts';

const { streamCode, coefficientCode, valueBits } = kernelConstants;

/** A value and its context. */
export type Token = readonly [context: number, value: number];

/** Number of bits after the highest one that are part of a token: for most streams, and for coefficients. */
const topBits = 1;
const coefficientTopBits = 2;

/** CPU time of filling in or writing a token of a long stream, in milliseconds. */
const tokenMs = 15e-6;

/** CPU time of a step with one of many clusters, in milliseconds. */
const clusterMs = 0.15;

/** The initial ANS state of the encoder, which is the final state of a decoder (ISO/IEC 18181-1 §C.2.5). */
const initialState = 0x130000;

/** Writes the bits of sections into the kernel, and the entropy-coded streams between them. */
export class EntropyCoder implements BitSink {
  readonly #kernel: JxlKernel;

  constructor(kernel: JxlKernel) {
    this.#kernel = kernel;
  }

  put(value: number, count: number): void {
    this.#kernel.putBits(value, count);
  }

  /** Writes a short stream with a code of its own (ISO/IEC 18181-1 §C.2). */
  putStream(tokens: readonly Token[], contexts: number): void {
    const kernel = this.#kernel;
    const { length } = tokens;
    kernel.beginCode(streamCode, contexts, topBits);
    fillWith(this.#waiting(length), tokens);
    kernel.countTokens(streamCode, length);
    kernel.writeCode(streamCode);
    // Writing the context map has overwritten the tokens.
    fillWith(this.#waiting(length), tokens);
    kernel.writeTokens(streamCode, length);
  }

  /** Writes a long stream with a code of its own. @param fill writes the tokens (`tokenOf`) */
  *putLongStream(
    length: number,
    contexts: number,
    fill: (words: Uint32Array) => void,
  ): Slices<void> {
    const kernel = this.#kernel;
    const pace = new Pace(tokenMs);
    kernel.beginCode(streamCode, contexts, topBits);
    fill(this.#waiting(length));
    yield* pace.after(length);
    kernel.countTokens(streamCode, length);
    yield* this.putCode(streamCode);
    // Writing the context map has overwritten the tokens.
    fill(this.#waiting(length));
    yield* pace.after(length);
    kernel.writeTokens(streamCode, length);
    yield* pace.after(length);
  }

  /** Writes a stream of any number of zeros, which take no bits, and leaves all codes as they are. */
  putZeros(contexts: number): void {
    // No LZ77 and, after the context map, no prefix codes.
    this.put(0, 1);
    if (contexts > 1) this.put(1, 3);
    this.put(0, 1);
    // An alphabet of 32, all of whose values are tokens.
    this.put(0, 2);
    this.put(5, 3);
    // A single token has probability 1.
    this.put(1, 3);
    this.put(initialState, 32);
  }

  /** Writes a map from contexts to distributions, or to other contexts (§C.2.1). */
  putMap(numbers: readonly number[]): void {
    this.#waiting(numbers.length).set(numbers);
    this.#kernel.writeMap(numbers.length);
  }

  /** Writes a code that is shared by several parts of a stream. */
  *putSharedCode(code: SharedCode): Slices<void> {
    this.beginSharedCode(code);
    for (const gather of code.parts) {
      this.#kernel.countTokens(code.id, gather());
      yield code.partMs;
    }
    yield* this.putCode(code.id);
  }

  /** Writes a code with many contexts from its counted tokens. */
  *putCode(id: number): Slices<void> {
    const kernel = this.#kernel;
    const pace = new Pace(clusterMs);
    if (kernel.beginClusters(id)) {
      while (kernel.seedCluster(id)) yield* pace.after();
      kernel.beginJoining(id);
      while (kernel.joinClusters(id)) yield* pace.after();
      kernel.orderClusters(id);
    }
    kernel.writeCodeHead(id);
    for (let cluster = 0; cluster < kernel.clusterCount(id); cluster += 1) {
      kernel.writeDistribution(id, cluster);
      yield* pace.after();
    }
  }

  beginSharedCode({ id, contexts }: Pick<SharedCode, 'id' | 'contexts'>): void {
    this.#kernel.beginCode(id, contexts, id === coefficientCode ? coefficientTopBits : topBits);
  }

  /** The kernel's buffer for this many tokens. */
  #waiting(length: number): Uint32Array {
    return new Uint32Array(this.#kernel.bytes.buffer, this.#kernel.tokenBuffer(), length);
  }
}

/** A token in the kernel's buffer. */
export function tokenOf(context: number, value: number): number {
  return context * 2 ** valueBits + value;
}

function fillWith(words: Uint32Array, tokens: readonly Token[]): void {
  for (const [i, [context, value]] of tokens.entries()) words[i] = tokenOf(context, value);
}

/** A shared code for tokens that the kernel gathers. */
interface SharedCode {
  readonly id: number;
  readonly contexts: number;
  /** The parts; each one leaves tokens in the kernel's buffer and returns their number. */
  readonly parts: Iterable<() => number>;
  /** CPU time per part, in milliseconds. */
  readonly partMs: number;
}
