import {
  type Learned,
  type Optimized,
  type OptimizeOptions,
  receivedError,
  type SentError,
  type SetOptions,
  type SetOutcome,
  sentError,
} from '../../image/engine.ts';

// What the main thread and those for pictures tell each other. Errors lose their class on the way, so they travel as data.

/** What a thread is opened with. */
export interface ThreadData {
  /** Bytes for the engine. */
  readonly memory: number;
  /** Compiled in the main thread (kernels.ts). */
  readonly kernels: ReadonlyMap<string, WebAssembly.Module>;
}

/** See `Learned`. */
interface SentLearned extends Omit<Learned, 'damage'> {
  readonly damage: SentError | null;
}

export function sentLearned({ positions, damage }: Learned): SentLearned {
  return { positions, damage: damage && sentError(damage) };
}

export function receivedLearned({ positions, damage }: SentLearned): Learned {
  return { positions, damage: damage && receivedError(damage) };
}

/** Work that a thread is to do. The memory of the file is handed over with it. */
export type WorkOrder = {
  readonly id: number;
  readonly file: Uint8Array<ArrayBuffer>;
} & (
  | { readonly kind: 'optimize'; readonly options: OptimizeOptions }
  | {
      readonly kind: 'pass';
      readonly set: SetOptions;
      readonly index: number;
      readonly learned: SentLearned;
    }
);

/** To a thread. */
export type Order = WorkOrder | { readonly kind: 'end'; readonly id: number };

/** What came of one result of a set, on its way. */
export type SentOutcome =
  | Extract<SetOutcome, { readonly kind: 'made' }>
  | (Omit<Extract<SetOutcome, { readonly kind: 'failed' }>, 'error'> & {
      readonly error: SentError;
    });

/**
 * From a thread. All but `ready` and `outcome` end the work. The memory of files and results is handed over; `spentMs` is the CPU
 * time that the thread has measured, in milliseconds.
 */
export type Report = { readonly id: number } & (
  | { readonly kind: 'ready' }
  | { readonly kind: 'optimized'; readonly picture: Optimized; readonly spentMs: number }
  | { readonly kind: 'outcome'; readonly outcome: SentOutcome }
  | {
      readonly kind: 'passed';
      readonly file: ArrayBuffer;
      readonly learned: SentLearned;
      readonly spentMs: number;
    }
  /** @param cpuMs predicted CPU time of all slices, in milliseconds */
  | { readonly kind: 'refused'; readonly error: SentError; readonly cpuMs: number }
  | { readonly kind: 'ended'; readonly cpuMs: number }
  /** A bug. */
  | { readonly kind: 'failed'; readonly message: string; readonly cpuMs: number }
);

/** The id under which a thread says that it is ready. */
export const readyId = 0;
