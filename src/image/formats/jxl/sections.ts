import { bitsFor, putF16 } from './bits.ts';
import { type BlockContexts, putBlockContexts } from './block-contexts.ts';
import { type CoefficientOrder, putOrders } from './coefficient-order.ts';
import type { EntropyCoder } from './entropy-coder.ts';
import { type JxlKernel, kernelConstants } from './kernel.ts';
import {
  errorTree,
  putLowFrequencyHeader,
  putTables,
  putTree,
  putZeroChannels,
} from './modular.ts';

const { streamCode, coefficientCode, lowGroupSide } = kernelConstants;

/** What sections are made of. */
export interface CodedFrame {
  /** Steps of luma, Cb and Cr, or of gray, in row-major order. */
  readonly steps: readonly Uint16Array[];
  readonly blockContexts: BlockContexts;
  /** Of luma, Cb and Cr. */
  readonly orders: readonly CoefficientOrder[];
}

/** JPEG's steps are in 2040ths of the range: an eighth of a step of 8 bits. */
const stepUnit = 2040;
/** Low frequencies are stated in 128ths. */
const lowFrequencyUnit = 128;
/** What stands before the codes of the coefficients' probabilities: nothing is scaled. */
const unscaled = 57_343;
const tables = 17;

/** Headers and components take Cb, luma, Cr; gray stands for all of them. */
function inHeaderOrder<Item>([luma, cb = luma, cr = luma]: readonly Item[]): Item[] {
  return [cb, luma, cr].filter((item) => item !== undefined);
}

/** Groups of 2048 × 2048 pixels, in rows. */
export function lowGroups(kernel: JxlKernel): readonly (readonly [x: number, y: number])[] {
  const across = Math.ceil(kernel.gridAcross() / lowGroupSide);
  const down = Math.ceil(kernel.gridDown() / lowGroupSide);
  return Array.from({ length: across * down }, (_, i) => [i % across, Math.floor(i / across)]);
}

/** LfGlobal: what low frequencies mean and how they are coded (ISO/IEC 18181-1 §I.2.1). */
export function putLowFrequencyGlobals(
  kernel: JxlKernel,
  coder: EntropyCoder,
  { steps, blockContexts }: CodedFrame,
): void {
  coder.put(0, 1);
  for (const table of inHeaderOrder(steps)) {
    // rounded as libjxl does, by single precision
    const inverse = Math.fround(stepUnit / (table[0] ?? 1));
    putF16(coder, Math.fround(Math.fround(1 / inverse) * lowFrequencyUnit));
  }
  coder.put(3, 2);
  coder.put(unscaled, 16);
  coder.put(1, 2);
  coder.put(0, 5);
  putBlockContexts(coder, blockContexts);
  putNoCorrelation(coder);
  // the tree of all low frequencies
  coder.put(1, 1);
  const tree = errorTree(kernel.lowFrequencyCount());
  putTree(coder, tree.tokens);
  const { buffer } = kernel.bytes;
  new Int32Array(buffer, kernel.lowFrequencyCuts(), tree.cuts.length).set(tree.cuts);
  kernel.bytes.set(tree.leaves, kernel.lowFrequencyLeaves());
  kernel.setLowFrequencyCuts(tree.cuts.length);
  coder.putSharedCode({
    id: streamCode,
    contexts: tree.leaves.length,
    parts: lowGroups(kernel).map(
      ([x, y]) =>
        () =>
          kernel.gatherLowFrequencies(x, y),
    ),
  });
}

/** Chroma has nothing of luma: by default Cr would have all of it. */
function putNoCorrelation(coder: EntropyCoder): void {
  coder.put(0, 1);
  coder.put(0, 2);
  coder.put(0, 32);
  coder.put(128, 8);
  coder.put(128, 8);
}

/** LfGroup: low frequencies, and what transforms, steps and filters blocks have: the same for all (§I.2.3). */
export function putLowFrequencies(
  kernel: JxlKernel,
  coder: EntropyCoder,
  [x, y]: readonly [number, number],
): void {
  coder.put(0, 2);
  putLowFrequencyHeader(coder);
  kernel.writeTokens(streamCode, kernel.gatherLowFrequencies(x, y));
  const columns = Math.min(lowGroupSide, kernel.gridAcross() - x * lowGroupSide);
  const rows = Math.min(lowGroupSide, kernel.gridDown() - y * lowGroupSide);
  const blocks = columns * rows;
  coder.put(blocks - 1, bitsFor(blocks));
  putZeroChannels(coder);
}

/** HfGlobal: steps, orders and the code of the coefficients, which have been counted (§I.2.4). */
export function putCoefficientGlobals(
  kernel: JxlKernel,
  coder: EntropyCoder,
  { steps, orders }: CodedFrame,
): void {
  coder.put(0, 1);
  // steps as they are, for transforms of 8 × 8
  coder.put(7, 3);
  putF16(coder, 1 / stepUnit);
  putTables(coder, inHeaderOrder(steps).map(transposed));
  coder.put(0, 3 * (tables - 1));
  // one set of probabilities for all groups
  coder.put(0, bitsFor(kernel.groupsAcross() * kernel.groupsDown()));
  putOrders(coder, inHeaderOrder(orders));
  kernel.writeCode(coefficientCode);
}

function transposed(table: Uint16Array): number[] {
  return Array.from(table, (_, i) => table[8 * (i % 8) + (i >> 3)] ?? 1);
}
