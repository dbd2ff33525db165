import type { KeyEnv } from '../http/context.ts';

/** The usage of a key, as known while its request is served. */
export interface KnownUsage {
  /** Files charged to the key this month. */
  readonly count: number;
  /** Files that the key may still use: those of its account, or fewer if the key's own limit is lower. */
  readonly remaining: number;
}

/** The context of handlers of the Tinify API. */
export interface TinifyEnv extends KeyEnv {
  Variables: KeyEnv['Variables'] & {
    /** The usage of the key, once it is known. */
    usage?: KnownUsage;
  };
}
