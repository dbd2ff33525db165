import type { Slices } from '../../slices.ts';
import {
  type CandidateStreams,
  type Effort,
  type TriedFilters,
  WrittenRows,
  writeExactly,
} from './candidates.ts';
import type { PngFrame } from './coded-png.ts';
import { type DitheringResult, ditherRows, type IndexRows, type Scoring } from './dithered-rows.ts';
import { pngFacts } from './facts.ts';
import { IndexImage, maxHeldPixels } from './index-image.ts';
import { expectRoom, finishedWork, type PngKernel, type Pointer } from './kernel.ts';
import { type PngLayout, paletteLayouts, smallPicture } from './layout.ts';
import { type OrderedPalette, orderByBorders, orderByLuma, orderedPalette } from './palette.ts';
import { forEachRow, type PixelRows, passMs, type RowBuffers } from './pixel-rows.ts';

/** The context in which all candidates with a palette are written. */
interface Writing {
  readonly kernel: PngKernel;
  readonly rows: PixelRows;
  readonly buffers: RowBuffers;
  readonly candidates: CandidateStreams;
  readonly effort: Effort;
  /** Whether there is room for an image of indices. */
  readonly holdsIndices: boolean;
}

/** Whether the picture is held as indices while candidates are compared. */
function isHeld({ rows, holdsIndices }: Writing): boolean {
  return holdsIndices && rows.width * rows.height <= maxHeldPixels;
}

/** Offers candidates with a palette of all colors of a picture, in the given layouts. */
export function* offerExactPalette(
  writing: Writing,
  layouts: readonly PngLayout[],
  keepsHidden: boolean,
): Slices<void> {
  const { kernel, rows, buffers, candidates, effort } = writing;
  const { rgba, packed } = buffers;
  const at = kernel.colorsAt();
  const colors = kernel.bytes.slice(at, at + 4 * kernel.colorCount());
  if (!isHeld(writing)) {
    const ordered = orderedPalette(colors, orderByLuma(colors));
    kernel.bytes.set(ordered.ranks, kernel.colorIndicesAt());
    for (const layout of layouts) {
      yield* candidates.offer(indexedFrame(rows, layout, ordered), true, (maxBytes) =>
        writeExactly(kernel, rows, buffers, { layout, keepsHidden, maxBytes, effort }),
      );
    }
    return;
  }
  const image = new IndexImage(kernel, rows);
  const unordered = Uint8Array.from({ length: colors.length / 4 }, (_, index) => index);
  kernel.bytes.set(unordered, kernel.colorIndicesAt());
  kernel.setRowLayout(3, 8, -1);
  yield* forEachRow(rows, passMs.packing, function* () {
    rows.expand(rgba);
    if (!keepsHidden) kernel.clearHidden(rgba, rows.width);
    kernel.packRow(rgba, rows.width, image.nextRow);
    yield* image.take();
  });
  yield* offerImage(candidates, image, { colors, layouts, packed, isExact: true, effort });
}

/**
 * Offers candidates with a palette of chosen colors for a picture of many colors, unless the loss would be visible.
 * @param maxColors maximum number of colors
 * @returns SSIMULACRA2 of the dithered picture; null if there is no candidate, or it was not measured
 */
export function* offerChosenPalette(
  writing: Writing,
  scoring: Scoring,
  target: PaletteTarget,
  maxColors: number,
): Slices<number | null> {
  const { kernel, rows, buffers, candidates } = writing;
  for (const enough of [target.enough, target.enough / 8]) {
    const start = kernel.taken();
    const colors = yield* chosenColors(kernel, rows, buffers, { ...target, enough }, maxColors);
    const shown = colors && (yield* offerColors(writing, scoring, colors, target));
    // Two images of indices are never held at once.
    candidates.release(start);
    if (shown) return shown.score;
    // If the result was not good enough, more colors may help.
    if (!colors || colors.length === 4 * maxColors) return null;
  }
  return null;
}

/** @returns null if the result is too far from the picture */
function* offerColors(
  writing: Writing,
  scoring: Scoring,
  colors: Uint8Array,
  target: PaletteTarget,
): Slices<DitheringResult | null> {
  const { kernel, rows, buffers, candidates, effort } = writing;
  const { rgba, packed } = buffers;
  const layouts = paletteLayouts(colors.length / 4, rows.width * rows.height);
  const [layout] = layouts;
  const dithering = { kernel, rows, rgba, colors };
  if (!isHeld(writing)) {
    const ordered = orderedPalette(colors, orderByLuma(colors));
    // A stream that gets too long would not be shorter with more colors.
    let shown: DitheringResult | null = unmeasured;
    yield* candidates.offer(indexedFrame(rows, layout, ordered), false, function* (maxBytes) {
      const indices = kernel.allocate(rows.width);
      expectRoom(indices);
      const written = new WrittenRows(kernel, rows, { layout, maxBytes, effort });
      kernel.bytes.set(ordered.ranks, kernel.indexOrderAt());
      const passing = streamedRows(kernel, indices, { width: rows.width, packed, written });
      const passed = yield* ditherRows(dithering, passing, scoring);
      if (written.isTooLong) return 0;
      shown = isGoodEnough(passed, target) ? passed : null;
      return shown ? yield* written.end() : 0;
    });
    return shown;
  }
  const image = new IndexImage(kernel, rows);
  const shown = yield* ditherRows(dithering, image, scoring);
  if (!isGoodEnough(shown, target)) return null;
  yield* offerImage(candidates, image, { colors, layouts, packed, isExact: false, effort });
  return shown;
}

