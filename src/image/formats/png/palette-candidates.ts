import {
  type CandidateStreams,
  type Effort,
  type TriedFilters,
  WrittenRows,
  writeExactly,
} from './candidates.ts';
import type { PngFrame } from './coded-png.ts';
import { ditherRows, type IndexRows, type Scoring, type Shown } from './dithered-rows.ts';
import { pngFacts } from './facts.ts';
import { IndexImage, maxHeldPixels } from './index-image.ts';
import { expectRoom, type PngKernel, type Pointer } from './kernel.ts';
import { type PngLayout, paletteLayouts, smallPicture } from './layout.ts';
import { type OrderedPalette, orderByBorders, orderByLuma, orderedPalette } from './palette.ts';
import { forEachRow, type PixelRows, type RowBuffers } from './pixel-rows.ts';

/** State shared by all candidates with a palette. */
interface Writing {
  readonly kernel: PngKernel;
  readonly rows: PixelRows;
  readonly buffers: RowBuffers;
  readonly candidates: CandidateStreams;
  readonly effort: Effort;
  /** Whether there is memory for an image of indices. */
  readonly holdsIndices: boolean;
}

/** Whether the picture is held as indices while candidates are compared. */
function isHeld({ rows, holdsIndices }: Writing): boolean {
  return holdsIndices && rows.width * rows.height <= maxHeldPixels;
}

/** Offers candidates for a picture with few colors: exact indices in these layouts. */
export function offerExactPalette(
  writing: Writing,
  layouts: readonly PngLayout[],
  keepsHidden: boolean,
): void {
  const { kernel, rows, buffers, candidates, effort } = writing;
  const { rgba, packed } = buffers;
  const at = kernel.colorsAt();
  const colors = kernel.bytes.slice(at, at + 4 * kernel.colorCount());
  if (!isHeld(writing)) {
    const ordered = orderedPalette(colors, orderByLuma(colors));
    kernel.bytes.set(ordered.ranks, kernel.colorIndicesAt());
    for (const layout of layouts) {
      candidates.offer(indexedFrame(rows, layout, ordered), true, (maxBytes) =>
        writeExactly(kernel, rows, buffers, { layout, keepsHidden, maxBytes, effort }),
      );
    }
    return;
  }
  const image = new IndexImage(kernel, rows);
  const unordered = Uint8Array.from({ length: colors.length / 4 }, (_, index) => index);
  kernel.bytes.set(unordered, kernel.colorIndicesAt());
  kernel.setRowLayout(3, 8, -1);
  forEachRow(rows, () => {
    rows.expand(rgba);
    if (!keepsHidden) kernel.clearHidden(rgba, rows.width);
    kernel.packRow(rgba, rows.width, image.nextRow);
    image.take();
  });
  offerImage(candidates, image, { colors, layouts, packed, isExact: true, effort });
}

/**
 * Offers candidates for a picture with many colors: indices into a chosen palette, unless the difference is visible.
 * @param maxColors maximum number of colors in the palette
 * @returns SSIMULACRA2 score of the candidates; null if there are none, or it was not measured
 */
export function offerChosenPalette(
  writing: Writing,
  scoring: Scoring,
  target: PaletteTarget,
  maxColors: number,
): number | null {
  const { kernel, rows, buffers, candidates } = writing;
  for (const enough of [target.enough, target.enough / 8]) {
    const start = kernel.taken();
    const colors = chosenColors(kernel, rows, buffers, { ...target, enough }, maxColors);
    const shown = colors && offerColors(writing, scoring, colors, target);
    // Only one image of indices is held at a time.
    candidates.release(start);
    if (shown) return shown.score;
    // More colors may be good enough.
    if (!colors || colors.length === 4 * maxColors) return null;
  }
  return null;
}

