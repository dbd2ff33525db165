import type { ApiError } from '../../errors.ts';
import type { Hold, Peak, RunningWork } from '../../image/engine.ts';
import { count } from '../../telemetry/counts.ts';
import { overloaded } from '../http/rate-limit.ts';
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

/** `expected` and `held`, while its body is read, and `working`: it waits for nothing here. */
export type Stage =
  | 'arriving'
  | 'authorizing'
  | 'expected'
  | 'waiting for memory'
  | 'held'
  | 'waiting for a turn'
  | 'working';

/** The scheduler's state of a job. All but `leased` is changed by its own request. */
export interface Entry {
  readonly account: string;
  readonly client: AbortSignal;
  stage: Stage;
  cpuMs: number;
  /** Announced length of a body that has not been read; null if unknown. */
  announced: number | null;
  /** Predicted memory of this thread, once the body is complete. */
  peak: Peak;
  held: HeldBytes | null;
  /** Room for results of work that is done elsewhere. */
  room: Hold | null;
  /** Its work, while that pauses or is done elsewhere. */
  paused: Pick<RunningWork<unknown>, 'end'> | null;
  /** When it last looked, by the scheduler's clock. */
  lookedAt: number;
  /** How long it has waited, in milliseconds. */
  waited: number;
  /** Whether its lease is valid. */
  leased: boolean;
}

/** Who may go on, decided at one moment for all who look soon after. */
export interface Decision {
  readonly at: number;
  /** Number of jobs that are being authorized, and those that may be authorized next. */
  readonly authorizing: number;
  readonly begun: ReadonlySet<Entry>;
  /** Jobs whose bodies may be read. */
  readonly admitted: ReadonlySet<Entry>;
  /** Jobs that may take the thread: the next one and, if that is short, short ones behind it. */
  readonly turns: ReadonlySet<Entry>;
  /** The number of jobs before each job that waits for the same. */
  readonly ranks: ReadonlyMap<Entry, number>;
  /** Whether nothing fits into memory because of complete bodies, and the one that is given up in the end. */
  readonly isStuck: boolean;
  readonly last: Entry | undefined;
}

/** What jobs wait for, by stage. */
export const waits = {
  arriving: 'authorization',
  'waiting for memory': 'memory',
  'waiting for a turn': 'turn',
} as const;

/**
 * The error for a job that waits in vain, which is counted.
 * @param waitsFor `queue`: others would take too long before it
 * @param seconds until a retry may succeed
 */
export function refused(
  waitsFor: 'queue' | (typeof waits)[keyof typeof waits],
  seconds?: number,
): ApiError {
  count('fewerbytes_wait_refusals_total', { for: waitsFor });
  return overloaded(seconds);
}

export const nobody: Decision = {
  at: Number.NEGATIVE_INFINITY,
  authorizing: 0,
  begun: new Set(),
  admitted: new Set(),
  turns: new Set(),
  ranks: new Map(),
  isStuck: false,
  last: undefined,
};
