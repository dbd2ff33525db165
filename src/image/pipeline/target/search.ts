import { targetRange } from '../../metric/targets.ts';
import type { Slices } from '../../slices.ts';
import { type Curve, interpolated } from '../../wasm/memory-ledger.ts';

/** The outcome of encoding a sample at a quality. */
export interface Trial {
  readonly quality: number;
  /** SSIMULACRA2 score. */
  readonly score: number;
  /** Size of the encoded sample. */
  readonly bytes: number;
}

/** Encodes a sample at a quality. */
export type TryAt = (quality: number) => Slices<Trial>;

/** The part of an encoder's scale that is searched. */
export interface SearchedScale {
  /** Typical scores of photos by quality; scores between trials are interpolated on a curve of this shape. */
  readonly scores: Curve;
  readonly lowest: number;
  readonly highest: number;
  /** Qualities at which the encoder changes its method, so that scores jump. */
  readonly leaps: readonly number[];
}

/** The outcome of a search. */
export interface Found {
  readonly quality: number;
  /** Expected score at this quality. */
  readonly score: number;
  /** Whether even the highest quality scores below the target. */
  readonly isBeyond: boolean;
  readonly trials: readonly Trial[];
}

/** Trials are counted, not timed, because clocks stand still while a Worker computes. */
export const maxTrials = 6;

/**
 * Maximum distance from a trial, in points of the typical curve, at which an interpolated score is trusted; the second
 * one applies if the result will be scored.
 */
const trusted = 1.5;
export const trustedIfChecked = 5;

/** Maximum distance between two trials, in points, for interpolated scores to be trusted. */
const trustedSpan = 8;

/**
 * Finds the quality whose score is closest to a target: tries the one that the typical curve predicts, fits the curve
 * to the outcome, and repeats that until the predicted quality has been tried or is close to one that has.
 * @param how `most`: maximum number of trials; `near`: trusted distance in points of the typical curve
 */
export function* searchQuality(
  target: number,
  scale: SearchedScale,
  tryAt: TryAt,
  { most = maxTrials, near = trusted }: { readonly most?: number; readonly near?: number } = {},
): Slices<Found> {
  const trials: Trial[] = [];
  for (;;) {
    const quality = nearestQuality(target, scale, trials);
    const isKnown = isTrusted(quality, scale, trials, near);
    if (isKnown || trials.length === Math.min(most, maxTrials)) {
      const score = expectedScore(quality, scale, trials);
      return { quality, score, isBeyond: quality === scale.highest && score < target, trials };
    }
    trials.push(yield* tryAt(quality));
  }
}

/** Maximum distance to the target, in points, at which a trial is good enough. */
const nearEnough = 1.5;

/**
 * Finds the quality whose score is closest to a target among those that it tries; used for trials on the whole picture,
 * if scores are erratic.
 * @param near distance to the target at which a trial is good enough
 */
export function* searchTried(
  target: number,
  scale: SearchedScale,
  tryAt: TryAt,
  near = nearEnough,
): Slices<Found> {
  const first = yield* tryAt(nearestQuality(target, scale, []));
  const trials = [first];
  let best = first;
  while (Math.abs(best.score - target) > near && trials.length < maxTrials) {
    const tried = new Set(trials.map(({ quality }) => quality));
    const next = nearestQuality(target, scale, trials, tried);
    if (tried.has(next)) break;
    const trial = yield* tryAt(next);
    trials.push(trial);
    if (isBetter(trial, best, target)) best = trial;
  }
  const { quality, score } = best;
  return { quality, score, isBeyond: quality === scale.highest && score < target, trials };
}

/**
 * Whether one trial is better than another. If both exceed the target, or the shorter one also scores higher, the
 * shorter one is better; otherwise the one closer to the target.
 */
export function isBetter(one: Trial, other: Trial, target: number): boolean {
  const [shorter, longer] = one.bytes < other.bytes ? [one, other] : [other, one];
  if (shorter.score >= Math.min(target, longer.score)) return shorter === one;
  return Math.abs(one.score - target) < Math.abs(other.score - target);
}

/** The outcome of a search within a size limit. */
export interface FoundWithin extends Found {
  /** The quality that reaches the lowest target, below which no limit goes. */
  readonly floor: number;
}

/**
 * Finds the highest quality, up to a target, at which a sample fits into a number of bytes, and the lowest acceptable
 * quality, by trials that do not depend on the limit.
 */
export function* searchWithin(
  target: number,
  maxBytes: number,
  scale: SearchedScale,
  tryAt: TryAt,
): Slices<FoundWithin> {
  const known = new Map<number, Trial>();
  const tryOnce = function* (quality: number): Slices<Trial> {
    const trial = known.get(quality) ?? (yield* tryAt(quality));
    known.set(quality, trial);
    return trial;
  };
  const trials = [yield* tryOnce(nearestQuality(target, scale, []))];
  const fitting = () => {
    const most = nearestQuality(target, scale, trials);
    return finestWithin(maxBytes, { ...scale, highest: most }, bytesBy(trials));
  };
  const isTried = (quality: number, steps: number) =>
    trials.some((trial) => Math.abs(trial.quality - quality) <= steps);
  while (trials.length < maxTrials - 2 && !isTried(fitting(), 3)) {
    trials.push(yield* tryOnce(fitting()));
  }
  // The whole may be larger or smaller than the sample suggests; then neighboring qualities matter.
  const around = fitting();
  for (const step of [-spread, spread]) {
    const beside = Math.max(scale.lowest, Math.min(scale.highest, around + step));
    if (!isTried(beside, 4) && trials.length < maxTrials) trials.push(yield* tryOnce(beside));
  }
  const { quality: floor } = yield* searchQuality(targetRange.min, scale, tryOnce, {
    most: floorTrials,
  });
  const all = [...known.values()];
  const quality = Math.max(
    floor,
    finestWithin(maxBytes, { ...scale, highest: fitting() }, bytesBy(all)),
  );
  const score = expectedScore(quality, scale, all);
  const isBeyond = quality === scale.highest && score < target;
  return { quality, score, isBeyond, trials: all, floor };
}

