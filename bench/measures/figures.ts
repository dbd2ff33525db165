type Maybe = number | undefined;

/** A cell of a table with so many digits after the point. */
export function figure(value: Maybe, digits = 0): string {
  return value === undefined || Number.isNaN(value) ? '–' : value.toFixed(digits);
}

/** Bytes as a cell in MiB. */
export function mebibytes(bytes: Maybe): string {
  return figure(bytes === undefined ? undefined : bytes / 2 ** 20, 1);
}

/** Pixels in millions. */
export function megapixels({ width, height }: { width: number; height: number }): number {
  return (width * height) / 1e6;
}
