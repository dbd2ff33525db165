import type { ImageType, OutputType } from '../formats/facts.ts';
import type { Finished } from '../formats/format.ts';
import type { Inspection } from '../formats/inspection.ts';
import { formatOf, recoderFor, trialFormOf, uprightSize } from '../formats/registry.ts';
import { turnedSize } from '../pixels/orientation.ts';
import type { Refusal } from '../refusal.ts';
import type { Candidate } from './candidates.ts';
import { type ResolvedCandidate, smallerAs } from './target/resolve.ts';
import { scaleOf } from './target/scale.ts';
import { expectedScore } from './target/search.ts';

/** Why a candidate came to nothing. */
export type Failure =
  /** The picture is sound, but made like this it takes more memory than there is. */
  { readonly kind: 'impossible'; readonly refusal: Refusal } | Refusal;

/** The smallest picture that the candidates came to. */
export interface Result {
  readonly kind: 'result';
  readonly type: ImageType;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** In pixels, as a viewer shows it. */
  readonly width: number;
  readonly height: number;
  /** What it was written with; `original` when its coded picture was not touched. */
  readonly quality: Finished['quality'];
  /** SSIMULACRA2 against the picture as it should look, one decimal, 100 where nothing that is seen has changed; null: it was not measured. */
  readonly score: number | null;
  /** The format that is estimated to take fewer bytes at the same score; null: none is. */
  readonly smallerAs: OutputType | null;
  /** What became of the source's gain map; null: it has none. */
  readonly gainMap: 'gain-map' | 'dropped' | null;
  /** What made it: `raster` or `rows` (an encoder of pixels), `original`, or the name of a recoder. */
  readonly engine: string;
}

/**
 * @param image the source
 * @param isOpen no quality of the encoder was asked for
 */
export function resultOf(
  candidate: ResolvedCandidate,
  finished: Finished,
  image: Inspection,
  isOpen: boolean,
): Result {
  const { bytes, quality, engine } = finished;
  return {
    kind: 'result',
    type: candidate.type,
    bytes,
    ...shownSize(candidate, image),
    quality,
    score: isOpen && image.frames === 1 ? scoreOf(candidate, finished) : null,
    smallerAs: typeof quality === 'number' ? smallerAs(candidate, quality) : null,
    gainMap: gainMapIn(candidate.type, bytes, image),
    engine: engine ?? engineOf(candidate, image),
  };
}

/** Null where a quality was asked for, or nothing is known. */
function scoreOf(candidate: ResolvedCandidate, { quality, score }: Finished): number | null {
  if (typeof quality !== 'number') {
    if (!trialFormOf(candidate.type).asTranscoded) return 100;
    const kept = score ?? candidate.keptScore ?? null;
    return kept === null ? null : toldScore(kept);
  }
  if (candidate.kind === 'passthrough' || !candidate.sought) return null;
  const known = score ?? foundScore(candidate, quality);
  return known === null ? null : toldScore(known);
}

/** SSIMULACRA2 as it is told: one decimal, at most 100. */
export function toldScore(score: number): number {
  return Math.round(10 * Math.min(score, 100)) / 10;
}

/** What the search expects. */
function foundScore({ type, found }: ResolvedCandidate, quality: number): number | null {
  const scale = scaleOf(type);
  return scale && found ? expectedScore(quality, scale, found.trials) : null;
}

/** What became of the source's gain map, as reading the result's headers tells. */
function gainMapIn(type: ImageType, bytes: Uint8Array, image: Inspection): Result['gainMap'] {
  if (image.gainMap === undefined) return null;
  if (type !== image.type) return 'dropped';
  const result = formatOf(image).read.inspect(bytes);
  const isThere = result.kind === 'image' && result.image.gainMap !== undefined;
  return isThere ? 'gain-map' : 'dropped';
}

function shownSize(candidate: Candidate, image: Inspection): { width: number; height: number } {
  if (candidate.kind !== 'encode' || !candidate.pixels.target) return uprightSize(image);
  const { target, turn } = candidate.pixels;
  return turnedSize(target, turn === 1 ? image.orientation : turn);
}

/** What the log calls the maker of a candidate. */
function engineOf({ kind, type }: Candidate, image: Inspection): string {
  switch (kind) {
    case 'recode':
      return recoderFor(image, type)?.engine ?? kind;
    case 'encode':
      return 'raster';
    case 'passthrough':
      return 'original';
  }
}
