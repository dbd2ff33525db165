import { bytesPerRasterPixel, type Region } from '../../pixels/raster.ts';
import type { RowSource } from '../../pixels/row-source.ts';
import { Pace, type Slices } from '../../slices.ts';
import { sideArena } from '../../wasm/arena.ts';
import { copiedOut } from '../../wasm/run-in-arena.ts';
import type { Recoder, RecodeSettings } from '../format.ts';
import type { Appearance, Quality, Source } from '../inspection.ts';
import { finishedUntouched, keptAppearance, untouched } from '../passthrough.ts';
import {
  ChoiceRotation,
  type CodedFrame,
  exactFrame,
  frameArenaBytes,
  isLossless,
  lossyFrame,
  shorter,
  smallPixels,
} from './coded-frame.ts';
import { stillGif } from './coded-gif.ts';
import { GlobalTable, maxColors, withAllIndices } from './color-tables.ts';
import { gifRecodingMs } from './cpu.ts';
import { cutOutGif } from './cut-out.ts';
import { CountedColors, countingMs, type FrameColors } from './frame-colors.ts';
import { damagedGif, expectRoom, type GifKernel, runGifKernel } from './kernel.ts';
import type { GifInspection } from './reader.ts';
import { rewrappedGif } from './rewrap.ts';
import { canvasRowBytes, openCanvasRows, readingMs } from './rows.ts';

/** Recodes a still GIF at its size: the part of it that is not transparent is encoded anew. */
export const gifRecoder: Recoder<GifInspection> = {
  engine: 'gif-lzw',
  // The output is assembled in the arena if the picture is kept as it was.
  arenaBytes: ({ image, fileBytes }) => Math.max(frameArenaBytes(image), fileBytes),
  sideBytes: ({ image }) => canvasRowBytes(image),
  cpuMs: ({ image, fileBytes }, { quality }) => gifRecodingMs(image, fileBytes, quality),
  // A trial consists almost entirely of encoding, whose time per pixel is about constant.
  partsShare: 1.2,
  // The result for a flat area or a line depends on the color strings that happened to come before it.
  isUneven: true,
  cutOut: (file, { image }, parts, slotHeight) => cutOutGif(file, image, parts, slotHeight),
  *recode(file, source, settings, keeping, makeWay) {
    const comments = keeping.level === 'all' ? { commentsOf: file } : {};
    const appearance = { ...keptAppearance(source, keeping), ...comments };
    const original = untouched(file, source, keeping, (kept) =>
      rewrappedGif(file, { ...kept, ...comments }),
    );
    const { parts, quality } = yield* recodedParts(file, source, settings, appearance);
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    if (length >= original.length) return finishedUntouched(original, makeWay);
    return { kind: 'finished', bytes: copiedOut(parts, makeWay), quality, isComplete: true };
  },
};

/** The parts of the new file, none of which share memory with the old one. */
function* recodedParts(
  file: Uint8Array,
  { image }: Source<GifInspection>,
  { quality, triesLossless = false }: RecodeSettings,
  appearance: Appearance,
): Slices<{ readonly parts: Uint8Array[]; readonly quality: Quality }> {
  return yield* openCanvasRows(file, image, sideArena, function* (rows) {
    const { region, colors } = yield* surveyed(rows);
    const table = new GlobalTable().extended(colors);
    if (!table) throw damagedGif('a picture has more colours than a table');
    const coded = yield* codedRegion(rows, region, function* (kernel) {
      const pixels = region.width * region.height;
      const lossy = isLossless(quality)
        ? null
        : yield* withExactness(
            kernel,
            pixels,
            yield* lossyFrame(kernel, region, withAllIndices(table), quality),
          );
      // Beside a lossy coding, a lossless one is abandoned once it falls behind, though it may catch up.
      const rival = triesLossless && pixels <= smallPixels ? null : lossy;
      const exact = yield* exactFrame(kernel, pixels, [table], new ChoiceRotation(), rival);
      const best = exact && lossy ? shorter(exact, lossy) : (exact ?? lossy);
      if (!best) throw damagedGif('a picture has not been coded');
      return best;
    });
    const parts = stillGif(image, region, coded, appearance);
    return { parts, quality: coded.isExact ? 'lossless' : quality };
  });
}

/** Pixels that are compared between two pauses at least, and CPU time of that in milliseconds per megapixel. */
const piecePixels = 65_536;
const comparingMs = 15;

/** Sets `isExact` of a frame that has just been encoded with loss, which may have caused no error. */
function* withExactness(kernel: GifKernel, pixels: number, frame: CodedFrame): Slices<CodedFrame> {
  const { colors, transparent } = frame.table;
  const shown = Uint32Array.from({ length: maxColors }, (_, index) =>
    index === transparent ? 0 : (colors[index] ?? 0),
  );
  const indices = kernel.bytes.subarray(kernel.indicesAt(), kernel.indicesAt() + pixels);
  const words = new Uint32Array(kernel.bytes.buffer, kernel.targetsAt(), pixels);
  const pace = Pace.ofRows(piecePixels, comparingMs);
  let isExact = true;
  for (let start = 0; start < pixels && isExact; start += piecePixels) {
    const piece = indices.subarray(start, start + piecePixels);
    isExact = piece.every((index, i) => shown[index] === words[start + i]);
    yield* pace.after();
  }
  return { ...frame, isExact };
}

/** Encodes a region of the rows, with nothing below it, in the arena. */
function* codedRegion(
  rows: RowSource,
  { left, top, width, height }: Region,
  code: (kernel: GifKernel) => Slices<CodedFrame>,
): Slices<CodedFrame> {
  return yield* runGifKernel(null, function* (kernel) {
    expectRoom(kernel.allocateEncoder(width * height, false));
    const pace = Pace.ofRows(rows.width, readingMs);
    yield* rows.start();
    for (let y = 0; y < rows.height; y += 1) {
      yield* pace.after();
      const row = yield* rows.next();
      if (y < top || y >= top + height) continue;
      const part = row.subarray(bytesPerRasterPixel * left, bytesPerRasterPixel * (left + width));
      kernel.bytes.set(part, kernel.targetsAt() + bytesPerRasterPixel * (y - top) * width);
    }
    yield* rows.end();
    return yield* code(kernel);
  });
}

/** Finds the bounding box of the visible pixels, and their colors. */
function* surveyed(
  rows: RowSource,
): Slices<{ readonly region: Region; readonly colors: FrameColors }> {
  const needed = new CountedColors();
  let [left, top, right, bottom] = [rows.width, rows.height, 0, 0];
  let visiblePixels = 0;
  const pace = Pace.ofRows(rows.width, readingMs + countingMs);
  yield* rows.start();
  for (let y = 0; y < rows.height; y += 1) {
    const row = yield* rows.next();
    const words = new Uint32Array(row.buffer, row.byteOffset, rows.width);
    for (let x = 0; x < words.length; x += 1) {
      const word = words[x] ?? 0;
      if (word === 0) continue;
      needed.add(word);
      visiblePixels += 1;
      left = Math.min(left, x);
      right = Math.max(right, x + 1);
      top = Math.min(top, y);
      bottom = y + 1;
    }
    yield* pace.after();
  }
  yield* rows.end();
  const region =
    visiblePixels > 0
      ? { left, top, width: right - left, height: bottom - top }
      : { left: 0, top: 0, width: 1, height: 1 };
  const hasClear = visiblePixels < region.width * region.height;
  const leavesClear = visiblePixels < rows.width * rows.height;
  return { region, colors: { needed, shared: new CountedColors(), hasClear, leavesClear } };
}
