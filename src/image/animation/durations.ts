import type { Duration, DurationLimits } from './timeline.ts';

/** Of a frame whose delay is as short as this, in seconds, browsers make one of their own, which may not be added to another. */
const fickleSeconds = 0.01;

/** Most that APNG's numbers can say (PNG third edition §11.3.6.2). */
const maxTerm = 65_535;

export function secondsOf({ ticks, perSecond }: Duration): number {
  return ticks / perSecond;
}

/** How long a frame is there to be looked at, in seconds: one that says that it is shown for no time is seen all the same. */
export function seenSeconds(duration: Duration): number {
  return Math.max(secondsOf(duration), leastSeconds);
}

/** So little that a frame whose duration was rounded to nothing, or from nothing, does not move those after it. */
const leastSeconds = 1e-6;

/** What two frames with the same picture take together; null where they are to stay two. */
export function mergedDuration(a: Duration, b: Duration, limits: DurationLimits): Duration | null {
  if (Math.min(secondsOf(a), secondsOf(b)) <= fickleSeconds) return null;
  const common = commonDivisor(a.perSecond, b.perSecond);
  const perSecond = (a.perSecond / common) * b.perSecond;
  const ticks = (a.ticks * b.perSecond + b.ticks * a.perSecond) / common;
  const sum = limits.perSecond === null ? reduced({ ticks, perSecond }) : { ticks, perSecond };
  return isSayable(sum, limits) ? sum : null;
}

function isSayable({ ticks, perSecond }: Duration, limits: DurationLimits): boolean {
  const isUnit = limits.perSecond === null ? perSecond <= maxTerm : perSecond === limits.perSecond;
  return isUnit && ticks <= limits.maxTicks;
}

function reduced({ ticks, perSecond }: Duration): Duration {
  const common = commonDivisor(ticks, perSecond);
  return { ticks: ticks / common, perSecond: perSecond / common };
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}

/**
 * Says the durations of an animation in what another format can say. Where that has coarser units, the ends of frames
 * are rounded, so that errors do not add up.
 */
export class SaidDurations {
  readonly #limits: DurationLimits;
  /** Where the next frame begins, in seconds. */
  #end = 0;
  #saidEnd = 0;

  constructor(limits: DurationLimits) {
    this.#limits = limits;
  }

  /** A frame's duration in one part or, where it is longer than a frame can be shown, in several. */
  next(duration: Duration): Duration[] {
    this.#end += secondsOf(duration);
    const exact = this.#limits.perSecond === null ? reducedTo(duration) : duration;
    if (isSayable(exact, this.#limits)) {
      this.#saidEnd += secondsOf(exact);
      return [exact];
    }
    const perSecond = this.#limits.perSecond ?? fallbackUnit;
    const end = Math.round(this.#end * perSecond);
    let left = Math.max(0, end - Math.round(this.#saidEnd * perSecond));
    this.#saidEnd = end / perSecond;
    const parts: Duration[] = [];
    do {
      const ticks = Math.min(left, this.#limits.maxTicks);
      parts.push({ ticks, perSecond });
      left -= ticks;
    } while (left > 0);
    return parts;
  }
}

/** Of APNG, for what has no shorter terms. */
const fallbackUnit = 1000;

/** With the terms as they are, where they can be said. */
function reducedTo(duration: Duration): Duration {
  return Math.max(duration.ticks, duration.perSecond) <= maxTerm ? duration : reduced(duration);
}
