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

/** The best by itself comes first. */
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
 * Which choices are tried for the frames of a file. What is best is found out by trying, luck has a part in it, and frames of an
 * animation are alike: those that were best come first, and of the others one after the other has its turn.
 */
export class TriedChoices {
  #order: readonly [Choice, ...Choice[]] = choices;
  #turn = 0;

  /** @param most that there may be, at least 1 */
  next(pixels: number, most: number): readonly [Choice, ...Choice[]] {
    const count = Math.min(triesFor(pixels), most);
    const [first, ...others] = this.#order;
    if (count > others.length) return this.#order;
    const known = others.slice(0, Math.max(0, count - 2));
    const rest = others.slice(known.length);
    const other = count > 1 ? rest[this.#turn % rest.length] : undefined;
    this.#turn += 1;
    return other ? [first, ...known, other] : [first, ...known];
  }

  /** Moves a choice that was best to the front. */
  prefer(choice: Choice): void {
    const [first, ...others] = [choice, ...this.#order.filter((other) => other !== choice)];
    this.#order = [first, ...others];
  }
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
  tried: TriedChoices,
  most = choices.length,
): CodedFrame {
  const [table, ...otherTables] = tables;
  const [first, ...others] = tried.next(pixels, most);
  let best = coded(kernel, table, first);
  for (const other of otherTables) best = shorter(best, coded(kernel, other, first));
  let bestChoice = first;
  for (const choice of others) {
    const other = coded(kernel, best.table, choice);
    if (shorter(best, other) === best) continue;
    best = other;
    bestChoice = choice;
  }
  tried.prefer(bestChoice);
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
