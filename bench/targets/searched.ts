import type { OutputType } from '../../src/image/formats/facts.ts';
import { scaleOf } from '../../src/image/pipeline/target/scale.ts';
import { type Optimized, optimized } from '../service/in-process.ts';
import type { Query } from '../service/memory/configurations.ts';
import { queryFor, type Subject } from './subjects.ts';
import { wholeScore } from './whole-score.ts';

/** A result, and how it looks as a whole. */
export interface Scored {
  readonly name: string;
  /** The source is one. */
  readonly isJpeg: boolean;
  readonly format: OutputType;
  readonly bytes: number;
  readonly quality: Optimized['result']['quality'];
  /** SSIMULACRA2 of the whole. */
  readonly score: number;
  /** `Image-Score`; null: it was not measured. */
  readonly told: number | null;
  /** `Image-Smaller-As`; null: nothing was told. */
  readonly smallerAs: OutputType | null;
  /** The target that holds for this picture, where candidates were given one: that of a poor JPEG is capped. */
  readonly aim: number | null;
  readonly cpuMs: number;
}

/** Asks for a format of a picture; null where that is refused. */
export function scoredResult({ file }: Subject, format: OutputType, goal: Query): Scored | null {
  const answer = optimized(file.bytes, queryFor(format, goal));
  if (answer.kind !== 'optimized') return null;
  const { source, result, candidates, cpuMs } = answer;
  const aims = candidates.flatMap((one) => ('sought' in one && one.sought ? [one.sought] : []));
  return {
    name: file.name,
    isJpeg: source.image.type === 'jpeg',
    format,
    bytes: result.bytes.length,
    quality: result.quality,
    score: wholeScore(file.bytes, result.bytes),
    told: result.score,
    smallerAs: result.smallerAs,
    aim: aims.length > 0 ? Math.min(...aims.map(({ target }) => target)) : null,
    cpuMs,
  };
}

/**
 * How a result came about: by a search within the lossy scale, or with what searches have no say in.
 */
export type Way =
  | 'searched'
  /** Pixels or coefficients are what they were. */
  | 'exact'
  /** The number of colours is what counts, not the detail. */
  | 'palette'
  /** The source is a JPEG that has less to give than the target. */
  | 'capped'
  /** The lossy scale goes no further. */
  | 'end of the scale';

export function wayOf({ format, quality, aim }: Scored, target: number): Way {
  if (typeof quality !== 'number') return 'exact';
  const scale = scaleOf(format, target);
  if (!scale) return 'palette';
  if (aim !== null && aim < target) return 'capped';
  const isInside = quality > scale.lowest && quality < scale.highest;
  return isInside ? 'searched' : 'end of the scale';
}
