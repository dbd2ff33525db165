import type { Size } from '../../pixels/raster.ts';
import type { Slices } from '../../slices.ts';
import { CodecError } from '../../wasm/codec.ts';
import type { Quality } from '../inspection.ts';
import { type FrameTable, localTableBytes, setKernelTable } from './color-tables.ts';
import { countedBytes, expectRoom, finishedWork, type GifKernel } from './kernel.ts';
import { kernelConstants } from './kernel-exports.ts';

/** An encoded frame. */
export interface CodedFrame {
  readonly table: FrameTable;
  /** Whether every pixel has exactly its intended color. */
  readonly isExact: boolean;
  /** The minimum code size, followed by the sub-blocks and their terminator. */
  readonly data: Uint8Array;
}

/** Returns the frame that takes fewer bytes in the file; `a` if both take the same number. */
export function shorter(a: CodedFrame, b: CodedFrame): CodedFrame {
  return bytesOf(b) < bytesOf(a) ? b : a;
}

/** Size of a frame in the file, without the parts that have the same size in every frame. */
function bytesOf({ table, data }: CodedFrame): number {
  return data.length + localTableBytes(table);
}

/** Maximum distance between a color and the intended color, in steps of luma (reduced-colors.ts). */
export function toleranceAt(quality: number): number {
  const loss = 100 - quality;
  return 1.2 + 0.22 * loss + 0.003 * loss ** 2;
}

/** Whether every color is preserved. */
export function isLossless(quality: Quality): quality is 'lossless' | 100 {
  return quality === 'lossless' || quality === 100;
}

/**
 * The part of the tolerance up to which a pixel keeps the color below it. It is less than 1 so that errors of a few
 * frames do not add up to a visible trail.
 */
export const unchangedShare = 0.6;

/** When to clear the code table; see kernel/encoder/exact-coder.ts. */
const patience = 100;

/**
 * Encodes a frame with loss. Afterwards, `applyIndices` replaces the plane of target colors with the encoded colors.
 *
 * @param quality 1 to 99
 * @throws CodecError if memory runs out
 */
export function* lossyFrame(
  kernel: GifKernel,
  { width }: Size,
  table: FrameTable,
  quality: number,
): Slices<CodedFrame> {
  setKernelTable(kernel, table);
  kernel.prepareLossy(width, toleranceAt(quality));
  const first = kernel.writeLossy(table.minCodeSize, patience);
  const length = yield* finishedWork(kernel, first, () => kernel.continueLossy());
  expectRoom(length);
  const at = kernel.outputAt();
  return { table, isExact: false, data: kernel.bytes.slice(at, at + length) };
}

/** Parameters of the choice of codes; see kernel/encoder/exact-coder.ts, and exact-search.ts for `shortRun`. */
interface Choice {
  readonly patience: number;
  readonly gain: number;
  readonly shortRun: number;
}

const never = 99;
const all = 2 ** 32 - 1;

/** The first one is the best if only one is tried. */
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

/** A frame of at most this many pixels is small: all choices are tried. */
export const smallPixels = 20_000;

/** How many choices are tried for a frame of `pixels` pixels. */
function triesFor(pixels: number): number {
  if (pixels <= smallPixels) return choices.length;
  return pixels <= 100_000 ? 4 : 3;
}

/**
 * Selects the choices that are tried for each frame of a file. The best choice is partly a matter of chance and can
 * only be found by trying, and frames of an animation are alike: choices that were best before come first, and the
 * others take turns.
 */
export class ChoiceRotation {
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

  /** Moves the best choice to the front. */
  prefer(choice: Choice): void {
    const [first, ...others] = [choice, ...this.#order.filter((other) => other !== choice)];
    this.#order = [first, ...others];
  }
}

/**
 * Encodes a frame without loss, with the table and the choice that make it shortest.
 * @param tables each contains all colors of the frame
 * @param rival lossy coding of this frame, which the kernel has just produced
 * @returns null if `rival` is shorter
 * @throws CodecError if memory runs out
 */
export function* exactFrame(
  kernel: GifKernel,
  pixels: number,
  tables: readonly [FrameTable, ...FrameTable[]],
  tried: ChoiceRotation,
  rival: CodedFrame | null,
): Slices<CodedFrame | null> {
  const [first, ...others] = tried.next(pixels);
  let best: CodedFrame | null = null;
  let bestChoice = first;
  if (rival) kernel.keepProgress();
  const offer = function* (table: FrameTable, choice: Choice): Slices<void> {
    const frame = yield* coded(kernel, table, choice, best ?? rival);
    if (!frame || (best && shorter(best, frame) === best)) return;
    // At equal lengths, the lossless coding wins.
    if (!best && rival && shorter(frame, rival) === rival) return;
    best = frame;
    bestChoice = choice;
    kernel.keepProgress();
  };
  for (const table of tables) yield* offer(table, first);
  const table = (best as CodedFrame | null)?.table;
  if (!table) return null;
  for (const choice of others) yield* offer(table, choice);
  tried.prefer(bestChoice);
  return best;
}

/**
 * Encodes a frame without loss with a single choice, the one that is best on its own.
 * @throws CodecError if memory runs out, or a pixel has no color in the table
 */
export function* plainFrame(kernel: GifKernel, table: FrameTable): Slices<CodedFrame | null> {
  return yield* coded(kernel, table, choices[0], null);
}

/**
 * How much less, in percent, the rest of a frame may take than in the shortest coding so far: a coding that is further
 * behind is abandoned. Lossless codings seldom catch up with lossy ones.
 */
const exactSlack = 6;
const lossySlack = 2;

/**
 * @param shortest shortest coding so far, whose progress the kernel has kept
 * @returns null if the coding is abandoned because `shortest` is shorter
 * @throws CodecError if memory runs out, or a pixel has no color in the table
 */
function* coded(
  kernel: GifKernel,
  table: FrameTable,
  { patience, gain, shortRun }: Choice,
  shortest: CodedFrame | null,
): Slices<CodedFrame | null> {
  setKernelTable(kernel, table);
  const allowance = shortest ? localTableBytes(shortest.table) - localTableBytes(table) : 0;
  const first = kernel.writeExact(
    table.minCodeSize,
    shortRun,
    patience,
    gain,
    shortest ? (shortest.isExact ? exactSlack : lossySlack) : -1,
    allowance,
  );
  const length = yield* finishedWork(kernel, first, () => kernel.continueExact());
  if (length === kernelConstants.givenUp) return null;
  if (length === kernelConstants.colorless) {
    throw new CodecError('gif kernel', false, 'a pixel is in no colour table');
  }
  expectRoom(length);
  const at = kernel.outputAt();
  return { table, isExact: true, data: kernel.bytes.slice(at, at + length) };
}

/**
 * Bytes of arena needed to encode a frame, including its encoded data.
 * @param inPlace whether its pixels are already in the arena, in canvases
 */
export function frameArenaBytes({ width, height }: Size, inPlace = false): number {
  const pixels = width * height;
  // A code of 12 bits per pixel, and a length byte per 255 bytes.
  const data = Math.ceil((1.5 * pixels * 256) / 255) + outputMargin;
  return data + countedBytes((kernel) => expectRoom(kernel.allocateEncoder(pixels, inPlace)));
}

/** What the kernel requests ahead of its write position, plus the overhead of short data. */
const outputMargin = 65_536;