/** @returns null if the result differs too much from the picture */
function offerColors(
  writing: Writing,
  scoring: Scoring,
  colors: Uint8Array,
  target: PaletteTarget,
): Shown | null {
  const { kernel, rows, buffers, candidates, effort } = writing;
  const { rgba, packed } = buffers;
  const layouts = paletteLayouts(colors.length / 4, rows.width * rows.height);
  const [layout] = layouts;
  const dithering = { kernel, rows, rgba, colors };
  if (!isHeld(writing)) {
    const ordered = orderedPalette(colors, orderByLuma(colors));
    // A result that is too long would not be shorter with more colors.
    let shown: Shown | null = unseen;
    candidates.offer(indexedFrame(rows, layout, ordered), false, (maxBytes) => {
      const indices = kernel.allocate(rows.width);
      expectRoom(indices);
      const written = new WrittenRows(kernel, rows, { layout, maxBytes, effort });
      kernel.bytes.set(ordered.ranks, kernel.indexOrderAt());
      const passing = passingRows(kernel, indices, { width: rows.width, packed, written });
      const passed = ditherRows(dithering, passing, scoring);
      if (written.isTooLong) return 0;
      shown = isGoodEnough(passed, target) ? passed : null;
      return shown ? written.end() : 0;
    });
    return shown;
  }
  const image = new IndexImage(kernel, rows);
  const shown = ditherRows(dithering, image, scoring);
  if (!isGoodEnough(shown, target)) return null;
  offerImage(candidates, image, { colors, layouts, packed, isExact: false, effort });
  return shown;
}

/** A result that was not measured. */
const unseen: Shown = { error: 0, score: null };

/** Whether a result is good enough: by its score or, if there is none, by the quantizer's own measure. */
function isGoodEnough({ error, score }: Shown, { minScore, maxShownError }: PaletteTarget) {
  return score !== null && minScore !== null ? score >= minScore : error <= maxShownError;
}

/** Writes rows of indices as they are produced. */
function passingRows(
  kernel: PngKernel,
  indices: Pointer,
  { width, packed, written }: { width: number; packed: Pointer; written: WrittenRows },
): IndexRows {
  return {
    nextRow: indices,
    take() {
      kernel.packIndices(indices, width, packed);
      written.write(packed);
      return !written.isTooLong;
    },
  };
}

/** Offers candidates for an image of indices: palette orders, with and without filters. */
function offerImage(
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
): void {
  const count = colors.length / 4;
  // Dithering may leave a color unused.
  const isUsed = image.used(count);
  const orderedBy = (order: readonly number[]) => {
    const used = order.filter((index) => isUsed[index]);
    return orderedPalette(colors, used);
  };
  const byLuma = orderedBy(orderByLuma(colors));
  const byBorders = orderedBy(orderByBorders(image.borders(count), count));
  for (const layout of layouts) {
    const offer = (ordered: OrderedPalette, filters: TriedFilters) =>
      candidates.offer(indexedFrame(image, layout, ordered), isExact, (maxBytes) =>
        image.write({ layout, colors: ordered, filters, effort }, packed, maxBytes),
      );
    offer(byLuma, 'all');
    offer(byBorders, 'all');
    // The gain of filters is hard to estimate for few rows.
    if (image.width * image.height <= smallPicture) offer(byLuma, 'none');
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
  /** The error at which fewer than 256 colors are enough. */
  readonly enough: number;
  /** The error above which a palette cannot be good enough even after dithering. */
  readonly hopeless: number;
  /** Maximum error of the final result, if no score is required or measured. */
  readonly maxShownError: number;
  /** Minimum SSIMULACRA2 score of the final result; null for any. */
  readonly minScore: number | null;
  /** Whether colors are reduced even if a palette can hold all of them. */
  readonly reducesFew: boolean;
}

/** Chooses the colors of a palette, as RGBA; null if the maximum number is not enough. */
function chosenColors(
  kernel: PngKernel,
  rows: PixelRows,
  { rgba }: RowBuffers,
  { enough, hopeless }: PaletteTarget,
  maxColors: number,
): Uint8Array | null {
  expectRoom(kernel.beginQuantizer(rows.width));
  forEachRow(rows, () => {
    rows.expand(rgba);
    kernel.countRow(rgba);
  });
  const count = kernel.choosePalette(maxColors, enough);
  if (kernel.paletteError() > hopeless) return null;
  const at = kernel.paletteAt();
  return kernel.bytes.slice(at, at + 4 * count);
}

/**
 * The requirements of a quality from 1 to 100 on a palette. Below the automatic quality, few colors are reduced as well.
 *
 * `enough` determines the number of colors of graphics, and increases tenfold per 15 quality steps down: at 80, screenshots and
 * icons have a mean SSIMULACRA2 score of 99, like pngquant's. `maxShownError` determines when a palette is rejected, and follows
 * the cube of the distance to a score of 100: at 80, 21 of Kodak's photos are below it, with scores of 82 to 92, and three are
 * above. `npm run bench -- --only png --quality <1–100>` prints the figures for other qualities. `hopeless` rejected no picture
 * whose result would have been below `maxShownError`. If a score is required, it follows that as well: of graphics and photos
 * with 5 to 256 colors, none reached a score at six tenths of it.
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
