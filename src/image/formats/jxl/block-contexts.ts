import { bitsFor, packed, putU32 } from './bits.ts';
import type { EntropyCoder } from './entropy-coder.ts';

/** The contexts of blocks, by component and brightness of their luma. */
export interface BlockContexts {
  /** Thresholds of quantized luma DC between brightness classes, ascending. */
  readonly thresholds: readonly number[];
  /** For luma, Cb and Cr: the context of each brightness class. */
  readonly contexts: readonly (readonly number[])[];
  /** Number of contexts. */
  readonly count: number;
}

/** Positions of the vertical frequencies 1 to 5 in zigzag order. */
const verticals = [2, 3, 9, 10, 20];
const maxThresholds = 7;

/**
 * Chooses contexts by brightness, which correlates with the amount of detail in a block. More blocks and finer
 * quantization justify more contexts. Thresholds are evenly spaced, so that no knowledge of the picture is needed.
 *
 * @param blocks number of luma blocks
 * @param steps luma quantization steps in zigzag order
 */
export function blockContexts(blocks: number, steps: Uint16Array): BlockContexts {
  const sum = verticals.reduce((total, k) => total + (steps[k] ?? 1), 0);
  const wanted = bitsFor(blocks) - bitsFor(sum) - 7;
  const number = wanted < 0 ? 0 : Math.max(1, Math.min(maxThresholds, wanted));
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

/** Number of coefficient orders, by transform; the first one is for 8 × 8. */
const orders = 13;

/** Writes the block contexts (ISO/IEC 18181-1 §I.2.2). */
export function putBlockContexts(
  coder: EntropyCoder,
  { thresholds, contexts }: BlockContexts,
): void {
  coder.put(0, 1);
  coder.put(0, 4);
  coder.put(thresholds.length, 4);
  for (const threshold of thresholds) putU32(coder, packed(threshold), thresholdBits);
  coder.put(0, 4);
  // No thresholds by quantization.
  coder.put(0, 4);
  const map = contexts.flatMap((ofComponent) => {
    const unused = ofComponent.map(() => ofComponent.at(-1) ?? 0);
    return [...ofComponent, ...Array.from({ length: orders - 1 }, () => unused).flat()];
  });
  coder.putMap(map);
}
