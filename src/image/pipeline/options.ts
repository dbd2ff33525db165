import {
  formatFacts,
  type ImageType,
  isAcceptedByName,
  type OutputType,
} from '../formats/facts.ts';
import type { Quality } from '../formats/inspection.ts';
import type { MetadataLevel } from '../metadata/carried.ts';

/** What the caller wants done; the defaults are those of the contract. */
export interface OptimizeOptions {
  readonly format: 'keep' | 'auto' | OutputType;
  readonly quality: 'auto' | Quality;
  /** The quality of a PNG where `quality` is `auto` for other formats; null: `auto` as well. */
  readonly pngQuality: number | null;
  /** SSIMULACRA2 that the result shall have, 30 to 95; null: what `quality=auto` means, or no less than that where `maxBytes` is given. Null with any other quality. */
  readonly target: number | null;
  /** Bytes that the result may have, metadata included; null: any number. Null with any quality but `auto`. */
  readonly maxBytes: number | null;
  /** In pixels of the upright picture. */
  readonly width: number | null;
  readonly height: number | null;
  readonly fit: 'inside' | 'cover';
  readonly metadata: MetadataLevel;
  /** Of an animation nothing but its first picture, as a still. */
  readonly animation: 'keep' | 'first';
  /** What becomes of a gain map in a JPEG that stays one. */
  readonly hdr: 'keep' | 'drop';
  /** RGB bytes to lay transparent pictures on when they become JPEG. */
  readonly background: readonly [number, number, number] | null;
  /** `background` lies behind the transparent pixels of a still in any format, and nothing of the result is transparent. */
  readonly flattens: boolean;
  /** Types that the caller can show; `format=auto` chooses among them. */
  readonly accept: ReadonlySet<ImageType>;
  /**
   * The only types that `format=auto` chooses among, whatever `accept` says; null: the source's own and the automatic
   * ones. At least one; those that the picture cannot become are left out.
   */
  readonly among: ReadonlySet<OutputType> | null;
}

/** What can be shown when nothing is said about it: every type that need not be named. */
export const anyType: ReadonlySet<ImageType> = new Set(
  formatFacts.filter((facts) => !isAcceptedByName(facts)).map(({ type }) => type),
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
