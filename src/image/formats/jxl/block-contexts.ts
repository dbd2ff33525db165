import { bitsFor, packed, putU32 } from './bits.ts';
import type { EntropyCoder } from './entropy-coder.ts';

/** Which contexts blocks have: by component, and by how bright their luma is. */
export interface BlockContexts {
  /** Quantized DC of luma above which a block is one step brighter, ascending. */
  readonly thresholds: readonly number[];
  /** Of luma, Cb and Cr: the context at each brightness. */
  readonly contexts: readonly (readonly number[])[];
  /** How many there are. */
  readonly count: number;
}

/** Positions of the vertical frequencies 1 to 5 in zigzag order. */
const verticals = [2, 3, 9, 10, 20];
const mostThresholds = 7;

/**
 * Brightness tells how busy a block is; the more blocks there are, and the finer they are coded, the more contexts pay. Steps
 * are even, so that nothing has to be known of the picture.
 *
 * @param blocks of luma
 * @param steps of luma in zigzag order
 */
export function blockContexts(blocks: number, steps: Uint16Array): BlockContexts {
  const sum = verticals.reduce((total, k) => total + (steps[k] ?? 1), 0);
  const wanted = bitsFor(blocks) - bitsFor(sum) - 7;
  const number = Math.max(1, Math.min(mostThresholds, wanted));
  const thresholds = Array.from({ length: number }, (_, i) =>
    Math.round((8 * ((256 * (i + 1)) / (number + 1) - 128)) / (steps[0] ?? 1)),
  );
  const luma = Array.from({ length: number + 1 }, (_, brightness) => brightness);
  const pairs = Math.ceil(luma.length / 2);
  const chroma = (first: number) => luma.map((brightness) => first + (brightness >> 1));
  const contexts = [luma, chroma(luma.length), chroma(luma.length + pairs)];
  return { thresholds, contexts, count: luma.length + 2 * pairs };
}

const thresholdBits = [
  [4, 0],
  [8, 16],
  [16, 272],
  [32, 65_808],
] as const;

/** Orders of coefficients that transforms may have, of which 8 × 8 has the first. */
const orders = 13;

/** States them (ISO/IEC 18181-1 §I.2.2). */
export function putBlockContexts(
  coder: EntropyCoder,
  { thresholds, contexts }: BlockContexts,
): void {
  coder.put(0, 1);
  coder.put(0, 4);
  coder.put(thresholds.length, 4);
  for (const threshold of thresholds) putU32(coder, packed(threshold), thresholdBits);
  coder.put(0, 4);
  // none by quantization
  coder.put(0, 4);
  const map = contexts.flatMap((ofComponent) => {
    const unused = ofComponent.map(() => ofComponent.at(-1) ?? 0);
    return [...ofComponent, ...Array.from({ length: orders - 1 }, () => unused).flat()];
  });
  coder.putMap(map);
}
