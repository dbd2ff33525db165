import type { KeyEnv } from '../http/context.ts';

/** What is known of a key while its request is served. */
export interface KnownUsage {
  /** Files charged to the key this month. */
  readonly count: number;
  /** Files that it may still use: those of its account, or what its own limit leaves of them. */
  readonly remaining: number;
}

/** What a handler of Tinify's calls finds in its context. */
export interface TinifyEnv extends KeyEnv {
  Variables: KeyEnv['Variables'] & {
    /** Of the key, once that is known. */
    usage?: KnownUsage;
  };
}
