import {
  type CodedBytes,
  lengthOf,
  viewOf,
} from '../../../../../src/image/formats/webp/coded-webp.ts';
import { runWebpKernel, type WebpKernel } from '../../../../../src/image/formats/webp/kernel.ts';
import { codedLossy, drainLossy } from '../../../../../src/image/formats/webp/lossy-coder.ts';
import { type RowSource, rowsOf } from '../../../../../src/image/pixels/row-source.ts';
import { runAtOnce } from '../../../../../src/image/slices.ts';
import { arena } from '../../../../../src/image/wasm/arena.ts';
import { arenaCeiling } from '../../../../../src/image/wasm/budgets.ts';
import type { Picture } from './kernel/libwebp-pictures.ts';

/** Rows of a picture that count how often they are gone through. */
export function counted({ width, height, data }: Picture) {
  const raster = { width, height, data: new Uint8ClampedArray(data) };
  const rows = rowsOf(raster);
  let runs = 0;
  const counting: RowSource = {
    ...rows,
    *start() {
      runs += 1;
      yield* rows.start();
    },
  };
  return { rows: counting, runs: () => runs };
}

/** What came of coding. */
export interface Coded {
  /** The data of a `VP8 ` chunk. */
  readonly frame: Buffer;
  /** The data of an `ALPH` chunk; null if there is none. */
  readonly alpha: Buffer | null;
  readonly runs: number;
  /** Bytes of the arena that were taken. */
  readonly taken: number;
}

const usual = { quality: 75, hasAlpha: false, exact: false, bytes: arenaCeiling };

/** Codes a picture whose result stays in the kernel's memory. */
export function kept(
  picture: Picture,
  options: Partial<typeof usual> & {
    readonly mayKeep?: boolean;
    readonly begin?: (kernel: WebpKernel) => void;
  } = {},
): Coded {
  const { bytes, ...settings } = { ...usual, ...options };
  const { rows, runs } = counted(picture);
  arena.reserve(bytes);
  const work = runWebpKernel(new Uint8Array(0), function* (kernel) {
    kernel.limitMemory(bytes);
    options.begin?.(kernel);
    const { alpha, frame } = yield* codedLossy(kernel, rows, settings, options.mayKeep ?? true);
    const joined = (pieces: readonly CodedBytes[]) =>
      Buffer.concat(
        pieces.map((piece) => viewOf(kernel, piece)),
        lengthOf(pieces),
      );
    const taken = kernel.taken();
    return { frame: joined(frame), alpha: alpha && joined(alpha), runs: runs(), taken };
  });
  return runAtOnce(work);
}

/** Codes a picture whose result is drained. */
export function drained(picture: Picture, options: Partial<typeof usual> = {}): Coded {
  const { bytes, ...settings } = { ...usual, ...options };
  const { rows, runs } = counted(picture);
  const alpha: Uint8Array[] = [];
  const frame: Uint8Array[] = [];
  arena.reserve(bytes);
  const work = runWebpKernel(new Uint8Array(0), function* (kernel) {
    kernel.limitMemory(bytes);
    yield* drainLossy(kernel, rows, settings, {
      alpha: (parts) => alpha.push(...parts.map((part) => part.slice())),
      frame: (piece) => frame.push(piece.slice()),
    });
    return {
      frame: Buffer.concat(frame),
      alpha: alpha.length > 0 ? Buffer.concat(alpha) : null,
      runs: runs(),
      taken: kernel.taken(),
    };
  });
  return runAtOnce(work);
}
