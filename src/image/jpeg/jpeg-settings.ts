/** How a JPEG is written. */
export interface JpegSettings {
  /** 1–100: as much like the original as libjpeg's result of the same number. */
  readonly quality: number;
  /** One component instead of three. */
  readonly grey: boolean;
  /** Coefficients are made again for each scan instead of being kept: somewhat more bytes, and time. */
  readonly lowMemory?: boolean;
}
