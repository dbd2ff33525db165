import type { ImageType } from '../inspect/inspection.ts';
import type { Quality } from '../options.ts';

/** What a raster is to be coded as. */
export interface Coding {
  readonly type: ImageType;
  readonly quality: Quality;
  /** Colours that nobody sees, under full transparency, are kept as well. */
  readonly exact: boolean;
  /** Profile for the result; null: sRGB. */
  readonly icc: Uint8Array | null;
  /** JPEG of one component. */
  readonly grey: boolean;
}
