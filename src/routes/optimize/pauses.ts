import { longCpuMs } from '../../policy/turns.ts';
import { hasPendingBookings } from './bookkeeping.ts';

/**
 * Milliseconds of short work between two pauses, as predicted and as measured by the clock; longer work than `noticeable`
 * has a pause before it.
 */
export const cpuMsBetweenPauses = { total: 400, noticeable: 50 };

/**
 * Minimum pause, minimum before long work, of which shorter work has a part, and maximum pause, in milliseconds. Under
 * load, half of the time thus belongs to everything but images.
 */
const durations = { shortest: 2, beforeLong: 20, longest: cpuMsBetweenPauses.total };

/** What is waiting for the thread besides the job that asks: requests that are no jobs, and many jobs not yet authorized. */
interface Waiting {
  readonly hasOthers: boolean;
  readonly isFlooded: boolean;
}

/** Requests that are neither answered nor jobs. */
export class OtherRequests {
  /** Their arrivals by the signals of their clients. */
  readonly #arrivals = new Map<AbortSignal, number>();

  /** @param at time of arrival, by any clock */
  add(client: AbortSignal, at: number): void {
    this.#arrivals.set(client, at);
  }

  delete(client: AbortSignal): void {
    this.#arrivals.delete(client);
  }

  /** Whether there are any that arrived since then. Older ones no longer count: they wait for something else. */
  areSince(then: number): boolean {
    for (const [client, at] of this.#arrivals) {
      if (at >= then) return true;
      this.#arrivals.delete(client);
    }
    return false;
  }
}

/**
 * The pauses between the work of one job and that of the next, which yield the thread to other requests, responses in
 * progress, and bookings. Any job that asks begins a pause, and any one ends it: none can be relied on to come back.
 */
export class Pauses {
  /** Predicted milliseconds of work since the latest pause. */
  #cpuMsBefore = 0;
  /** When the current pause began, in milliseconds since 1970; null if there is none. */
  #began: number | null = null;
  /** When the latest pause ended. */
  #ended = 0;
  /** Response chunks that clients have taken: all, and at the latest question during a pause. */
  #takenChunks = { all: 0, seen: 0 };

  /** Counts a response chunk that a client has taken. */
  chunkTaken(): void {
    this.#takenChunks.all += 1;
  }

  /** @param cpuMs predicted CPU time of work that begins now, or of a slice of it, in milliseconds */
  noteWork(cpuMs: number): void {
    this.#cpuMsBefore += cpuMs;
  }

  /**
   * Whether work has to wait for a pause.
   * @param cpuMs predicted CPU time in milliseconds
   */
  isPausedBefore(cpuMs: number, { hasOthers, isFlooded }: Waiting): boolean {
    const now = Date.now();
    const { noticeable, total } = cpuMsBetweenPauses;
    const isNoticeable = cpuMs > noticeable;
    if (this.#began === null) {
      const isLong = this.#cpuMsBefore + cpuMs > total || now - this.#ended > total;
      if (this.#cpuMsBefore === 0 || !(isNoticeable || isLong)) return false;
      this.#began = now;
    }
    const { all, seen } = this.#takenChunks;
    this.#takenChunks.seen = all;
    const paused = now - this.#began;
    const { shortest, beforeLong, longest } = durations;
    // What arrives while an image is being processed, requests and the news that a client has gone, becomes visible only
    // a moment after that.
    const share = Math.min(1, cpuMs / longCpuMs);
    const isShort = paused < Math.max(shortest, share * beforeLong);
    const isMoving = isNoticeable && all !== seen && paused < beforeLong;
    const isAwaited = hasOthers || isFlooded || (isNoticeable && hasPendingBookings());
    if (isShort || isMoving || (isAwaited && paused < longest)) return true;
    this.#began = null;
    this.#ended = now;
    this.#cpuMsBefore = 0;
    return false;
  }
}