/** The result of a candidate that was never measured. */
const unmeasured: DitheringResult = { error: 0, score: null };

/** Without a score, the quantizer's own measure is used, which tells about as much. */
function isGoodEnough(
  { error, score }: DitheringResult,
  { minScore, maxShownError }: PaletteTarget,
) {
  return score !== null && minScore !== null ? score >= minScore : error <= maxShownError;
}

/** A sink that writes rows of indices as they arrive. */
function streamedRows(
  kernel: PngKernel,
  indices: Pointer,
  { width, packed, written }: { width: number; packed: Pointer; written: WrittenRows },
): IndexRows {
  return {
    nextRow: indices,
    *take() {
      kernel.packIndices(indices, width, packed);
      yield* written.write(packed);
      return !written.isTooLong;
    },
  };
}

/** Offers candidates for an image of indices: several orders of its colors, with filters and without. */
function* offerImage(
  candidates: CandidateStreams,
  image: IndexImage,
  {
    colors,
    layouts,
    packed,
    isExact,
    effort,
  }: {
    colors: Uint8Array;
    layouts: readonly PngLayout[];
    packed: number;
    isExact: boolean;
    effort: Effort;
  },
): Slices<void> {
  const count = colors.length / 4;
  // Dithering may leave a color unused.
  const isUsed = yield* image.used(count);
  const orderedBy = (order: readonly number[]) => {
    const used = order.filter((index) => isUsed[index]);
    return orderedPalette(colors, used);
  };
  const byLuma = orderedBy(orderByLuma(colors));
  const byBorders = orderedBy(orderByBorders(yield* image.borders(count), count));
  for (const layout of layouts) {
    const offer = (ordered: OrderedPalette, filters: TriedFilters) =>
      candidates.offer(indexedFrame(image, layout, ordered), isExact, (maxBytes) =>
        image.write({ layout, colors: ordered, filters, effort }, packed, maxBytes),
      );
    yield* offer(byLuma, 'all');
    yield* offer(byBorders, 'all');
    // The gain of filters is hard to estimate for a few rows.
    if (image.width * image.height <= smallPicture) yield* offer(byLuma, 'none');
  }
}

function indexedFrame(
  { width, height }: { readonly width: number; readonly height: number },
  layout: PngLayout,
  { palette }: OrderedPalette,
): PngFrame {
  return { width, height, layout, palette, ownKey: null };
}

/** How much colors may change: mean squared distances in the quantizer's space, and a score. */
export interface PaletteTarget {
  /** Error at which fewer than 256 colors are enough. */
  readonly enough: number;
  /** Error of a palette above which dithering cannot make it good enough either. */
  readonly hopeless: number;
  /** Maximum error of the dithered result, if there is no minimum score, or none is measured. */
  readonly maxShownError: number;
  /** Minimum SSIMULACRA2 of the dithered result; null: any. */
  readonly minScore: number | null;
  /** Whether colors are reduced even if a palette holds all of them. */
  readonly reducesFew: boolean;
}

/** Chooses palette colors for all pixels, as RGBA; null if so many are not enough. */
function* chosenColors(
  kernel: PngKernel,
  rows: PixelRows,
  { rgba }: RowBuffers,
  { enough, hopeless }: PaletteTarget,
  maxColors: number,
): Slices<Uint8Array | null> {
  expectRoom(kernel.beginQuantizer(rows.width));
  yield* forEachRow(rows, passMs.counting, function* () {
    rows.expand(rgba);
    kernel.countRow(rgba);
  });
  const first = kernel.choosePalette(maxColors, enough);
  const count = yield* finishedWork(first, () => kernel.continueChoosing());
  if (kernel.paletteError() > hopeless) return null;
  const at = kernel.paletteAt();
  return kernel.bytes.slice(at, at + 4 * count);
}

/**
 * What a quality from 1 to 100 requires of a palette. Below the automatic quality, few colors are reduced, too.
 *
 * `enough` determines how many colors graphics get, and rises tenfold with every 15 steps down: at 80, screenshots and
 * icons reach a mean of 99 in SSIMULACRA2, like those of pngquant. `maxShownError` determines which results are
 * rejected, and follows the cube of the missing score: at 80, 21 of Kodak's photos are below it, with scores of 82 to
 * 92, and three are above it. `npm run bench -- --only png --quality <1–100>` prints the results of other encoders.
 * `hopeless` rejected no picture whose result would have been below `maxShownError`. With a minimum score, it depends
 * on that as well: of graphics and photos with 5 to 256 colors, none reached its score at six tenths of it.
 */
export function paletteTarget(quality: number, minScore: number | null = null): PaletteTarget {
  const leniency = ((112 - quality) / 32) ** 3;
  const lost = 1.5e-4 * leniency;
  return {
    enough: Math.min(1e-7 * 10 ** ((80 - quality) / 15), lost / 4),
    hopeless: Math.max(lost, minScore === null ? 0 : 8e-4 * ((100 - minScore) / 25) ** 1.5),
    maxShownError: 2e-4 * leniency,
    minScore,
    reducesFew: quality < pngFacts.output.quality.automatic,
  };
}
