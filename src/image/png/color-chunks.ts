import { chunkAt, chunkTypes, firstChunk } from './chunks.ts';

/** Views of the file: the data of the first PLTE and tRNS before the image data, empty without one. */
export interface PngColors {
  /** Three bytes per entry, or nothing to do with the pixels where they are not indices. */
  readonly palette: Uint8Array;
  /** Alpha per palette entry, or one colour of 16-bit samples that is transparent. */
  readonly transparency: Uint8Array;
}

/**
 * Reads what samples stand for (PNG third edition §11.2.2, §11.3.1.1). `inspectPng` has checked the
 * lengths and checksums. Of two tRNS chunks the first counts, as in libpng; behind image data none does.
 *
 * @throws CodecError when a chunk goes beyond the file
 */
export function pngColors(file: Uint8Array): PngColors {
  const none = file.subarray(0, 0);
  const colors = { palette: none, transparency: none };
  let chunk = chunkAt(file, firstChunk);
  for (; chunk && chunk.type !== chunkTypes.IDAT; chunk = chunkAt(file, chunk.next)) {
    const { type, start, end } = chunk;
    if (type === chunkTypes.PLTE && colors.palette.length === 0) {
      colors.palette = file.subarray(start, end);
    } else if (type === chunkTypes.tRNS && colors.transparency.length === 0) {
      colors.transparency = file.subarray(start, end);
    }
  }
  return colors;
}
