/** The data of a PNG picture as it is written: rows in, a zlib stream out (PNG third edition §10). */
import { allocateCompressor, beginStream, endStream, streamLength } from './deflate/compressor';
import { allocateBands, finishBand, takeRow } from './filters/bands';

export { outputAt } from './deflate/bit-output';
export { limitFilters } from './filters/bands';

/**
 * Begins a picture; nothing may be allocated until its stream has been taken. With
 * r = max(1, min(4096, ⌊196,608 ÷ (rowBytes + 1)⌋)) rows in a band it takes at most
 * 3,180,000 + (rowBytes + 16)(r + 1) + 2r(rowBytes + 1) + 2r bytes, and the stream's: no more
 * than 4 MiB for rows of up to 240 KiB.
 * @param rowBytes of a packed row without its filter
 * @param step bytes of a whole pixel, 1 for less than 8 bits, at most 8
 * @param effort 0 to 2, for large, middling and small pictures: see deflate/efforts.ts
 * @param most bytes that the stream may have, or as many as there is room for
 * @returns false where there is no room
 */
export function beginWriter(rowBytes: i32, step: i32, effort: i32, most: i32): bool {
  return allocateBands(rowBytes, step) && allocateCompressor() && beginStream(effort, most);
}

/** Takes a row, which is copied; false when the stream has outgrown what it may have: nothing is done from then on. */
export function writeRow(row: usize): bool {
  return takeRow(row);
}

/** Ends the picture; the length of its stream in bytes, or 0 when it has outgrown what it may have. */
export function endWriter(): i32 {
  return finishBand() && endStream() ? streamLength() : 0;
}
