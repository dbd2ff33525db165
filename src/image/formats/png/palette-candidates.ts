import {
  type CandidateStreams,
  type Effort,
  type TriedFilters,
  WrittenRows,
  writeExactly,
} from './candidates.ts';
import type { PngFrame } from './coded-png.ts';
import { pngFacts } from './facts.ts';
import { IndexImage, maxHeldPixels } from './index-image.ts';
import { expectRoom, type PngKernel } from './kernel.ts';
import { type PngLayout, paletteLayouts, smallPicture } from './layout.ts';
import { type OrderedPalette, orderByBorders, orderByLuma, orderedPalette } from './palette.ts';
import { forEachRow, type PixelRows, type RowBuffers } from './pixel-rows.ts';

/** What all candidates with a palette are written with. */
interface Writing {
  readonly kernel: PngKernel;
  readonly rows: PixelRows;
  readonly buffers: RowBuffers;
  readonly candidates: CandidateStreams;
  readonly effort: Effort;
  /** There is room for an image of indices. */
  readonly holdsIndices: boolean;
}

/** Whether the picture is held as indices while candidates are compared. */
function isHeld({ rows, holdsIndices }: Writing): boolean {
  return holdsIndices && rows.width * rows.height <= maxHeldPixels;
}

/** Offers candidates for a picture of few colours: indices of them all, in these layouts. */
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
    image.advance(1);
  });
  offerImage(candidates, image, { colors, layouts, packed, isExact: true, effort });
}

/**
 * Offers candidates for a picture of many colours: indices of those that are chosen for it, unless that
 * shows.
 * @param maxColors that may be chosen
 */
export function offerChosenPalette(
  writing: Writing,
  target: PaletteTarget,
  maxColors: number,
): void {
  const { kernel, rows, buffers, candidates } = writing;
  for (const enough of [target.enough, target.enough / 8]) {
    const start = kernel.taken();
    const colors = chosenColors(kernel, rows, buffers, { ...target, enough }, maxColors);
    const isGoodEnough = colors && offerColors(writing, colors, target);
    // there are no two images of indices at once
    candidates.release(start);
    if (isGoodEnough) return;
    // what was not good enough with fewer colours may be with more
    if (!colors || colors.length === 4 * maxColors) return;
  }
}

/** @returns false where what is shown is too far from the picture */
function offerColors(writing: Writing, colors: Uint8Array, target: PaletteTarget): boolean {
  const { kernel, rows, buffers, candidates, effort } = writing;
  const layouts = paletteLayouts(colors.length / 4, rows.width * rows.height);
  const [layout] = layouts;
  if (!isHeld(writing)) {
    const ordered = orderedPalette(colors, orderByLuma(colors));
    candidates.offer(indexedFrame(rows, layout, ordered), false, (maxBytes) =>
      writeQuantized(kernel, rows, buffers, { layout, colors: ordered, target, maxBytes, effort }),
    );
    return kernel.shownError() <= target.maxShownError;
  }
  const image = new IndexImage(kernel, rows);
  ditherRows(kernel, rows, buffers, image);
  if (kernel.shownError() > target.maxShownError) return false;
  const { packed } = buffers;
  offerImage(candidates, image, { colors, layouts, packed, isExact: false, effort });
  return true;
}

/** Offers candidates for indices: orders of their colours, with filters and without. */
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
  // dithering may leave a colour out
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
    // what filters gain is hard to estimate for a few rows
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

/** How much colours may change; mean squared distances in the quantizer's space. */
export interface PaletteTarget {
  /** Fewer than 256 colours are enough where they come as near as this. */
  readonly enough: number;
  /** A palette that is farther off cannot be good enough after dithering either. */
  readonly hopeless: number;
  /** Of what is shown in the end. */
  readonly maxShownError: number;
  /** Colours are reduced even where a palette holds all of them. */
  readonly reducesFew: boolean;
}

/** Colours of a palette for all pixels, as RGBA; null where so many are not enough. */
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
 * Writes all rows of a picture as indices into the palette that was chosen last, dithered.
 * @returns the length of the stream in bytes; 0 where it gets longer than `maxBytes`, or what is shown is too far from
 * the picture
 */
function writeQuantized(
  kernel: PngKernel,
  rows: PixelRows,
  { rgba, packed }: RowBuffers,
  {
    layout,
    colors,
    target,
    maxBytes,
    effort,
  }: {
    layout: PngLayout;
    colors: OrderedPalette;
    target: PaletteTarget;
    maxBytes: number;
    effort: Effort;
  },
): number {
  const indices = kernel.allocate(rows.width);
  expectRoom(indices);
  kernel.beginDithering();
  const written = new WrittenRows(kernel, rows, { layout, maxBytes, effort });
  kernel.bytes.set(colors.ranks, kernel.indexOrderAt());
  const write = (ready: number) => {
    if (ready === 0) return;
    kernel.packIndices(indices, rows.width, packed);
    written.write(packed);
  };
  forEachRow(rows, () => {
    rows.expand(rgba);
    write(kernel.ditherRow(rgba, indices));
    return !written.isTooLong;
  });
  if (written.isTooLong) return 0;
  write(kernel.flushRows(indices));
  return kernel.shownError() > target.maxShownError ? 0 : written.end();
}

/** Fills an image with indices into the palette that was chosen last, dithered. */
function ditherRows(
  kernel: PngKernel,
  rows: PixelRows,
  { rgba }: RowBuffers,
  image: IndexImage,
): void {
  kernel.beginDithering();
  forEachRow(rows, () => {
    rows.expand(rgba);
    image.advance(kernel.ditherRow(rgba, image.nextRow));
  });
  image.advance(kernel.flushRows(image.nextRow));
}

/**
 * What a quality from 1 to 100 asks of a palette. Below what `auto` means, few colours become fewer, too.
 *
 * `enough` decides how many colours graphics get, and rises tenfold with every 15 steps down: at 80
 * screenshots and icons come to a mean of 99 in SSIMULACRA2, as pngquant's do. `maxShownError` decides what is not
 * shown at all, and follows the cube of what a score lacks: of Kodak's photos 21 come below it at 80, with
 * 82 to 92, and three are above it. `npm run bench -- --only png --quality <1–100>` prints what others come to.
 * `hopeless` refused no picture whose result would have been below `maxShownError`.
 */
export function paletteTarget(quality: number): PaletteTarget {
  const leniency = ((112 - quality) / 32) ** 3;
  const hopeless = 1.5e-4 * leniency;
  return {
    enough: Math.min(1e-7 * 10 ** ((80 - quality) / 15), hopeless / 4),
    hopeless,
    maxShownError: 2e-4 * leniency,
    reducesFew: quality < pngFacts.output.quality.automatic,
  };
}
