import { CodecError } from '../../wasm/codec.ts';
import { type CodedFrame, shorter } from './coded-frame.ts';
import { type FrameTable, localTableBytes, setKernelTable } from './color-tables.ts';
import { expectRoom, type GifKernel } from './kernel.ts';
import { kernelConstants } from './kernel-exports.ts';

/** Parameters of the lossless coder; see kernel/encoder/exact-coder.ts, and exact-search.ts for `shortRun`. */
interface Choice {
  readonly patience: number;
  readonly gain: number;
  readonly shortRun: number;
}

const never = 99;
const all = 2 ** 32 - 1;

/** The parameter sets to try; the first one is the best single choice. */
const choices: readonly [Choice, ...Choice[]] = [
  { patience: 100, gain: 2, shortRun: 0 },
  { patience: 100, gain: 1, shortRun: 0 },
  { patience: 0, gain: never, shortRun: 0 },
  { patience: 100, gain: 2, shortRun: all },
  { patience: 100, gain: 2, shortRun: 6 },
  { patience: 105, gain: 3, shortRun: 0 },
  { patience: 0, gain: 2, shortRun: 0 },
  { patience: 95, gain: 1, shortRun: 3 },
];

/** Number of parameter sets to try for a frame with this many pixels. */
function triesFor(pixels: number): number {
  if (pixels <= 20_000) return choices.length;
  return pixels <= 100_000 ? 4 : 3;
}

/**
 * The order in which parameter sets are tried for the frames of a file. The best one can only be found by trying, and the
 * frames of an animation are similar: sets that were best come first, and the others take turns.
 */
export class TriedChoices {
  #order: readonly [Choice, ...Choice[]] = choices;
  #turn = 0;

  next(pixels: number): readonly [Choice, ...Choice[]] {
    const count = triesFor(pixels);
    const [first, ...others] = this.#order;
    if (count > others.length) return this.#order;
    const known = others.slice(0, Math.max(0, count - 2));
    const rest = others.slice(known.length);
    const other = count > 1 ? rest[this.#turn % rest.length] : undefined;
    this.#turn += 1;
    return other ? [first, ...known, other] : [first, ...known];
  }

  /** Moves the best set to the front. */
  prefer(choice: Choice): void {
    const [first, ...others] = [choice, ...this.#order.filter((other) => other !== choice)];
    this.#order = [first, ...others];
  }
}

/**
 * Encodes a frame losslessly, with the table and parameters that make it shortest.
 * @param tables tables that contain all colors of the frame
 * @param rival a lossy encoding that the kernel has just made
 * @returns null if the rival is shorter
 * @throws CodecError if there is no room
 */
export function exactFrame(
  kernel: GifKernel,
  pixels: number,
  tables: readonly [FrameTable, ...FrameTable[]],
  tried: TriedChoices,
  rival: CodedFrame | null,
): CodedFrame | null {
  const [first, ...others] = tried.next(pixels);
  let best: CodedFrame | null = null;
  let bestChoice = first;
  if (rival) kernel.keepProgress();
  const offer = (table: FrameTable, choice: Choice) => {
    const frame = coded(kernel, table, choice, best ?? rival);
    if (!frame || (best && shorter(best, frame) === best)) return;
    // If lengths are equal, the lossless one is better.
    if (!best && rival && shorter(frame, rival) === rival) return;
    best = frame;
    bestChoice = choice;
    kernel.keepProgress();
  };
  for (const table of tables) offer(table, first);
  const table = (best as CodedFrame | null)?.table;
  if (!table) return null;
  for (const choice of others) offer(table, choice);
  tried.prefer(bestChoice);
  return best;
}

/**
 * Codes a frame without loss in a single way, the best by itself.
 * @throws CodecError if there is no room, or a pixel has no color in the table
 */
export function plainFrame(kernel: GifKernel, table: FrameTable): CodedFrame | null {
  return coded(kernel, table, choices[0], null);
}

/**
 * How much less, in percent, the rest of a frame may take than with the shortest way so far: one that is further behind is given
 * up. Without loss, frames seldom catch up with those that have it.
 */
const exactSlack = 6;
const lossySlack = 2;

/**
 * @param shortest so far, which the kernel has kept the progress of
 * @returns null if it is given up, since that is shorter
 * @throws CodecError if there is no room, or a pixel has no color in the table
 */
function coded(
  kernel: GifKernel,
  table: FrameTable,
  { patience, gain, shortRun }: Choice,
  shortest: CodedFrame | null,
): CodedFrame | null {
  setKernelTable(kernel, table);
  const allowance = shortest ? localTableBytes(shortest.table) - localTableBytes(table) : 0;
  const length = kernel.writeExact(
    table.minCodeSize,
    shortRun,
    patience,
    gain,
    shortest ? (shortest.isExact ? exactSlack : lossySlack) : -1,
    allowance,
  );
  if (length === kernelConstants.givenUp) return null;
  if (length === kernelConstants.colorless) {
    throw new CodecError('gif kernel', false, 'a pixel is in no colour table');
  }
  expectRoom(length);
  const at = kernel.outputAt();
  return { table, isExact: true, data: kernel.bytes.slice(at, at + length) };
}
