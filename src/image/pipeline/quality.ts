import type { Coding } from '../formats/coding.ts';
import type { ImageType, OutputType } from '../formats/facts.ts';
import type { Inspection, Quality } from '../formats/inspection.ts';
import { formatOf, outputFormat } from '../formats/registry.ts';
import { namedTargets, targetRange } from '../metric/targets.ts';
import { type Curve, interpolated } from '../wasm/memory-ledger.ts';
import type { OptimizeOptions } from './options.ts';

/** What is looked for when nobody has asked for a quality of the encoder. */
export interface Sought {
  /** SSIMULACRA2 against the picture as it should look. */
  readonly target: number;
  /** Bytes that the result may have; null: any number. */
  readonly maxBytes: number | null;
}

/** The quality that options ask for in a format; null: they leave it open. */
export function askedQuality(
  type: ImageType,
  { quality, pngQuality }: OptimizeOptions,
): Quality | null {
  if (quality !== 'auto') return quality;
  return type === 'png' ? pngQuality : null;
}

/** What options ask for where they leave the quality open: as much as can be had where only the bytes are limited. */
export function soughtBy({ target, maxBytes }: OptimizeOptions): Sought {
  const usual = maxBytes === null ? namedTargets.medium : targetRange.max;
  return { target: target ?? usual, maxBytes };
}

/**
 * The target for a picture that is decoded and encoded: no more than what a JPEG still has to give. Reduced to less
 * than half of its sides its damage is gone, and the reduced picture has all the detail that its size can hold.
 * Where quality is not about detail, that of the JPEG has no part in it.
 * @param reduction side of the result over side of the source
 */
export function cappedTarget(
  sought: Sought,
  type: OutputType,
  image: Inspection,
  reduction: number,
): Sought {
  if (outputFormat(type).facts.output.quality.scores === null) return sought;
  const jpegQuality = formatOf(image).read.jpegQuality?.(image);
  if (jpegQuality === undefined || reduction < 0.5) return sought;
  const own = interpolated(outputFormat('jpeg').facts.output.quality.scores ?? [], jpegQuality);
  return { ...sought, target: Math.min(sought.target, Math.max(targetRange.min, own)) };
}

/** The quality with which photos reach a target as a rule: with it a search begins, and a plan counts. */
export function usualQuality(type: OutputType, target: number): number {
  const byScore = scoresOf(type).map(([quality, score]) => [score, quality] as const);
  return Math.round(interpolated(byScore, target));
}

/** The score that a quality stands for as a rule. */
export function usualScore(type: OutputType, quality: number): number {
  return interpolated(scoresOf(type), quality);
}

function scoresOf(type: OutputType): Curve {
  const scale = outputFormat(type).facts.output.quality;
  return scale.scores ?? scale.targets;
}

/** Points by which a result may miss its target that cannot be brought nearer to it. */
const tolerance = 2;

/** The score that will do for what passes or does not, where nothing lies between (`Coding.minScore`). */
export function sufficientScore(target: number): number {
  return target - tolerance;
}

/** What a picture that is decoded and encoded as `type` is coded with, as far as can be said before it is tried. */
export function plannedQuality(type: OutputType, image: Inspection, { target }: Sought): Quality {
  return outputFormat(type).write.automaticQuality?.(image) ?? usualQuality(type, target);
}

/** What a candidate of this quality looks for, if anything: what is kept without loss may still be too long. */
export function soughtAt(
  quality: Quality,
  sought: Sought | null,
): Pick<Coding, 'minScore'> & { sought?: Sought } {
  if (!sought || (quality === 'lossless' && sought.maxBytes === null)) return {};
  return { sought, minScore: sufficientScore(sought.target) };
}
