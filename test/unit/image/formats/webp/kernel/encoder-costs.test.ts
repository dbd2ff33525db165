import { describe, expect, it } from 'vitest';
import { type CodedMacroblock, codedFrame, type Stage } from './entropy-stage.ts';
import { madeFrame } from './made-levels.ts';

/** Band of a position (RFC 6386 §13.3). */
const bands = [0, 1, 2, 3, 6, 4, 5, 6, 6, 6, 6, 6, 6, 6, 6, 7];

/** A bit that is coded, and its probability of being 0 in 256ths. */
type Bit = readonly [bit: number, probability: number];

/** Sums up what bits cost. */
function total(bits: readonly Bit[], { calls }: Stage): number {
  return bits.reduce(
    (sum, [bit, probability]) => sum + (calls.bitCost?.(bit, probability) ?? 0),
    0,
  );
}

/** Extra bits of categories 1 to 6: where each begins, and their probabilities (§13.2). */
const categories: readonly (readonly [number, readonly number[]])[] = [
  [5, [159]],
  [7, [165, 145]],
  [11, [173, 148, 140]],
  [19, [176, 155, 140, 135]],
  [35, [180, 157, 141, 134, 130]],
  [67, [254, 254, 243, 230, 196, 177, 153, 140, 133, 130, 129]],
];

/** Nodes and bits behind that which tells a level from 0, by the token of a level: 1 to 4 and the categories. */
const paths: readonly (readonly (readonly [node: number, bit: number])[])[] = [
  [[2, 0]],
  [
    [2, 1],
    [3, 0],
    [4, 0],
  ],
  [
    [2, 1],
    [3, 0],
    [4, 1],
    [5, 0],
  ],
  [
    [2, 1],
    [3, 0],
    [4, 1],
    [5, 1],
  ],
  [
    [2, 1],
    [3, 1],
    [6, 0],
    [7, 0],
  ],
  [
    [2, 1],
    [3, 1],
    [6, 0],
    [7, 1],
  ],
  [
    [2, 1],
    [3, 1],
    [6, 1],
    [8, 0],
    [9, 0],
  ],
  [
    [2, 1],
    [3, 1],
    [6, 1],
    [8, 0],
    [9, 1],
  ],
  [
    [2, 1],
    [3, 1],
    [6, 1],
    [8, 1],
    [10, 0],
  ],
  [
    [2, 1],
    [3, 1],
    [6, 1],
    [8, 1],
    [10, 1],
  ],
];

/** The bits of a block as the format has them, without signs. */
function bitsOf(
  levels: Int16Array,
  type: number,
  first: number,
  context: number,
  probabilities: Uint8Array,
): Bit[] {
  const bits: Bit[] = [];
  const last = levels.findLastIndex((level, n) => n >= first && level !== 0);
  let around = context;
  let canEnd = true;
  for (let n = first; n < 16; n++) {
    const nodes = probabilities.subarray(((type * 8 + (bands[n] ?? 0)) * 3 + around) * 11);
    const put = (node: number, bit: number) => bits.push([bit, nodes[node] ?? 0]);
    if (canEnd) put(0, n <= last ? 1 : 0);
    if (n > last) break;
    const magnitude = Math.abs(levels[n] ?? 0);
    put(1, magnitude > 0 ? 1 : 0);
    if (magnitude > 0) bits.push(...magnitudeBits(magnitude, put));
    canEnd = magnitude > 0;
    around = Math.min(2, magnitude);
  }
  return bits;
}

function magnitudeBits(magnitude: number, put: (node: number, bit: number) => void): Bit[] {
  const category = categories.findLastIndex(([start]) => magnitude >= start);
  const path = paths[category < 0 ? magnitude - 1 : 4 + category] ?? [];
  for (const [node, bit] of path) put(node, bit);
  const [start, extra] = categories[category] ?? [0, []];
  return extra.map((probability, i) => [
    ((magnitude - start) >> (extra.length - 1 - i)) & 1,
    probability,
  ]);
}

