import type { Duration, DurationLimits } from './timeline.ts';

/**
 * Browsers replace delays of up to this many seconds with about 0.1 s. The displayed length of such a delay is unknown,
 * so it cannot be added to another one.
 */
const replacedDelaySeconds = 0.01;

/** The largest numerator or denominator of a delay in APNG (PNG third edition §11.3.6.2). */
const maxFractionTerm = 65_535;

function secondsOf({ ticks, perSecond }: Duration): number {
  return ticks / perSecond;
}

/** How long a frame is visible, in seconds: at least `minSeconds`, since a frame of duration 0 is visible, too. */
export function seenSeconds(duration: Duration): number {
  return Math.max(secondsOf(duration), minSeconds);
}

/** Short enough that a frame whose duration was rounded to 0, or from 0, does not shift later frames. */
const minSeconds = 1e-6;

/**
 * The duration of two equal pictures as one frame; null if they have to remain two frames, because browsers replace one
 * of the delays or the format cannot represent the sum.
 */
export function mergedDuration(a: Duration, b: Duration, limits: DurationLimits): Duration | null {
  if (Math.min(secondsOf(a), secondsOf(b)) <= replacedDelaySeconds) return null;
  const common = greatestCommonDivisor(a.perSecond, b.perSecond);
  const perSecond = (a.perSecond / common) * b.perSecond;
  const ticks = (a.ticks * b.perSecond + b.ticks * a.perSecond) / common;
  const sum = limits.perSecond === null ? reduced({ ticks, perSecond }) : { ticks, perSecond };
  return isRepresentable(sum, limits) ? sum : null;
}

function isRepresentable({ ticks, perSecond }: Duration, limits: DurationLimits): boolean {
  const isUnit =
    limits.perSecond === null ? perSecond <= maxFractionTerm : perSecond === limits.perSecond;
  return isUnit && ticks <= limits.maxTicks;
}

function reduced({ ticks, perSecond }: Duration): Duration {
  const common = greatestCommonDivisor(ticks, perSecond);
  return { ticks: ticks / common, perSecond: perSecond / common };
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

/**
 * Converts the durations of an animation, in order, to those of another format. Where its unit is coarser, the end time
 * of each frame is rounded instead of its duration, so that rounding errors do not accumulate.
 */
export class DurationConverter {
  readonly #limits: DurationLimits;
  /** The exact end time of the frames so far, in seconds, and their end time after conversion. */
  #end = 0;
  #convertedEnd = 0;

  constructor(limits: DurationLimits) {
    this.#limits = limits;
  }

  /** The duration of the next frame, in several parts where it is longer than the format allows for one frame. */
  convert(duration: Duration): Duration[] {
    this.#end += secondsOf(duration);
    const exact = this.#limits.perSecond === null ? withSmallTerms(duration) : duration;
    if (isRepresentable(exact, this.#limits)) {
      this.#convertedEnd += secondsOf(exact);
      return [exact];
    }
    const perSecond = this.#limits.perSecond ?? fallbackPerSecond;
    const end = Math.round(this.#end * perSecond);
    let left = Math.max(0, end - Math.round(this.#convertedEnd * perSecond));
    this.#convertedEnd = end / perSecond;
    const parts: Duration[] = [];
    do {
      const ticks = Math.min(left, this.#limits.maxTicks);
      parts.push({ ticks, perSecond });
      left -= ticks;
    } while (left > 0);
    return parts;
  }
}

/** The denominator in APNG of fractions that cannot be stored exactly. */
const fallbackPerSecond = 1000;

/** The fraction itself where APNG can store it, otherwise in lowest terms. */
function withSmallTerms(duration: Duration): Duration {
  const { ticks, perSecond } = duration;
  return Math.max(ticks, perSecond) <= maxFractionTerm ? duration : reduced(duration);
}
