import type { OutputType } from '../../src/image/formats/facts.ts';
import { scaleOf } from '../../src/image/pipeline/target/scale.ts';
import { type Optimized, optimized } from '../service/in-process.ts';
import type { Query } from '../service/memory/configurations.ts';
import { queryFor, type Subject } from './subjects.ts';
import { wholeScore } from './whole-score.ts';

/** A result with its score as a whole. */
export interface Scored {
  readonly name: string;
  /** Whether the source is a JPEG. */
  readonly isJpeg: boolean;
  readonly format: OutputType;
  readonly bytes: number;
  readonly quality: Optimized['result']['quality'];
  /** SSIMULACRA2 of the whole picture. */
  readonly score: number;
  /** `Image-Score`; null if it was not measured. */
  readonly imageScore: number | null;
  /** `Image-Smaller-As`; null if absent. */
  readonly smallerAs: OutputType | null;
  /** The target that applies to this picture, which is lower for a poor JPEG; null if no candidate has a target. */
  readonly aim: number | null;
  readonly cpuMs: number;
}

/** Requests a format of a picture; returns null if it is refused. */
export function scoredResult({ file }: Subject, format: OutputType, goal: Query): Scored | null {
  const answer = optimized(file.bytes, queryFor(format, goal));
  if (answer.kind !== 'optimized') return null;
  const { source, result, candidates, cpuMs } = answer;
  const aims = candidates.flatMap((one) => ('goal' in one && one.goal ? [one.goal] : []));
  return {
    name: file.name,
    isJpeg: source.image.type === 'jpeg',
    format,
    bytes: result.bytes.length,
    quality: result.quality,
    score: wholeScore(file.bytes, result.bytes),
    imageScore: result.score,
    smallerAs: result.smallerAs,
    aim: aims.length > 0 ? Math.min(...aims.map(({ target }) => target)) : null,
    cpuMs,
  };
}

/** How the quality of a result was determined: by a search within the lossy scale, or by something else. */
export type Way =
  | 'searched'
  /** Pixels or coefficients are unchanged. */
  | 'exact'
  /** The number of colors determines the quality, not the detail. */
  | 'palette'
  /** The source is a JPEG whose quality is below the target. */
  | 'capped'
  /** The end of the lossy scale was reached. */
  | 'end of the scale';

export function wayOf({ format, quality, aim }: Scored, target: number): Way {
  if (typeof quality !== 'number') return 'exact';
  const scale = scaleOf(format, target);
  if (!scale) return 'palette';
  if (aim !== null && aim < target) return 'capped';
  const isInside = quality > scale.lowest && quality < scale.highest;
  return isInside ? 'searched' : 'end of the scale';
}
