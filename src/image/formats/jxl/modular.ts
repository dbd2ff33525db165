import { packed } from './bits.ts';
import type { EntropyCoder, Token } from './entropy-coder.ts';
import { kernelConstants } from './kernel.ts';

/** Contexts for writing a tree (ISO/IEC 18181-1 §H.4.2). */
const treeContext = { cut: 0, property: 1, predictor: 2, offset: 3, shift: 4, factor: 5 } as const;
const treeContexts = 6;

/** Predictors (§H.3). */
const predictor = { gradient: 5, weighted: 6 } as const;
/** The property for the error of the weighted predictor at neighboring values. */
const errorProperty = 15;

const positiveCuts = [1, 3, 5, 8, 12, 17, 24, 34, 48, 68, 96, 136, 192, 272, 384, 544];

/**
 * The thresholds of errors in the tree for low frequencies, in eighths: each is √2 times the previous one, or in larger
 * steps if there are few values, so that each context has enough of them.
 * @param number number of values
 */
function errorCuts(number: number): readonly number[] {
  const wide = cutSteps.find(([least]) => number >= least)?.[1] ?? positiveCuts.length * 2;
  const positive = positiveCuts.filter((_, i) => i % wide === wide >> 1);
  return [...positive.map((cut) => -cut).reverse(), ...positive];
}

/** Pairs of a number of values and the step, in thresholds, that applies from there on. */
const cutSteps = [
  [16_384, 1],
  [8192, 2],
  [2048, 4],
  [256, 8],
] as const;

/** The decision tree that assigns contexts to low frequencies. */
export interface ErrorTree {
  /** Thresholds, ascending. */
  readonly cuts: readonly number[];
  /** The tokens of the written tree. */
  readonly tokens: readonly Token[];
  /** Contexts by the number of thresholds that an error exceeds. */
  readonly leaves: readonly number[];
}

/**
 * Creates a balanced tree over the thresholds, whose leaves use the weighted predictor; it is written level by level.
 * @param number number of values it is for
 */
export function errorTree(number: number): ErrorTree {
  const cuts = errorCuts(number);
  const tokens: Token[] = [];
  const leaves: number[] = [];
  let leaf = 0;
  let level: (readonly [low: number, high: number])[] = [[0, cuts.length]];
  while (level.length > 0) {
    const next: typeof level = [];
    for (const [low, high] of level) {
      if (low === high) {
        tokens.push(...leafTokens(predictor.weighted));
        leaves[low] = leaf;
        leaf += 1;
        continue;
      }
      const middle = (low + high) >> 1;
      tokens.push([treeContext.property, errorProperty + 1]);
      tokens.push([treeContext.cut, packed(cuts[middle] ?? 0)]);
      // The branch above the threshold comes first.
      next.push([middle + 1, high], [low, middle]);
    }
    level = next;
  }
  return { cuts, tokens, leaves };
}

function leafTokens(predicts: number): Token[] {
  return [
    [treeContext.property, 0],
    [treeContext.predictor, predicts],
    [treeContext.offset, 0],
    [treeContext.shift, 0],
    [treeContext.factor, 0],
  ];
}

export function putTree(coder: EntropyCoder, tokens: readonly Token[]): void {
  coder.putStream(tokens, treeContexts);
}

/**
 * Writes the header of channels that use the global tree: our weighted predictor, and no transforms (§H.2).
 */
export function putLowFrequencyHeader(coder: EntropyCoder): void {
  const shares = kernelConstants;
  coder.put(1, 1);
  coder.put(0, 1);
  coder.put(shares.shareInTop, 5);
  coder.put(shares.shareInLeft, 5);
  coder.put(shares.shareOfCorner, 5);
  coder.put(0, 10);
  coder.put(shares.shareOfVertical, 5);
  coder.put(shares.shareOfHorizontal, 5);
  coder.put(shares.firstWeight, 4);
  coder.put(shares.secondWeight, 4);
  coder.put(shares.thirdWeight, 4);
  coder.put(shares.fourthWeight, 4);
  coder.put(0, 2);
}

/** Writes the header of channels with a local tree. */
function putOwnHeader(coder: EntropyCoder): void {
  coder.put(0, 1);
  coder.put(1, 1);
  coder.put(0, 2);
}

/** Writes channels of zeros, with a tree that consists of a leaf predicting zero. */
export function putZeroChannels(coder: EntropyCoder): void {
  putOwnHeader(coder);
  coder.putZeros(treeContexts);
  coder.putZeros(1);
}

/** Writes quantization tables as 8 × 8 channels with the gradient predictor. */
export function putTables(coder: EntropyCoder, tables: readonly (readonly number[])[]): void {
  putOwnHeader(coder);
  putTree(coder, leafTokens(predictor.gradient));
  coder.putStream(
    tables.flatMap((table) =>
      table.map((value, i): Token => [0, packed(value - gradient(table, i % 8, i >> 3))]),
    ),
    1,
  );
}

/** The clamped gradient predictor: left + above − above-left, limited to the range of left and above (§H.3). */
function gradient(table: readonly number[], x: number, y: number): number {
  const valueAt = (column: number, row: number) => table[8 * row + column] ?? 0;
  const left = x > 0 ? valueAt(x - 1, y) : y > 0 ? valueAt(x, y - 1) : 0;
  const top = y > 0 ? valueAt(x, y - 1) : left;
  const corner = x > 0 && y > 0 ? valueAt(x - 1, y - 1) : left;
  return Math.max(Math.min(left, top), Math.min(Math.max(left, top), left + top - corner));
}
