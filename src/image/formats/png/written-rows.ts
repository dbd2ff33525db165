import type { PngFrame } from './coded-png.ts';
import { countedBytes, expectRoom, type PngKernel, type Pointer } from './kernel.ts';
import { bitsOf, colorTypeOf, type PngLayout, packedRowBytes } from './layout.ts';
import { type DeepPixelRows, forEachRow, type PixelRows, type RowBuffers } from './pixel-rows.ts';

/** A zlib stream in the kernel's memory. */
export interface Stream {
  readonly at: Pointer;
  readonly length: number;
}

/** Filters that are tried: all, or type 0, which changes nothing (PNG third edition §9.2). */
export type FilterWays = 'all' | 'none';

interface WritingSettings {
  readonly layout: PngLayout;
  /** Bytes of the stream. */
  readonly most: number;
  readonly ways?: FilterWays;
  /** `least`: to see what it will be about. */
  readonly effort?: 'full' | 'least';
}

/** Bytes that the stream of a picture can have beside all else that writing it takes; less than 0: none. */
export function streamRoom(kernel: PngKernel, { width, layout }: PngFrame): number {
  const rowBytes = packedRowBytes(width, layout);
  const needed = countedBytes(({ beginWriter }) => beginWriter(rowBytes, 1, 0, 0));
  return kernel.room() - (needed - countedBytes(() => {}));
}

/** Filters and deflates rows, as they come. */
export class WrittenRows {
  readonly #kernel: PngKernel;
  #isTooLong = false;

  /**
   * @throws CodecError where there is no room
   */
  constructor(
    kernel: PngKernel,
    size: { readonly width: number; readonly height: number },
    { layout, most, ways = 'all', effort = 'full' }: WritingSettings,
  ) {
    this.#kernel = kernel;
    kernel.limitFilters(ways === 'none' ? 1 : -1);
    const rowBytes = packedRowBytes(size.width, layout);
    const step = Math.max(1, bitsOf(layout) >> 3);
    const level = effort === 'least' ? 0 : effortFor(rowBytes, size.height);
    expectRoom(kernel.beginWriter(rowBytes, step, level, most));
    const key = layout.kind === 'samples' && layout.key !== null ? layout.key : -1;
    kernel.setRowLayout(colorTypeOf(layout), layout.bitDepth, key);
  }

  /** The stream has outgrown what it may be, and what follows is in vain. */
  get isTooLong(): boolean {
    return this.#isTooLong;
  }

  write(row: Pointer): void {
    if (!this.#isTooLong && !this.#kernel.writeRow(row)) this.#isTooLong = true;
  }

  /** Null where it has got too long. */
  end(): Stream | null {
    const length = this.#isTooLong ? 0 : this.#kernel.endWriter();
    return length > 0 ? { at: this.#kernel.outputAt(), length } : null;
  }
}

/**
 * Writes all rows of a picture in a layout that holds its pixels exactly.
 * @param keepsHidden whether colours under full transparency stay
 * @returns null where the stream gets longer than `most`
 */
export function writeExactly(
  kernel: PngKernel,
  rows: PixelRows,
  { rgba, packed }: RowBuffers,
  { keepsHidden, ...settings }: WritingSettings & { readonly keepsHidden: boolean },
): Stream | null {
  const written = new WrittenRows(kernel, rows, settings);
  forEachRow(rows, () => {
    rows.expand(rgba);
    if (!keepsHidden) kernel.clearHidden(rgba, rows.width);
    kernel.packRow(rgba, rows.width, packed);
    written.write(packed);
    return !written.isTooLong;
  });
  return written.end();
}

/** The same with all 16 bits of each sample. */
export function writeDeep(
  kernel: PngKernel,
  rows: DeepPixelRows,
  { deep, packed }: RowBuffers,
  {
    layout,
    keepsHidden,
    most,
  }: { layout: PngLayout & { kind: 'deep' }; keepsHidden: boolean; most: number },
): Stream | null {
  const written = new WrittenRows(kernel, rows, { layout, most });
  forEachRow(rows, () => {
    rows.expandDeep(deep);
    // a key lies in the colours of what it makes transparent
    if (!keepsHidden && !layout.keepsKey) kernel.clearDeepHidden(deep, rows.width);
    kernel.packDeep(deep, rows.width, layout.colorType, packed);
    written.write(packed);
    return !written.isTooLong;
  });
  return written.end();
}

/** Effort of the writer (kernel/deflate/compressor.ts) for so many bytes of rows. */
function effortFor(rowBytes: number, height: number): number {
  const bytes = rowBytes * height;
  if (bytes <= 2 ** 20) return 2;
  return bytes <= 2 ** 23 ? 1 : 0;
}
