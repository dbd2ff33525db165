import type { CandidateStreams } from './candidate-streams.ts';
import type { PngFrame } from './coded-png.ts';
import { IndexImage, mostHeldPixels } from './index-image.ts';
import type { PngKernel } from './kernel.ts';
import { type PngLayout, paletteLayouts, smallPicture } from './layout.ts';
import { type OrderedPalette, orderedPalette } from './palette.ts';
import { orderByBorders, orderByLuma } from './palette-order.ts';
import { forEachRow, type PixelRows } from './pixel-rows.ts';
import { chosenColors, ditherRows, type PaletteTarget, writeQuantized } from './quantized-rows.ts';
import type { RowBuffers } from './row-buffers.ts';
import { writeExactly } from './written-rows.ts';

/** What ways to write a picture with a palette have in common. */
interface Writing {
  readonly kernel: PngKernel;
  readonly rows: PixelRows;
  readonly buffers: RowBuffers;
  readonly candidates: CandidateStreams;
}

/** Offers the ways to write a picture of few colours as indices, in these layouts. */
export function offerExactPalette(
  { kernel, rows, buffers, candidates }: Writing,
  layouts: readonly PngLayout[],
  keepsHidden: boolean,
): void {
  const { rgba, packed } = buffers;
  const at = kernel.colorsAt();
  const colors = kernel.bytes.slice(at, at + 4 * kernel.colorCount());
  if (rows.width * rows.height > mostHeldPixels) {
    const ordered = orderedPalette(colors, orderByLuma(colors));
    kernel.bytes.set(ordered.ranks, kernel.colorIndicesAt());
    for (const layout of layouts) {
      candidates.offer(indexedFrame(rows, layout, ordered), true, (most) =>
        writeExactly(kernel, rows, buffers, { layout, keepsHidden, most }),
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
  offerImage(candidates, image, { colors, layouts, packed, isExact: true });
}

/**
 * Offers the ways to write a picture of many colours as indices of those that are chosen for it,
 * unless that shows.
 * @param most colours that may be chosen
 */
export function offerChosenPalette(writing: Writing, target: PaletteTarget, most: number): void {
  const { kernel, rows, buffers, candidates } = writing;
  for (const enough of [target.enough, target.enough / 8]) {
    const start = kernel.taken();
    const colors = chosenColors(kernel, rows, buffers, { ...target, enough }, most);
    const isGoodEnough = colors && offerColors(writing, colors, target);
    // there are no two images of indices at once
    candidates.release(start);
    if (isGoodEnough) return;
    // what was not good enough with fewer colours may be with more
    if (!colors || colors.length === 4 * most) return;
  }
}

/** @returns false where what is shown is too far from the picture */
function offerColors(
  { kernel, rows, buffers, candidates }: Writing,
  colors: Uint8Array,
  target: PaletteTarget,
): boolean {
  const pixels = rows.width * rows.height;
  const layouts = paletteLayouts(colors.length / 4, pixels);
  const [layout] = layouts;
  if (pixels > mostHeldPixels) {
    const ordered = orderedPalette(colors, orderByLuma(colors));
    candidates.offer(indexedFrame(rows, layout, ordered), false, (most) =>
      writeQuantized(kernel, rows, buffers, { layout, colors: ordered, target, most }),
    );
    return kernel.shownError() <= target.most;
  }
  const image = new IndexImage(kernel, rows);
  ditherRows(kernel, rows, buffers, image);
  if (kernel.shownError() > target.most) return false;
  offerImage(candidates, image, { colors, layouts, packed: buffers.packed, isExact: false });
  return true;
}

/** The ways to write indices: orders of their colours, with filters and without. */
function offerImage(
  candidates: CandidateStreams,
  image: IndexImage,
  {
    colors,
    layouts,
    packed,
    isExact,
  }: { colors: Uint8Array; layouts: readonly PngLayout[]; packed: number; isExact: boolean },
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
    const offer = (ordered: OrderedPalette, ways: 'all' | 'none') =>
      candidates.offer(indexedFrame(image, layout, ordered), isExact, (most) =>
        image.write({ layout, colors: ordered, ways }, packed, most),
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
