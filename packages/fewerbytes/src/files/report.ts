import type { Wait } from '../client/client.ts';
import type { OptimizeError, StopReason } from '../errors.ts';

// What a run tells about itself.

export type RunEvent =
  | { readonly type: 'found'; readonly count: number }
  | { readonly type: 'start'; readonly path: string }
  | ({ readonly type: 'wait' } & Wait)
  | { readonly type: 'file'; readonly file: FileResult }
  | { readonly type: 'set'; readonly set: SetReport };

export interface FileResult {
  readonly path: string;
  /**
   * `optimized`: the result is in `output`. `kept`: nothing smaller was found. `skipped`: see `reason`. `planned`:
   * would be optimized (dry run); if the cache has the result, `outputBytes` is its size. `failed`: see `error`; the file
   * is unchanged.
   */
  readonly status: 'optimized' | 'kept' | 'skipped' | 'planned' | 'failed';
  /** Path of the result, or of the original if there is nothing smaller; null if there is none. */
  readonly output: string | null;
  readonly inputBytes: number;
  readonly outputBytes: number;
  readonly inputType: string | null;
  readonly outputType: string | null;
  readonly score: number | null;
  /** The ThumbHash of `output` in base64; null if none was asked for, or a larger result is not used. */
  readonly placeholder: string | null;
  /**
   * Why there is no result: `already-optimal`, `animated`, `larger-format`, `optimized-before`, `cancelled`, or
   * `exists`: another file has the result's name; with sets also `set-result`: the image is a result of a set itself.
   */
  readonly reason: string | null;
  /** Whether the outcome came from the cache, so that there was no work. */
  readonly isCached: boolean;
  readonly error: OptimizeError | null;
}

/** A result of a set. All are `optimized` that are there, even if they take more bytes than the image. */
export interface SetFileResult extends FileResult {
  /** Size of the result in pixels; null if there is none. */
  readonly width: number | null;
  readonly height: number | null;
}

/** What came of a set of an image. */
export interface SetReport {
  readonly path: string;
  /** Size of the image in pixels, as a viewer shows it. */
  readonly width: number;
  readonly height: number;
  /** The ThumbHash of the widest result in base64; null if none was asked for. */
  readonly placeholder: string | null;
  /** A `<picture>` of the results, with URLs relative to the working folder; empty if there are none. */
  readonly html: string;
  /** By width and then format. */
  readonly files: readonly SetFileResult[];
}

export interface Summary {
  /** Of a set, each result. */
  readonly files: readonly FileResult[];
  /** Sums over `files`: an image counts once for each result of its set, since each is compared with it. */
  readonly inputBytes: number;
  readonly outputBytes: number;
  /** Requests sent, including retries; null if no service does the work. */
  readonly requests: number | null;
  /** Files left on the account; null if nothing was sent. */
  readonly quotaRemaining: number | null;
  /** The largest resident memory of this process so far, in bytes; null if a service does the work. */
  readonly peakMemory: number | null;
  /** The code of the system error, such as EACCES, because of which results were not cached; null if they were. */
  readonly cacheError: string | null;
  /** Why the run stopped sending; null if it did not. */
  readonly stop: StopReason | null;
  readonly isCancelled: boolean;
}

/** A file of which nothing is known but its length. */
export function blankResult(path: string, bytes: number): FileResult {
  return {
    path,
    status: 'skipped',
    output: null,
    inputBytes: bytes,
    outputBytes: bytes,
    inputType: null,
    outputType: null,
    score: null,
    placeholder: null,
    reason: null,
    isCached: false,
    error: null,
  };
}

export function failedResult(path: string, bytes: number, error: OptimizeError): FileResult {
  return { ...blankResult(path, bytes), status: 'failed', error };
}
