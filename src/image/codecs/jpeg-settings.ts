/** How a JPEG is written. */
export interface JpegSettings {
  /** 1–100, libjpeg's scale. */
  readonly quality: number;
  /** One component instead of three. */
  readonly grey: boolean;
  /** Sequential: somewhat more bytes, but no scans to keep while the best are sought. */
  readonly lowMemory?: boolean;
}
