/** Effort of the writer (assembly/deflate/efforts.ts) for so many bytes of rows. */
export function effortFor(rowBytes: number, height: number): number {
  const bytes = rowBytes * height;
  if (bytes <= 2 ** 20) return 2;
  return bytes <= 2 ** 23 ? 1 : 0;
}

/** Rows of a band (assembly/filters/bands.ts). */
const bandBytes = 196_608;
const mostBandRows = 4096;

/** What filtering and deflating take beside their result, in bytes, whatever the height (assembly/writer.ts). */
export function writerBytes(rowBytes: number): number {
  const rows = Math.max(1, Math.min(mostBandRows, Math.floor(bandBytes / (rowBytes + 1))));
  return 3_180_000 + (rowBytes + 16) * (rows + 1) + 2 * rows * (rowBytes + 1) + 2 * rows;
}