/** Maximum number of trials for the lowest quality. */
const floorTrials = 3;

/** The size to aim at for a limit, so that the whole result rarely exceeds it. */
export function aimedBytes(limit: number): number {
  return 0.975 * limit;
}

/** Distance of the neighboring qualities that are tried. */
const spread = 9;

/** The highest quality that is expected to fit into a number of bytes; the lowest one if none does. */
export function finestWithin(
  maxBytes: number,
  { lowest, highest }: Pick<SearchedScale, 'lowest' | 'highest'>,
  bytesAt: (quality: number) => number,
): number {
  for (let quality = highest; quality > lowest; quality -= 1) {
    if (bytesAt(quality) <= maxBytes) return quality;
  }
  return lowest;
}

/** Returns a function for the expected size of the sample at a quality. */
function bytesBy(trials: readonly Trial[]): (quality: number) => number {
  return (quality) => expectedBytes(quality, trials);
}

function isTrusted(
  quality: number,
  scale: SearchedScale,
  all: readonly Trial[],
  near: number,
): boolean {
  const { scores } = scale;
  const trials = all.filter((trial) => isOnOneWay(trial.quality, quality, scale));
  const usual = interpolated(scores, quality);
  const isNear = trials.some(
    (trial) =>
      trial.quality === quality || Math.abs(interpolated(scores, trial.quality) - usual) <= near,
  );
  if (isNear) return true;
  const [below, above] = neighbours(quality, trials);
  return below !== undefined && above !== undefined && above.score - below.score <= trustedSpan;
}

/** Whether an encoder uses the same method at both qualities. */
function isOnOneWay(a: number, b: number, { leaps }: SearchedScale): boolean {
  return leaps.every((leap) => a < leap === b < leap);
}

/** The adjacent trials: at or below a quality, and at or above it. */
function neighbours(quality: number, trials: readonly Trial[]) {
  const sorted = [...trials].sort(byQuality);
  return [
    sorted.findLast((trial) => trial.quality <= quality),
    sorted.find((trial) => trial.quality >= quality),
  ] as const;
}

/**
 * The integer quality whose expected score is closest to the target.
 * @param others qualities to avoid, if there is an alternative
 */
export function nearestQuality(
  target: number,
  scale: SearchedScale,
  trials: readonly Trial[],
  others: ReadonlySet<number> = new Set(),
): number {
  let best = scale.lowest;
  let least = Number.POSITIVE_INFINITY;
  for (let quality = scale.lowest; quality <= scale.highest; quality += 1) {
    if (others.has(quality)) continue;
    const distance = Math.abs(expectedScore(quality, scale, trials) - target);
    if (distance < least) [best, least] = [quality, distance];
  }
  return best;
}

/** The expected score at a quality, on the typical curve fitted through the trials. */
export function expectedScore(
  quality: number,
  scale: SearchedScale,
  all: readonly Trial[],
): number {
  const { scores } = scale;
  const near = all.filter((trial) => isOnOneWay(trial.quality, quality, scale));
  const trials = near.length > 0 ? near : all;
  const usual = (at: number) => interpolated(scores, at);
  const [below, above] = neighbours(quality, trials);
  const one = below ?? above;
  if (!one) return usual(quality);
  const other = below && above ? above : nextTo(one, trials);
  const [from, to] = [usual(one.quality), other ? usual(other.quality) : 0];
  const slope = other && to !== from ? (other.score - one.score) / (to - from) : 1;
  const isBetween = below !== undefined && above !== undefined;
  const likely = isBetween ? slope : Math.max(minSlope, Math.min(maxSlope, slope));
  return one.score + likely * (usual(quality) - from);
}

/** Bounds of the slope with which the fitted curve is extrapolated, relative to the typical curve. */
const minSlope = 0.5;
const maxSlope = 2;

function nextTo({ quality }: Trial, trials: readonly Trial[]): Trial | undefined {
  const others = trials.filter((trial) => trial.quality !== quality);
  const distance = (trial: Trial) => Math.abs(trial.quality - quality);
  return others.sort((a, b) => distance(a) - distance(b))[0];
}

/** Expected bytes at a quality: interpolated exponentially between trials, and extrapolated beyond them. */
export function expectedBytes(quality: number, trials: readonly Trial[]): number {
  const sorted = [...trials].sort(byQuality);
  const [first] = sorted;
  if (!first) return Number.NaN;
  if (sorted.length === 1) return first.bytes * usualGrowth ** (quality - first.quality);
  const above = sorted.findIndex((trial) => trial.quality >= quality);
  const at = above < 0 ? sorted.length - 1 : Math.max(1, above);
  const [low, high] = [sorted[at - 1] ?? first, sorted[at] ?? first];
  const steps = high.quality - low.quality;
  const growth = steps > 0 ? (high.bytes / low.bytes) ** (1 / steps) : usualGrowth;
  return low.bytes * growth ** (quality - low.quality);
}

/** Growth of the size per quality step, if nothing else is known. */
const usualGrowth = 1.03;

function byQuality(a: Trial, b: Trial): number {
  return a.quality - b.quality;
}
