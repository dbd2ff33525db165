import { joinBytes } from '../../container/assemble.ts';
import { noMetadata } from '../../metadata/metadata.ts';
import { bytesPerRasterPixel, type Region, type Size } from '../../pixels/raster.ts';
import type { RowSource } from '../../pixels/row-source.ts';
import { Pace, type Slices } from '../../slices.ts';
import { arena, sideArena } from '../../wasm/arena.ts';
import { arenaCeiling } from '../../wasm/budgets.ts';
import { type CodedFrame, frameArenaBytes, plainFrame } from './coded-frame.ts';
import { stillGif } from './coded-gif.ts';
import { GlobalTable } from './color-tables.ts';
import { CountedColors, countingMs, type FrameColors } from './frame-colors.ts';
import { expectRoom, type GifKernel, runGifKernel } from './kernel.ts';
import type { GifInspection } from './reader.ts';
import { canvasRowBytes, openCanvasRows, readingMs } from './rows.ts';

/**
 * Builds a GIF from parts of another one, stacked vertically, with unchanged pixels: a sample on which the effect of
 * recoding the whole image can be tested.
 *
 * @param parts regions of equal size inside the picture
 * @param slotHeight rows from one part to the next; if it exceeds the part's height, the last row of the part is
 *   repeated
 * @returns null if the parts have more colors than a table holds next to the transparent index
 * @throws CodecError if the file is damaged, or memory runs out
 */
export function* cutOutGif(
  file: Uint8Array,
  image: GifInspection,
  parts: readonly Region[],
  slotHeight: number,
): Slices<Uint8Array<ArrayBuffer> | null> {
  const [first] = parts;
  if (!first) return null;
  const { width } = first;
  const height = parts.length > 1 ? slotHeight * parts.length : first.height;
  arena.reserve(Math.min(arenaCeiling, frameArenaBytes({ width, height })));
  sideArena.reserve(canvasRowBytes(image));
  const size = { width, height };
  const coded = yield* openCanvasRows(file, image, sideArena, (rows) =>
    codedParts(rows, parts, slotHeight, size),
  );
  const all = { left: 0, top: 0, ...size };
  return coded && joinBytes(stillGif(size, all, coded, { metadata: noMetadata }));
}

/** Encodes parts of the rows in the arena; returns null if they have too many colors. */
function* codedParts(
  rows: RowSource,
  parts: readonly Region[],
  slotHeight: number,
  { width, height }: Size,
): Slices<CodedFrame | null> {
  return yield* runGifKernel(null, function* (kernel) {
    expectRoom(kernel.allocateEncoder(width * height, false));
    yield* copyParts(kernel, rows, parts, slotHeight);
    for (const [i, part] of parts.entries()) {
      repeatLastRow(kernel, part, i * slotHeight, Math.min(height, (i + 1) * slotHeight));
    }
    const table = new GlobalTable().extended(yield* colorsIn(kernel, width * height));
    return table && (yield* plainFrame(kernel, table));
  });
}

/** Copies parts of the rows into the kernel's plane of target colors. */
function* copyParts(
  kernel: GifKernel,
  rows: RowSource,
  parts: readonly Region[],
  slotHeight: number,
): Slices<void> {
  const pace = Pace.ofRows(rows.width, readingMs);
  const end = Math.max(...parts.map(({ top, height }) => top + height));
  yield* rows.start();
  for (let y = 0; y < end; y += 1) {
    const row = yield* rows.next();
    for (const [i, { left, top, width, height }] of parts.entries()) {
      if (y < top || y >= top + height) continue;
      const part = row.subarray(bytesPerRasterPixel * left, bytesPerRasterPixel * (left + width));
      const to = (i * slotHeight + y - top) * width;
      kernel.bytes.set(part, kernel.targetsAt() + bytesPerRasterPixel * to);
    }
    yield* pace.after();
  }
  yield* rows.end();
}

/** Repeats the last row of a part that begins at row `from`, up to row `end`. */
function repeatLastRow(
  kernel: GifKernel,
  { width, height }: Region,
  from: number,
  end: number,
): void {
  const rowBytes = bytesPerRasterPixel * width;
  const last = kernel.targetsAt() + (from + height - 1) * rowBytes;
  for (let y = from + height; y < end; y += 1) {
    kernel.bytes.copyWithin(kernel.targetsAt() + y * rowBytes, last, last + rowBytes);
  }
}

/** Pixels that are counted between two pauses at least. */
const piecePixels = 65_536;

/** Counts the colors of the target plane, which has nothing below it. */
function* colorsIn(kernel: GifKernel, pixels: number): Slices<FrameColors> {
  const words = new Uint32Array(kernel.bytes.buffer, kernel.targetsAt(), pixels);
  const needed = new CountedColors();
  let hasClear = false;
  const pace = Pace.ofRows(piecePixels, countingMs);
  for (let at = 0; at < pixels; at += piecePixels) {
    for (const word of words.subarray(at, at + piecePixels)) {
      if (word === 0) hasClear = true;
      else needed.add(word);
    }
    yield* pace.after();
  }
  return { needed, shared: new CountedColors(), hasClear, leavesClear: false };
}
