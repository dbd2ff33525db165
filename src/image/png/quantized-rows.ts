import type { IndexImage } from './index-image.ts';
import { expectRoom, type PngKernel } from './kernel.ts';
import type { PngLayout } from './layout.ts';
import type { OrderedPalette } from './palette.ts';
import { forEachRow, type PixelRows } from './pixel-rows.ts';
import type { RowBuffers } from './row-buffers.ts';
import { type Stream, WrittenRows } from './written-rows.ts';

/** How much colours may change; mean squared distances in the quantizer's space. */
export interface PaletteTarget {
  /** Fewer than 256 colours are enough where they come as near as this. */
  readonly enough: number;
  /** A palette that is farther off cannot be good enough after dithering either. */
  readonly hopeless: number;
  /** Of what is shown in the end. */
  readonly most: number;
  /** Colours are reduced even where a palette holds all of them. */
  readonly reducesFew: boolean;
}

/** Colours of a palette for all pixels, as RGBA; null where so many are not enough. */
export function chosenColors(
  kernel: PngKernel,
  rows: PixelRows,
  { rgba }: RowBuffers,
  { enough, hopeless }: PaletteTarget,
  most: number,
): Uint8Array | null {
  expectRoom(kernel.beginQuantizer(rows.width));
  forEachRow(rows, () => {
    rows.expand(rgba);
    kernel.countRow(rgba);
  });
  const count = kernel.choosePalette(most, enough);
  if (kernel.paletteError() > hopeless) return null;
  const at = kernel.paletteAt();
  return kernel.bytes.slice(at, at + 4 * count);
}

/**
 * Writes all rows of a picture as indices into the palette that was chosen last, dithered.
 * @returns null where the stream gets longer than `most`, or what is shown is too far from the picture
 */
export function writeQuantized(
  kernel: PngKernel,
  rows: PixelRows,
  { rgba, packed }: RowBuffers,
  {
    layout,
    colors,
    target,
    most,
  }: { layout: PngLayout; colors: OrderedPalette; target: PaletteTarget; most: number },
): Stream | null {
  const indices = kernel.allocate(rows.width);
  expectRoom(indices);
  kernel.beginDithering();
  const written = new WrittenRows(kernel, rows, { layout, most });
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
  if (written.isTooLong) return null;
  write(kernel.flushRows(indices));
  return kernel.shownError() > target.most ? null : written.end();
}

/** Fills an image with indices into the palette that was chosen last, dithered. */
export function ditherRows(
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
