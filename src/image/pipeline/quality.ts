import type { Coding } from '../formats/coding.ts';
import type { ImageType, OutputType } from '../formats/facts.ts';
import type { Inspection, Quality } from '../formats/inspection.ts';
import { formatOf, outputFormat } from '../formats/registry.ts';
import { namedTargets, targetRange } from '../metric/targets.ts';
import { type Curve, interpolated } from '../wasm/memory-ledger.ts';
import type { OptimizeOptions } from './options.ts';

/** What a search for a quality aims at, if no encoder quality is requested. */
export interface Goal {
  /** SSIMULACRA2 score compared with the picture as it should look. */
  readonly target: number;
  /** Maximum size of the result in bytes; null for no limit. */
  readonly maxBytes: number | null;
}

/** The quality that the options request for a format; null if they leave it open. */
export function requestedQuality(
  type: ImageType,
  { quality, pngQuality }: OptimizeOptions,
): Quality | null {
  if (quality !== 'auto') return quality;
  return type === 'png' ? pngQuality : null;
}

/** The goal if the options leave the quality open: the best possible score if only the size is limited. */
export function goalOf({ target, maxBytes }: OptimizeOptions): Goal {
  const usual = maxBytes === null ? namedTargets.medium : targetRange.max;
  return { target: target ?? usual, maxBytes };
}

/**
 * The lowest target that a coarse source causes: a result shows its own loss in addition to that of the source, and must
 * not be visibly worse. Results that are one point off still have `namedTargets.low`.
 */
const lowestCap = namedTargets.low + 1;

/**
 * The goal for a picture that is decoded and encoded, limited to the quality that a source JPEG still has, but not below
 * `lowestCap`. After a reduction to less than half its width and height, its artifacts are gone, and there is no such
 * limit; nor is there one if quality does not determine detail.
 * @param reduction width of the result divided by that of the source
 */
export function cappedTarget(
  goal: Goal,
  type: OutputType,
  image: Inspection,
  reduction: number,
): Goal {
  if (outputFormat(type).facts.output.quality.scores === null) return goal;
  const jpegQuality = formatOf(image).read.jpegQuality?.(image);
  if (jpegQuality === undefined || reduction < 0.5) return goal;
  const own = interpolated(outputFormat('jpeg').facts.output.quality.scores ?? [], jpegQuality);
  return { ...goal, target: Math.min(goal.target, Math.max(lowestCap, own)) };
}

/** The quality at which photos typically reach a target: the start of a search, and the basis of a plan. */
export function usualQuality(type: OutputType, target: number): number {
  const byScore = scoresOf(type).map(([quality, score]) => [score, quality] as const);
  return Math.round(interpolated(byScore, target));
}

/** The typical score at a quality. */
export function usualScore(type: OutputType, quality: number): number {
  return interpolated(scoresOf(type), quality);
}

function scoresOf(type: OutputType): Curve {
  const scale = outputFormat(type).facts.output.quality;
  return scale.scores ?? scale.targets;
}

/** Tolerance in points for a result that cannot be adjusted in small steps. */
const tolerance = 2;

/** The minimum score in an all-or-nothing decision (`Coding.minScore`). */
export function sufficientScore(target: number): number {
  return target - tolerance;
}

/** The quality for encoding a picture as `type`, as far as it can be predicted without trials. */
export function plannedQuality(type: OutputType, image: Inspection, { target }: Goal): Quality {
  return outputFormat(type).write.automaticQuality?.(image) ?? usualQuality(type, target);
}

/** The goal of a candidate of this quality, if any; even a lossless result may be too long. */
export function goalAt(
  quality: Quality,
  goal: Goal | null,
): Pick<Coding, 'minScore'> & { goal?: Goal } {
  if (!goal || (quality === 'lossless' && goal.maxBytes === null)) return {};
  return { goal, minScore: sufficientScore(goal.target) };
}
