import {
  formatFacts,
  type ImageType,
  isMeantByWildcard,
  type OutputType,
} from '../formats/facts.ts';
import type { Quality } from '../formats/inspection.ts';
import type { MetadataLevel } from '../metadata/carried.ts';

/** Options of a request; the defaults are those of the API. */
export interface OptimizeOptions {
  readonly format: 'keep' | 'auto' | OutputType;
  readonly quality: 'auto' | Quality;
  /** Quality of a PNG if `quality` is `auto` for other formats; null for `auto`. */
  readonly pngQuality: number | null;
  /**
   * Requested SSIMULACRA2 score, 30 to 95; null for that of `quality=auto`, which is a minimum if `maxBytes` is given.
   * Null with any other quality.
   */
  readonly target: number | null;
  /** Maximum size of the result in bytes, including metadata; null for no limit. Null unless quality is `auto`. */
  readonly maxBytes: number | null;
  /** Maximum or, with `fit: 'cover'`, exact size in pixels of the upright picture; null for no limit. */
  readonly width: number | null;
  readonly height: number | null;
  readonly fit: 'inside' | 'cover';
  readonly metadata: MetadataLevel;
  /** `first`: only the first picture of an animation, as a still. */
  readonly animation: 'keep' | 'first';
  /** Whether a JPEG that stays one keeps its gain map. */
  readonly hdr: 'keep' | 'drop';
  /** RGB bytes of the color behind transparent pixels, for formats without transparency. */
  readonly background: readonly [number, number, number] | null;
  /** Whether `background` is applied to stills in all formats, so that the result is opaque. */
  readonly flattens: boolean;
  /** Types that the client accepts; `format=auto` chooses among them. */
  readonly accept: ReadonlySet<ImageType>;
  /**
   * The types that `format=auto` chooses among, regardless of `accept`; null for the source's own and the automatic
   * ones. Not empty; types that the picture cannot be converted to are skipped.
   */
  readonly among: ReadonlySet<OutputType> | null;
}

/** Accepted types if the client states none: all that a wildcard means. */
export const anyType: ReadonlySet<ImageType> = new Set(
  formatFacts.filter(isMeantByWildcard).map(({ type }) => type),
);

export const defaultOptions = {
  format: 'keep',
  quality: 'auto',
  pngQuality: null,
  target: null,
  maxBytes: null,
  width: null,
  height: null,
  fit: 'inside',
  metadata: 'none',
  animation: 'keep',
  hdr: 'keep',
  background: null,
  flattens: false,
  accept: anyType,
  among: null,
} as const satisfies OptimizeOptions;
