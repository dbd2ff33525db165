import type { Inspection, Orientation } from '../inspect/inspection.ts';

/** What a file says besides its pixels about how they are shown. */
export interface Appearance {
  /** ICC profile to carry, as raw, uncompressed bytes; null: none. */
  readonly icc: Uint8Array | null;
  /** EXIF orientation to carry; 1 writes nothing. AVIF has its own transforms and ignores it. */
  readonly orientation: Orientation;
}

/** The same for one container; `image` is what `inspect` says of `file`. */
export type Rewrapper = (
  image: Inspection,
  file: Uint8Array,
  appearance: Appearance,
) => Uint8Array<ArrayBuffer>;
