import { zigzag } from '../jpeg/quantization-tables.ts';
import { putU32 } from './bits.ts';
import type { EntropyCoder, Token } from './entropy-coder.ts';

/**
 * The order in which the coefficients of a component are coded, as positions in JPEG's zigzag order; DC comes first.
 */
export type CoefficientOrder = readonly number[];

/** The order for coefficients requantized here, which was done in this order. */
export const zigzagOrder: CoefficientOrder = zigzag.map((_, k) => k);

/** Orders coefficients by their probability, derived from steps and frequencies. */
export function orderBySteps(steps: Uint16Array): CoefficientOrder {
  const rank = zigzagOrder.map((k) => {
    const position = zigzag[k] ?? 0;
    return (steps[k] ?? 1) * Math.hypot(position & 7, position >> 3);
  });
  return zigzagOrder.toSorted((a, b) => (rank[a] ?? 0) - (rank[b] ?? 0));
}

/** Orders coefficients by their counts, most frequent first; DC is not counted. */
export function orderByCounts(counts: Uint32Array): CoefficientOrder {
  const [first = 0, ...others] = defaultOrder;
  return [first, ...others.toSorted((a, b) => (counts[b] ?? 0) - (counts[a] ?? 0))];
}

/** Positions in the default order, whose zigzag is transposed, because blocks are stored transposed. */
const positions: readonly number[] = zigzag;
const defaultPlaces = positions.map((position) => {
  const transposed = ((position & 7) << 3) | (position >> 3);
  return positions.indexOf(transposed);
});

/** The default order, which need not be written. */
const defaultOrder: CoefficientOrder = defaultPlaces;

const permutationContexts = 8;

/** Bit masks of the transforms with their own order: none, or those used here. */
const orderedTransforms = [
  [0, 0x5f],
  [0, 0x13],
  [0, 0],
  [13, 0],
] as const;
const firstKind = 1;

/** Writes orders as permutations of the default one, in Lehmer code (ISO/IEC 18181-1 §C.3.2, §I.2.4). */
export function putOrders(coder: EntropyCoder, orders: readonly CoefficientOrder[]): void {
  const areDefault = orders.every((order) => order.every((k, i) => k === defaultOrder[i]));
  putU32(coder, areDefault ? 0 : firstKind, orderedTransforms);
  if (!areDefault) coder.putStream(orders.flatMap(permutationTokens), permutationContexts);
}

function permutationTokens(order: CoefficientOrder): readonly Token[] {
  const permutation = order.map((k) => defaultPlaces[k] ?? 0);
  const code = permutation.map(
    (place, i) => place - permutation.slice(0, i).filter((before) => before < place).length,
  );
  const end = Math.max(1, code.findLastIndex((value) => value !== 0) + 1);
  const tokens: Token[] = [[contextAfter(order.length), end - 1]];
  let before = 0;
  for (const value of code.slice(1, end)) {
    tokens.push([contextAfter(before), value]);
    before = value;
  }
  return tokens;
}

function contextAfter(value: number): number {
  return Math.min(permutationContexts - 1, 32 - Math.clz32(value));
}