/** What the tables say that a block costs. */
class Tables {
  readonly #stage: Stage;
  readonly #levels: Uint16Array;
  readonly #ends: Uint16Array;
  readonly #goOns: Uint16Array;
  readonly #fixed: Uint16Array;

  constructor(stage: Stage) {
    const table = (name: string, entries: number) =>
      new Uint16Array(stage.memory.buffer, stage.constant(name), entries);
    this.#stage = stage;
    this.#levels = table('levelCosts', 4 * 17 * 3 * 68);
    this.#ends = table('endCosts', 4 * 17 * 3);
    this.#goOns = table('goOnCosts', 4 * 17 * 3);
    this.#fixed = table('fixedCosts', 2048);
  }

  costOf(levels: Int16Array, type: number, first: number, context: number): number {
    const last = levels.findLastIndex((level, n) => n >= first && level !== 0);
    const end = (n: number, around: number) =>
      this.#stage.constant('typeContexts') * type +
      this.#stage.constant('positionContexts') * n +
      around;
    if (last < 0) return this.#ends[end(first, context)] ?? 0;
    let cost = context === 0 ? (this.#goOns[end(first, 0)] ?? 0) : 0;
    let around = context;
    for (let n = first; n <= last; n++) {
      const magnitude = Math.abs(levels[n] ?? 0);
      cost += this.#level(type, n, around, magnitude) + (this.#fixed[magnitude] ?? 0);
      around = Math.min(2, magnitude);
    }
    return cost + (this.#ends[end(last + 1, around)] ?? 0);
  }

  #level(type: number, n: number, context: number, magnitude: number): number {
    const bytes =
      this.#stage.constant('levelTypeBytes') * type +
      this.#stage.constant('levelPositionBytes') * n +
      this.#stage.constant('levelContextBytes') * context;
    return this.#levels[bytes / 2 + Math.min(67, magnitude)] ?? 0;
  }
}

/** Type and first position of the blocks of a macroblock that are coded. */
function blocksOf({ isByBlock }: CodedMacroblock): [block: number, type: number, first: number][] {
  return Array.from({ length: isByBlock ? 24 : 25 }, (_, block) => {
    if (block === 24) return [block, 1, 0];
    if (block > 15) return [block, 2, 0];
    return isByBlock ? [block, 3, 0] : [block, 0, 1];
  });
}

const draw = { density: 0.2, largest: 2047, skipped: 0 };

describe('the costs of bits', () => {
  it('are means over the ranges that the coder may have', () => {
    codedFrame(madeFrame(1, [1, 1], draw), {
      onEnd: ({ calls }) => {
        for (let probability = 1; probability < 256; probability++) {
          const costs = [0, 0];
          let weights = 0;
          for (let range = 128; range < 256; range++) {
            const split = 1 + (((range - 1) * probability) >> 8);
            for (const [bit, part] of [split, range - split].entries()) {
              costs[bit] = (costs[bit] ?? 0) + (256 / range) * Math.log2(range / part);
            }
            weights += 1 / range;
          }
          for (const [bit, cost] of costs.entries()) {
            const own = calls.bitCost?.(bit, probability) ?? 0;
            expect(Math.abs(own - cost / weights)).toBeLessThan(0.51);
          }
        }
      },
    });
  });
});

describe('the costs of levels', () => {
  it('are those of their bits: with the probabilities that a frame begins with', () => {
    const frame = madeFrame(7, [5, 5], draw);
    codedFrame(frame, {
      onEnd: (stage) => {
        const { calls, constant, memory } = stage;
        const at = constant('defaultProbabilities');
        const probabilities = new Uint8Array(memory.buffer, at, 4 * 8 * 3 * 11);
        calls.beginTokenCounts?.();
        calls.refreshCosts?.();
        const tables = new Tables(stage);
        for (const macroblock of frame.macroblocks) {
          for (const [block, type, first] of blocksOf(macroblock)) {
            const levels = macroblock.levels.subarray(16 * block, 16 * block + 16);
            const signs = levels.filter((level, n) => n >= first && level !== 0).length;
            for (const context of [0, 1, 2]) {
              const bits = bitsOf(levels, type, first, context, probabilities);
              const expected = total(bits, stage) + 256 * signs;
              expect(tables.costOf(levels, type, first, context)).toBe(expected);
            }
          }
        }
      },
    });
  });

  it('sum up to what a frame takes, once it has been counted', { tags: 'slow' }, () => {
    for (const largest of [3, 40, 2047]) {
      const frame = madeFrame(largest, [24, 20], { ...draw, largest });
      let cost = 0;
      const { tokenBytes } = codedFrame(frame, {
        onEnd: (stage) => {
          stage.calls.refreshCosts?.();
          cost = costOfFrame(new Tables(stage), frame.macroblocks, frame.across);
        },
      });
      expect(Math.abs(cost / 2048 / tokenBytes - 1)).toBeLessThan(0.005);
    }
  });
});

/** What all blocks cost, each in its context. */
function costOfFrame(
  tables: Tables,
  macroblocks: readonly CodedMacroblock[],
  across: number,
): number {
  const above = Array.from({ length: across }, () => new Uint8Array(9));
  let left = new Uint8Array(9);
  let cost = 0;
  for (const [i, macroblock] of macroblocks.entries()) {
    const top = above[i % across] ?? left;
    if (i % across === 0) left = new Uint8Array(9);
    for (const [block, type, first] of blocksOf(macroblock)) {
      const [column, row] = placesOf(block);
      const levels = macroblock.levels.subarray(16 * block, 16 * block + 16);
      const context = (top[column] ?? 0) + (left[row] ?? 0);
      cost += tables.costOf(levels, type, first, context);
      const flag = levels.some((level, n) => n >= first && level !== 0) ? 1 : 0;
      top[column] = flag;
      left[row] = flag;
    }
  }
  return cost;
}

/** Which flags above and to the left a block has. */
function placesOf(block: number): [number, number] {
  if (block === 24) return [8, 8];
  if (block < 16) return [block & 3, block >> 2];
  const plane = block < 20 ? 4 : 6;
  return [plane + (block & 1), plane + ((block >> 1) & 1)];
}

describe('the costs of modes', () => {
  it('sum up to what a frame takes', { tags: 'slow' }, () => {
    for (const byBlock of [0, 0.5, 1]) {
      const frame = madeFrame(3, [60, 50], { density: 0, largest: 1, skipped: 0.3, byBlock });
      let bits = 0;
      const { firstBytes } = codedFrame(frame, {
        onEnd: ({ calls }) => {
          bits = calls.modeBits?.() ?? 0;
        },
      });
      const headerBits = 8 * firstBytes - bits;
      expect(headerBits).toBeGreaterThan(0);
      expect(headerBits).toBeLessThan(900 + 0.003 * bits);
    }
  });

  it('are those that analysis asks for', () => {
    codedFrame(madeFrame(1, [1, 1], draw), {
      onEnd: (stage) => {
        const { calls, constant, memory } = stage;
        const bits = (...all: Bit[]) => total(all, stage);
        const whole = [0, 1, 2, 3].map((mode) => calls.wholeModeRate?.(mode));
        expect(whole).toEqual([
          bits([1, 145], [0, 156], [0, 163]),
          bits([1, 145], [1, 156], [1, 128]),
          bits([1, 145], [0, 156], [1, 163]),
          bits([1, 145], [1, 156], [0, 128]),
        ]);
        const chroma = [0, 1, 2, 3].map((mode) => calls.chromaModeRate?.(mode));
        expect(chroma).toEqual([
          bits([0, 142]),
          bits([1, 142], [1, 114], [1, 183]),
          bits([1, 142], [0, 114]),
          bits([1, 142], [1, 114], [0, 183]),
        ]);
        expect(constant('byBlockRate')).toBe(bits([0, 145]));
        // each of the hundred contexts has a whole tree
        const costs = new Uint16Array(memory.buffer, calls.blockModeCostsIn?.(0), 1000);
        for (let context = 0; context < 100; context++) {
          const all = [...costs.subarray(10 * context, 10 * context + 10)];
          expect(all.reduce((sum, cost) => sum + 2 ** (-cost / 256), 0)).toBeCloseTo(1, 1);
        }
      },
    });
  });
});
