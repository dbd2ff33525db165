import { type ImageType, imageTypes } from '../formats/format.ts';
import type { Metadata } from '../metadata/metadata.ts';

/** `lossless` keeps every decoded sample; a number is on the scale of the encoder. */
export type Quality = 'lossless' | number;

/** What the caller wants done; the defaults are those of the contract. */
export interface OptimizeOptions {
  readonly format: 'keep' | 'auto' | ImageType;
  readonly quality: 'auto' | Quality;
  /** In pixels of the upright picture. */
  readonly width: number | null;
  readonly height: number | null;
  readonly fit: 'inside' | 'cover';
  readonly metadata: 'none' | 'copyright' | 'all';
  /** RGB bytes to lay transparent pictures on when they become JPEG. */
  readonly background: readonly [number, number, number] | null;
  /** Types that the caller can show; `format=auto` chooses among them. */
  readonly accept: ReadonlySet<ImageType>;
}

/** Every type: what can be shown when nothing is said about it. */
export const anyType: ReadonlySet<ImageType> = new Set(imageTypes);

export const defaultOptions: OptimizeOptions = {
  format: 'keep',
  quality: 'auto',
  width: null,
  height: null,
  fit: 'inside',
  metadata: 'none',
  background: null,
  accept: anyType,
};

/** What of a source's metadata goes on. */
export interface Keeping {
  readonly level: OptimizeOptions['metadata'];
  /** All that the source has. */
  readonly metadata: Metadata;
}
