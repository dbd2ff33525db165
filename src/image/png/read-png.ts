import type { PngInspection } from '../inspect/inspection.ts';
import { bytesPerRasterPixel } from '../raster.ts';
import { ImageData } from './image-data.ts';
import { expectRoom, runPngKernel } from './kernel.ts';
import { forEachRow } from './pixel-rows.ts';
import { PngSource } from './png-source.ts';
import { expandedRowBytes } from './reading-bytes.ts';

/**
 * Reads the pixels of a PNG as rows that flow from the top, interlaced or not: nothing of the picture's
 * size exists. What it takes of the arena has been reserved before: see `pngReadingBytes`.
 *
 * @param image what `inspect` says of `file`
 * @param to8 of 16-bit samples: an 8-bit value for each that colour or grey can have; null: the nearest,
 *   as for alpha
 * @param push is given each row of straight RGBA in turn, for as long as it runs; not before all memory is there
 * @throws CodecError where the file is damaged, which may show only when all rows have been given out, or
 *   takes more memory than there is
 */
export function readPngRows(
  file: Uint8Array,
  image: PngInspection,
  to8: Uint8Array | null,
  push: (row: Uint8Array) => void,
): void {
  const data = new ImageData(file);
  runPngKernel(data, (kernel) => {
    const source = new PngSource(kernel, data, image, to8);
    source.begin();
    const at = kernel.allocate(expandedRowBytes(image));
    expectRoom(at);
    const row = kernel.bytes.subarray(at, at + bytesPerRasterPixel * image.width);
    forEachRow(source, () => {
      source.expand(at);
      push(row);
    });
  });
}
