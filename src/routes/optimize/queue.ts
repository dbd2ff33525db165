import type { Hold, Peak, RunningWork } from '../../image/engine.ts';
import type { HeldBytes } from './held-body.ts';

// What the scheduler notes of jobs, and what it decides about them.

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
