import type { Peak, RunningWork } from '../../image/engine.ts';
import type { HeldBytes } from './held-body.ts';
import type { Workplace } from './workplace.ts';

/** One request to optimize an image, from its arrival until its response is created. */
export interface Job {
  /** Where its work is done. */
  readonly workplace: Workplace;
  /**
   * Tells what is known about the work before the body is read.
   * @param cpuMs expected CPU time in milliseconds
   * @throws ApiError `overloaded` if too much work is ahead of it
   */
  expect(cpuMs: number): void;
  /**
   * Waits until there is memory for the body, and reserves it.
   * @param announced announced length in bytes; null if unknown
   * @param maxBytes maximum length of the body; by default the general limit
   * @throws ApiError `overloaded` if there is none for too long, `invalid_request` if the client has gone
   */
  admitted(announced: number | null, maxBytes?: number): Promise<HeldBytes>;
  /**
   * Waits until there is a place for the work, which belongs to the job from then on, until it ends.
   * @param cpuMs predicted CPU time of the work in milliseconds
   * @param peak memory that the work takes in addition to what is already held
   * @throws ApiError the same as `admitted`
   */
  turn(cpuMs: number, peak: Peak): Promise<void>;
  /**
   * Lets other requests run between two slices of the work, for about as long as a slice takes if any wait.
   * @param running the work, which others end if this job stops looking
   * @throws ApiError `invalid_request` if the client has gone, `overloaded` if others have ended the work
   */
  pause(running: Pick<RunningWork<unknown>, 'end'>): Promise<void>;
  /**
   * Watches over work that is done in another thread.
   * @param over settles when it has ended; never rejects
   * @param running the work, which others end if this job stops looking
   * @throws ApiError the same as `pause`
   */
  watch(over: Promise<unknown>, running: Pick<RunningWork<unknown>, 'end'>): Promise<void>;
  /**
   * Gives up the turn, and keeps only the body for another one.
   * @param until settles when the job is to go on; never rejects
   * @throws ApiError the same as `pause`
   */
  rest(until: Promise<unknown>): Promise<void>;
  /** Ends the job, whatever its outcome; may be called repeatedly. */
  end(): void;
}
