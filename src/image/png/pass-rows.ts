import type { PngInspection } from '../inspect/inspection.ts';
import { adam7Passes, type PngPass, wholePass } from './adam7.ts';
import { pngColors } from './color-chunks.ts';
import { idatPayloads } from './idat.ts';
import { greatestExpansion } from './inflater.ts';
import { PngDamaged } from './png-damaged.ts';
import { pngPixelBits, pngRowBytes, pngRowLength } from './row-bytes.ts';
import { rowExpander } from './row-expander.ts';
import { unfilter } from './unfilter.ts';
import { ZlibStream } from './zlib-stream.ts';

/** Row `y` of a pass stands at the beginning of the pixels. */
export type PassSink = (y: number, pass: PngPass) => void;

/** Whether the file is long enough to fill the rows that it states; nothing is allocated for less. */
export function mayFillRows(file: Uint8Array, image: PngInspection): boolean {
  return pngRowBytes(image) <= greatestExpansion * file.length;
}

/**
 * Reads all rows, pass by pass, as straight 8-bit RGBA into one and the same array of four bytes per
 * column of the picture.
 *
 * Returns false when the data are damaged, which may show only at their end: they must have their
 * checksums right and inflate to exactly the rows that the header states. What the sink throws goes
 * through.
 */
export function readPassRows(
  file: Uint8Array,
  image: PngInspection,
  to8: Uint8Array | null,
  pixels: ArrayBuffer,
  sink: PassSink,
): boolean {
  const rowBytes = pngRowLength(image.width, image);
  const rows = [new Uint8Array(rowBytes), new Uint8Array(rowBytes)] as const;
  const step = Math.ceil(pngPixelBits(image) / 8);
  try {
    const payloads = idatPayloads(file);
    const expand = rowExpander(image, pngColors(file), to8, pixels);
    const stream = new ZlibStream(payloads);
    for (const pass of image.interlaced ? adam7Passes(image) : [wholePass(image)]) {
      const length = pngRowLength(pass.columns, image);
      let current = rows[0].subarray(0, length);
      let previous = rows[1].subarray(0, length).fill(0);
      for (let y = 0; y < pass.rows; y += 1) {
        stream.read(current);
        unfilter(current, previous, step);
        expand(current, pass.columns);
        sink(y, pass);
        [current, previous] = [previous, current];
      }
    }
    stream.end();
    // chunks behind the stream's end have checksums as well
    while (!payloads.next().done);
    return true;
  } catch (error) {
    if (error instanceof PngDamaged) return false;
    throw error;
  }
}
