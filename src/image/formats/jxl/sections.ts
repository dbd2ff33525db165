import type { Slices } from '../../slices.ts';
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

/** The content of the sections. */
export interface CodedFrame {
  /** Quantization steps of luma, Cb and Cr, or of gray, in row-major order. */
  readonly steps: readonly Uint16Array[];
  readonly blockContexts: BlockContexts;
  /** Coefficient orders of luma, Cb and Cr. */
  readonly orders: readonly CoefficientOrder[];
}

/** Unit of JPEG's steps: 1/2040 of the range, an eighth of an 8-bit level. */
const stepUnit = 2040;
/** Low frequency steps are written in units of 1/128. */
const lowFrequencyUnit = 128;
/** Global scale for unscaled quantization. */
const unscaled = 57_343;
const tables = 17;

/** Reorders components to Cb, luma, Cr, as headers have them; gray is used for all of them. */
function inHeaderOrder<Item>([luma, cb = luma, cr = luma]: readonly Item[]): Item[] {
  return [cb, luma, cr].filter((item) => item !== undefined);
}

/** CPU time of a pass over a group of low frequencies, in milliseconds. */
export const lowGroupMs = 8;

/** The groups of 2048 × 2048 pixels, row by row. */
export function lowGroups(kernel: JxlKernel): readonly (readonly [x: number, y: number])[] {
  const across = Math.ceil(kernel.gridAcross() / lowGroupSide);
  const down = Math.ceil(kernel.gridDown() / lowGroupSide);
  return Array.from({ length: across * down }, (_, i) => [i % across, Math.floor(i / across)]);
}

/** Writes LfGlobal: quantization and coding of low frequencies (ISO/IEC 18181-1 §I.2.1). */
export function* putLowFrequencyGlobals(
  kernel: JxlKernel,
  coder: EntropyCoder,
  { steps, blockContexts }: CodedFrame,
): Slices<void> {
  coder.put(0, 1);
  for (const table of inHeaderOrder(steps)) {
    // Rounded to single precision, like libjxl.
    const inverse = Math.fround(stepUnit / (table[0] ?? 1));
    putF16(coder, Math.fround(Math.fround(1 / inverse) * lowFrequencyUnit));
  }
  coder.put(3, 2);
  coder.put(unscaled, 16);
  coder.put(1, 2);
  coder.put(0, 5);
  putBlockContexts(coder, blockContexts);
  putNoCorrelation(coder);
  // The global tree, for all low frequencies.
  coder.put(1, 1);
  const tree = errorTree(kernel.lowFrequencyCount());
  putTree(coder, tree.tokens);
  const { buffer } = kernel.bytes;
  new Int32Array(buffer, kernel.lowFrequencyCuts(), tree.cuts.length).set(tree.cuts);
  kernel.bytes.set(tree.leaves, kernel.lowFrequencyLeaves());
  kernel.setLowFrequencyCuts(tree.cuts.length);
  yield* coder.putSharedCode({
    id: streamCode,
    contexts: tree.leaves.length,
    parts: lowGroups(kernel).map(
      ([x, y]) =>
        () =>
          kernel.gatherLowFrequencies(x, y),
    ),
    partMs: lowGroupMs,
  });
}

/** Disables chroma from luma; by default, Cr would be predicted from luma. */
function putNoCorrelation(coder: EntropyCoder): void {
  coder.put(0, 1);
  coder.put(0, 2);
  coder.put(0, 32);
  coder.put(128, 8);
  coder.put(128, 8);
}

/** Writes an LfGroup: low frequencies, and the transforms, steps and filters of blocks, which are uniform (§I.2.3). */
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

/** Writes HfGlobal: steps, orders and the code of the coefficients, which have been counted (§I.2.4). */
export function* putCoefficientGlobals(
  kernel: JxlKernel,
  coder: EntropyCoder,
  { steps, orders }: CodedFrame,
): Slices<void> {
  coder.put(0, 1);
  // Raw steps, for 8 × 8 transforms.
  coder.put(7, 3);
  putF16(coder, 1 / stepUnit);
  putTables(coder, inHeaderOrder(steps).map(transposed));
  coder.put(0, 3 * (tables - 1));
  // One set of probabilities for all groups.
  coder.put(0, bitsFor(kernel.groupsAcross() * kernel.groupsDown()));
  putOrders(coder, inHeaderOrder(orders));
  yield* coder.putCode(coefficientCode);
}

function transposed(table: Uint16Array): number[] {
  return Array.from(table, (_, i) => table[8 * (i % 8) + (i >> 3)] ?? 1);
}
