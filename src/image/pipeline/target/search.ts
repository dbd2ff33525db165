import { targetRange } from '../../metric/targets.ts';
import { type Curve, interpolated } from '../../wasm/memory-ledger.ts';

/** What came of coding a sample of a picture at a quality. */
export interface Trial {
  readonly quality: number;
  /** SSIMULACRA2. */
  readonly score: number;
  /** Of the sample as it was coded. */
  readonly bytes: number;
}

/** The part of an encoder's scale that is searched. */
export interface SearchedScale {
  /** Scores that photos get as a rule, by quality: what lies between two trials is found on a curve of this shape. */
  readonly scores: Curve;
  readonly lowest: number;
  readonly highest: number;
  /** Qualities from which on the encoder goes another way, so that scores leap there. */
  readonly leaps: readonly number[];
}

/** What a search has come to. */
export interface Found {
  readonly quality: number;
  /** Expected of it. */
  readonly score: number;
  /** Even the highest quality scores less than the target. */
  readonly isBeyond: boolean;
  readonly trials: readonly Trial[];
}

/** Trials are counted, not timed: clocks stand still while a Worker computes. */
export const maxTrials = 6;

/** How far from a trial, in points of the usual curve, a score is trusted that was not tried; and where it will be checked. */
const trusted = 1.5;
export const trustedIfChecked = 5;

/** How far two trials may be from each other, in points, for what lies between them to be trusted. */
const trustedSpan = 8;

/**
 * Finds the quality whose score is nearest to a target: tries the one that the usual curve says, shifts the curve by
 * what came of it, and goes on from there until what is next has been tried, or is near to what has been.
 * @param how `most`: trials; `near`: points of the usual curve
 */
export function searchQuality(
  target: number,
  scale: SearchedScale,
  tryAt: (quality: number) => Trial,
  { most = maxTrials, near = trusted }: { readonly most?: number; readonly near?: number } = {},
): Found {
  const trials: Trial[] = [];
  for (;;) {
    const quality = nearestQuality(target, scale, trials);
    const isKnown = isTrusted(quality, scale, trials, near);
    if (isKnown || trials.length === Math.min(most, maxTrials)) {
      const score = expectedScore(quality, scale, trials);
      return { quality, score, isBeyond: quality === scale.highest && score < target, trials };
    }
    trials.push(tryAt(quality));
  }
}

/** Points by which a trial may be off its target and is good enough. */
const nearEnough = 1.5;

/**
 * Finds the quality whose score is nearest to a target among those that it tries: for trials of the whole, where scores leap
 * from one quality to the next.
 */
export function searchTried(
  target: number,
  scale: SearchedScale,
  tryAt: (quality: number) => Trial,
): Found {
  const first = tryAt(nearestQuality(target, scale, []));
  const trials = [first];
  let best = first;
  while (Math.abs(best.score - target) > nearEnough && trials.length < maxTrials) {
    const tried = new Set(trials.map(({ quality }) => quality));
    const next = nearestQuality(target, scale, trials, tried);
    if (tried.has(next)) break;
    const trial = tryAt(next);
    trials.push(trial);
    if (isBetter(trial, best, target)) best = trial;
  }
  const { quality, score } = best;
  return { quality, score, isBeyond: quality === scale.highest && score < target, trials };
}

/** Of two that look better than they shall, or of which one is shorter and looks better, the shorter one is; else the one that is nearer. */
export function isBetter(one: Trial, other: Trial, target: number): boolean {
  const [shorter, longer] = one.bytes < other.bytes ? [one, other] : [other, one];
  if (shorter.score >= Math.min(target, longer.score)) return shorter === one;
  return Math.abs(one.score - target) < Math.abs(other.score - target);
}

/** What a search within a limit of bytes has come to. */
export interface FoundWithin extends Found {
  /** The quality that scores as the lowest target: whatever the limit is, this is as low as it goes. */
  readonly floor: number;
}

/**
 * Finds the finest quality, up to a target, at which a sample has no more than so many bytes; and the lowest one that
 * comes into question, by trials that do not depend on the limit.
 */
export function searchWithin(
  target: number,
  maxBytes: number,
  scale: SearchedScale,
  tryAt: (quality: number) => Trial,
): FoundWithin {
  const known = new Map<number, Trial>();
  const tryOnce = (quality: number) => {
    const trial = known.get(quality) ?? tryAt(quality);
    known.set(quality, trial);
    return trial;
  };
  const trials = [tryOnce(nearestQuality(target, scale, []))];
  const fitting = () => {
    const most = nearestQuality(target, scale, trials);
    return finestWithin(maxBytes, { ...scale, highest: most }, bytesBy(trials));
  };
  const isTried = (quality: number, steps: number) =>
    trials.some((trial) => Math.abs(trial.quality - quality) <= steps);
  while (trials.length < maxTrials - 2 && !isTried(fitting(), 3)) trials.push(tryOnce(fitting()));
  // the whole has more or fewer bytes than a sample says: then what lies around decides
  const around = fitting();
  for (const step of [-spread, spread]) {
    const beside = Math.max(scale.lowest, Math.min(scale.highest, around + step));
    if (!isTried(beside, 4) && trials.length < maxTrials) trials.push(tryOnce(beside));
  }
  const { quality: floor } = searchQuality(targetRange.min, scale, tryOnce, { most: floorTrials });
  const all = [...known.values()];
  const quality = Math.max(
    floor,
    finestWithin(maxBytes, { ...scale, highest: fitting() }, bytesBy(all)),
  );
  const score = expectedScore(quality, scale, all);
  const isBeyond = quality === scale.highest && score < target;
  return { quality, score, isBeyond, trials: all, floor };
}

/** For the lowest quality. */
const floorTrials = 3;

/** Of a limit of bytes, what is aimed at, so that the whole seldom passes it. */
export function aimedBytes(limit: number): number {
  return 0.975 * limit;
}

/** In steps of quality. */
const spread = 9;

/** The finest quality that is expected to have no more than so many bytes; the lowest where none is. */
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

/** Of a sample. */
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

/** Whether an encoder goes the same way at both qualities. */
function isOnOneWay(a: number, b: number, { leaps }: SearchedScale): boolean {
  return leaps.every((leap) => a < leap === b < leap);
}

/** The trials next to a quality, at or below it and at or above it. */
function neighbours(quality: number, trials: readonly Trial[]) {
  const sorted = [...trials].sort(byQuality);
  return [
    sorted.findLast((trial) => trial.quality <= quality),
    sorted.find((trial) => trial.quality >= quality),
  ] as const;
}

/**
 * The whole number whose expected score is nearest to the target.
 * @param others that do not come into question, where there is another
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

/** The score at a quality: on the usual curve, drawn through what has been tried. */
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
  const likely = isBetween ? slope : Math.max(leastSlope, Math.min(mostSlope, slope));
  return one.score + likely * (usual(quality) - from);
}

/** How far the curve of a picture is drawn on as it was between trials, against the usual one. */
const leastSlope = 0.5;
const mostSlope = 2;

function nextTo({ quality }: Trial, trials: readonly Trial[]): Trial | undefined {
  const others = trials.filter((trial) => trial.quality !== quality);
  const distance = (trial: Trial) => Math.abs(trial.quality - quality);
  return others.sort((a, b) => distance(a) - distance(b))[0];
}

/** Bytes at a quality against those at another, as trials tell: in proportion between them, and beyond them, too. */
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

/** Of a step of quality, where nothing else is known. */
const usualGrowth = 1.03;

function byQuality(a: Trial, b: Trial): number {
  return a.quality - b.quality;
}
