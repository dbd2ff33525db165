/** Effort of the writer for so many bytes of rows: small pictures get more than large ones. */
export function effortFor(rowBytes: number, height: number): number {
  return rowBytes * height <= 2 ** 20 ? 2 : 1;
}

/** What filtering and deflating take beside their result, in bytes. */
export function writerBytes(rowBytes: number): number {
  return 4 * 2 ** 20 + 16 * rowBytes;
}
