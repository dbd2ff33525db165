import type { Inspection } from '../inspect/inspection.ts';
import type { Metadata } from '../metadata/metadata.ts';

/** What a file holds besides its pixels. */
export interface Appearance {
  /** ICC profile to carry, as raw, uncompressed bytes; null: none. */
  readonly icc: Uint8Array | null;
  /**
   * Blocks to carry, written as they are. An orientation is part of the EXIF block; AVIF shows a
   * picture by its own transforms and ignores it.
   */
  readonly metadata: Metadata;
}

/** The same for one container; `image` is what `inspect` says of `file`. */
export type Rewrapper = (
  image: Inspection,
  file: Uint8Array,
  appearance: Appearance,
) => Uint8Array<ArrayBuffer>;
