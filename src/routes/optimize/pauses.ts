import { longCpuMs } from '../../policy/turns.ts';
import { hasPendingBookings } from './bookkeeping.ts';

/**
 * Milliseconds of short work between two pauses, as predicted and as measured by the clock; longer work than `noticeable`
 * has pauses around it.
 */
export const cpuMsBetweenPauses = { total: 400, noticeable: 50 };

/**
 * Minimum pause, minimum beside long work, of which shorter work has a part, and maximum pause, in milliseconds. For
 * requests that are no jobs, a pause may last as long as the work before it took, up to two seconds. Under load, half of
 * the time thus belongs to everything but images.
 */
const durations = {
  shortest: 2,
  besideLong: 20,
  longest: cpuMsBetweenPauses.total,
  longestForOthers: 2000,
};

/** What is waiting for the thread besides the job that asks: requests that are no jobs, and many jobs not yet authorized. */
interface Waiting {
  readonly hasOthers: boolean;
  readonly isFlooded: boolean;
}

/**
 * The pauses between image work, which yield the thread to other requests, responses in progress, and bookings. Any job
 * that asks begins a pause, and any one ends it: none can be relied on to come back.
 */
export class Pauses {
  /** The work since the latest pause: its predicted milliseconds, and whether any of it needs a pause after it. */
  #before = { cpuMs: 0, isNoticeable: false };
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

  /** @param cpuMs predicted CPU time of work that begins now, in milliseconds */
  noteWork(cpuMs: number): void {
    this.#before.cpuMs += cpuMs;
    this.#before.isNoticeable ||= cpuMs > cpuMsBetweenPauses.noticeable;
  }

  /**
   * Whether work has to wait for a pause.
   * @param cpuMs predicted CPU time in milliseconds
   */
  isPausedBefore(cpuMs: number, { hasOthers, isFlooded }: Waiting): boolean {
    const now = Date.now();
    const { noticeable, total } = cpuMsBetweenPauses;
    const isNoticeable = cpuMs > noticeable;
    const before = this.#before;
    if (this.#began === null) {
      const isLong = before.cpuMs + cpuMs > total || now - this.#ended > total;
      const isDue = isNoticeable || before.isNoticeable || isLong;
      if (before.cpuMs === 0 || !isDue) return false;
      this.#began = now;
    }
    const { all, seen } = this.#takenChunks;
    this.#takenChunks.seen = all;
    const paused = now - this.#began;
    const { shortest, besideLong, longest, longestForOthers } = durations;
    // What arrives while an image is being processed, requests and the news that a client has gone, becomes visible only
    // a moment after that.
    const share = Math.min(1, Math.max(cpuMs, before.cpuMs) / longCpuMs);
    const isShort = paused < Math.max(shortest, share * besideLong);
    const isMoving = isNoticeable && all !== seen && paused < besideLong;
    const isAwaited = hasOthers || isFlooded || (isNoticeable && hasPendingBookings());
    const forOthers = Math.min(before.cpuMs, longestForOthers);
    const limit = hasOthers ? Math.max(longest, forOthers) : longest;
    if (isShort || isMoving || (isAwaited && paused < limit)) return true;
    this.#began = null;
    this.#ended = now;
    this.#before = { cpuMs: 0, isNoticeable: false };
    return false;
  }
}
