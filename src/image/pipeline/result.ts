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

/** Why a candidate failed. */
export type Failure =
  /** The picture is intact, but this candidate takes more memory than is available. */
  { readonly kind: 'impossible'; readonly refusal: Refusal } | Refusal;

/** The best result of all candidates. */
export interface Result {
  readonly kind: 'result';
  readonly type: ImageType;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Size in pixels as a viewer shows it. */
  readonly width: number;
  readonly height: number;
  /** The quality it was coded with; `original` if the coded picture is unchanged. */
  readonly quality: Finished['quality'];
  /**
   * SSIMULACRA2 score compared with the picture as it should look, rounded to one decimal; 100 if nothing visible has
   * changed; null if not measured.
   */
  readonly score: number | null;
  /** The format that is estimated to take fewer bytes at the same score; null if there is none. */
  readonly smallerAs: OutputType | null;
  /** Whether the source's gain map was kept; null if it has none. */
  readonly hdr: 'gain-map' | 'dropped' | null;
  /** How it was made: `raster` or `rows` (an encoder of pixels), `original`, or the name of a recoder. */
  readonly engine: string;
}

/**
 * @param image the source
 * @param isOpen whether no encoder quality was requested
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
    hdr: gainMapIn(candidate.type, bytes, image),
    engine: engine ?? engineOf(candidate, image),
  };
}

/** The score to report; null if a quality was requested or the score is unknown. */
function scoreOf(candidate: ResolvedCandidate, { quality, score }: Finished): number | null {
  if (typeof quality !== 'number') {
    if (!trialFormOf(candidate.type).asTranscoded) return 100;
    const kept = score ?? candidate.keptScore ?? null;
    return kept === null ? null : reportedScore(kept);
  }
  if (candidate.kind === 'passthrough' || !candidate.goal) return null;
  const known = score ?? foundScore(candidate, quality);
  return known === null ? null : reportedScore(known);
}

/** Rounds a SSIMULACRA2 score for reporting: one decimal, at most 100. */
export function reportedScore(score: number): number {
  return Math.round(10 * Math.min(score, 100)) / 10;
}

/** The score that the search expects. */
function foundScore({ type, found }: ResolvedCandidate, quality: number): number | null {
  const scale = scaleOf(type);
  return scale && found ? expectedScore(quality, scale, found.trials) : null;
}

/** Whether the source's gain map was kept, according to the headers of the result. */
function gainMapIn(type: ImageType, bytes: Uint8Array, image: Inspection): Result['hdr'] {
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

/** Name in the request log for how a candidate is made. */
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
