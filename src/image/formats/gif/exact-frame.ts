import { CodecError } from '../../wasm/codec.ts';
import { type CodedFrame, shorter } from './coded-frame.ts';
import { type FrameTable, setKernelTable } from './color-tables.ts';
import { expectRoom, type GifKernel } from './kernel.ts';

/** How codes are chosen; see kernel/encoder/exact-coder.ts, and exact-search.ts for `shortRun`. */
interface Choice {
  readonly patience: number;
  readonly gain: number;
  readonly shortRun: number;
}

const never = 99;
const all = 2 ** 32 - 1;

/** The best by itself comes first. What is best for a frame is found out by trying: luck has a large part in it. */
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

/** How many choices are tried for a frame of so many pixels. */
function triesFor(pixels: number): number {
  if (pixels <= 20_000) return choices.length;
  return pixels <= 100_000 ? 4 : 3;
}

/**
 * Codes a frame without loss, with the table and the choice that make it shortest.
 * @param tables whose colours do
 * @param most choices that are tried
 * @throws CodecError where there is no room
 */
export function exactFrame(
  kernel: GifKernel,
  pixels: number,
  tables: readonly [FrameTable, ...FrameTable[]],
  most = choices.length,
): CodedFrame {
  const [table, ...others] = tables;
  const [choice, ...further] = choices;
  let best = coded(kernel, table, choice);
  for (const other of others) best = shorter(best, coded(kernel, other, choice));
  for (const other of further.slice(0, Math.min(most, triesFor(pixels)) - 1)) {
    best = shorter(best, coded(kernel, best.table, other));
  }
  return best;
}

/** @throws CodecError where there is no room, or a pixel has no colour in the table */
function coded(
  kernel: GifKernel,
  table: FrameTable,
  { patience, gain, shortRun }: Choice,
): CodedFrame {
  setKernelTable(kernel, table);
  if (!kernel.prepareExact(shortRun)) {
    throw new CodecError('gif kernel', false, 'a pixel is in no colour table');
  }
  const length = kernel.writeExact(table.minCodeSize, patience, gain);
  expectRoom(length);
  const at = kernel.outputAt();
  return { table, isExact: true, data: kernel.bytes.slice(at, at + length) };
}
