/** Work that is predicted to take longer is not begun unasked, in seconds. */
const longSeconds = 20;

/** Shorter work says little about a device, in predicted milliseconds: the first of a format includes loading it. */
const leastMs = 1000;

/** Work of which less than this was seen says little, too. */
const leastShare = 0.5;

/** Whether people are asked before they wait for this. */
export function isLong(seconds: number): boolean {
  return seconds > longSeconds;
}

/** A long time, in words: `about 3 minutes`. Predictions are right within a factor of two. */
export function durationText(seconds: number): string {
  if (seconds < 45) return 'about half a minute';
  if (seconds < 90) return 'about a minute';
  return `about ${Math.round(seconds / 60)} minutes`;
}

/** A piece of work that is being measured. */
interface Measurement {
  /** Takes in what share of the work has been done, from 0 to 1. */
  progress(share: number): void;
  end(): void;
}

/** Learns how long work takes on this device, compared with its prediction. */
export class Pace {
  readonly #now: () => number;
  /** Seconds that work takes for each second of its prediction, as far as the device has shown. */
  #factor = 1;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** How long predicted work will take here. */
  secondsFor(cpuMs: number): number {
    return (this.#factor * cpuMs) / 1000;
  }

  /** Measures work from its first progress on: before, it may have waited for a thread. */
  begin(cpuMs: number): Measurement {
    let first: { readonly at: number; readonly share: number } | null = null;
    return {
      progress: (share) => {
        first ??= { at: this.#now(), share };
      },
      end: () => {
        if (cpuMs < leastMs || first === null || first.share > 1 - leastShare) return;
        const predicted = (1 - first.share) * cpuMs;
        this.#factor = nearer(this.#factor, (this.#now() - first.at) / predicted);
      },
    };
  }
}

/** A step towards what was measured, since one measurement says little: other work may have been in its way. */
function nearer(before: number, measured: number): number {
  return Math.sqrt(before * Math.min(3, Math.max(1 / 3, measured)));
}
