import { setMaxListeners } from 'node:events';
import { readFile } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import type { Wait } from '../client/client.ts';
import { isAbort, OptimizeError, readError, type StopReason } from '../errors.ts';
import { imageTypeOf } from '../images.ts';
import type { OptimizeOptions } from '../options.ts';
import { defaultCacheFolder } from './cache.ts';
import { Destinations, expectedType } from './destination.ts';
import { type Found, type FoundFile, findFiles, type Scope } from './find.ts';
import { type Optimized, Optimizer } from './optimizer.ts';
import { Placement, type Source } from './placement.ts';
import { has, readWhole, realPathOf, stateOf } from './state.ts';
import { removeOldParts, writeWhole } from './write.ts';

export interface RunSettings {
  /** Address of the service, such as `https://images.example`. Default: `FEWERBYTES_URL`. */
  readonly url?: string;
  /** An API key. Default: `FEWERBYTES_KEY`. Without one, only cached results are used. */
  readonly key?: string | undefined;
  readonly options?: OptimizeOptions;
  /** Folder for the results. Default: files are replaced in place; results in another format are put next to them. */
  readonly out?: string | undefined;
  /** Cache folder, or `false` for no cache. Default: in the user's cache folder. */
  readonly cache?: string | false;
  /** Number of images processed in parallel. Default: 4. */
  readonly concurrency?: number;
  /** Only lists what would be sent: sends and writes nothing. */
  readonly dryRun?: boolean;
  /** `false`: only measures what could be saved: sends, but writes nothing except the cache. */
  readonly write?: boolean;
  /** Whether results keep the modification time of the original. */
  readonly keepTime?: boolean;
  /** Folder that inputs and `out` are relative to. */
  readonly cwd?: string;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: RunEvent) => void;
}

export type RunEvent =
  | { readonly type: 'found'; readonly count: number }
  | { readonly type: 'start'; readonly path: string }
  | ({ readonly type: 'wait' } & Wait)
  | { readonly type: 'file'; readonly file: FileResult };

export interface FileResult {
  readonly path: string;
  /**
   * `optimized`: the result is in `output`. `kept`: nothing smaller was found. `skipped`: see `reason`. `planned`:
   * would be sent (dry run). `failed`: see `error`; the file is unchanged.
   */
  readonly status: 'optimized' | 'kept' | 'skipped' | 'planned' | 'failed';
  /** Path of the result, or of the original if there is nothing smaller; null if there is none. */
  readonly output: string | null;
  readonly inputBytes: number;
  readonly outputBytes: number;
  readonly inputType: string | null;
  readonly outputType: string | null;
  readonly score: number | null;
  /**
   * Why there is no result: `already-optimal`, `animated`, `larger-format`, `optimized-before`, `cancelled`, or
   * `exists`: another file has the result's name.
   */
  readonly reason: string | null;
  /** Whether the outcome came from the cache, so that nothing was sent. */
  readonly isCached: boolean;
  readonly error: OptimizeError | null;
}

export interface Summary {
  readonly files: readonly FileResult[];
  readonly inputBytes: number;
  readonly outputBytes: number;
  /** Requests sent, including retries. */
  readonly requests: number;
  /** Files left on the account; null if nothing was sent. */
  readonly quotaRemaining: number | null;
  /** The code of the system error, such as EACCES, because of which results were not cached; null if they were. */
  readonly cacheError: string | null;
  /** Why the run stopped sending; null if it did not. */
  readonly stop: StopReason | null;
  readonly isCancelled: boolean;
}

const defaultConcurrency = 4;

/**
 * Optimizes files, folders and globs. Errors of single files are returned, not thrown.
 * @throws RangeError if the address of the service is not a URL, or `concurrency` is not a number of images
 */
export async function optimizeFiles(
  inputs: readonly string[],
  settings: RunSettings,
): Promise<Summary> {
  const scope = await scopeOf(settings);
  const found = await findFiles(inputs, scope);
  return runOver(found, settings, scope, new Destinations());
}

export async function scopeOf({ cwd = process.cwd(), out }: RunSettings): Promise<Scope> {
  return { cwd, outFolder: out === undefined ? null : await realPathOf(resolve(cwd, out)) };
}

/**
 * Optimizes files that have been found in a scope.
 * @param destinations those of earlier runs over the same folders are respected and added to
 * @param onState called with the state (see `stateOf`) of each file that is read or written
 */
export async function runOver(
  { files, missing }: Found,
  settings: RunSettings,
  scope: Scope,
  destinations: Destinations,
  onState?: (path: string, state: string) => void,
): Promise<Summary> {
  const { onEvent = () => {} } = settings;
  const run = new Run(settings, scope, destinations, onState ?? (() => {}));
  onEvent({ type: 'found', count: files.length + missing.length });
  const results: FileResult[] = [];
  const add = (file: FileResult) => {
    results.push(file);
    onEvent({ type: 'file', file });
  };
  for (const { path, error } of missing) add(failedResult(path, 0, error));
  await run.optimizer.prune();
  await run.all(files, add);
  return summaryOf(results, run);
}

/** One run over a list of files. */
class Run {
  readonly optimizer: Optimizer;
  readonly #settings: RunSettings;
  readonly #cwd: string;
  readonly #placement: Placement;
  readonly #onState: (path: string, state: string) => void;
  quotaRemaining: number | null = null;

  constructor(
    settings: RunSettings,
    { cwd, outFolder }: Scope,
    destinations: Destinations,
    onState: (path: string, state: string) => void,
  ) {
    const { FEWERBYTES_URL = '', FEWERBYTES_KEY } = process.env;
    const {
      url = FEWERBYTES_URL,
      key = FEWERBYTES_KEY,
      options = {},
      cache,
      dryRun,
      onEvent,
    } = settings;
    const { concurrency = defaultConcurrency, signal } = settings;
    if (!Number.isInteger(concurrency) || concurrency < 1) {
      throw new RangeError('The number of images processed in parallel must be 1 or more.');
    }
    // every request and every wait listens to it
    if (signal) setMaxListeners(0, signal);
    this.#settings = settings;
    this.#cwd = cwd;
    this.#onState = onState;
    this.optimizer = new Optimizer({
      url,
      key,
      options,
      cache: cache === false ? null : (cache ?? defaultCacheFolder()),
      isCacheReadOnly: dryRun === true,
      ...(onEvent && { onWait: (wait: Wait) => onEvent({ type: 'wait', ...wait }) }),
    });
    this.#placement = new Placement(outFolder, destinations, this.optimizer);
  }

  get isCancelled(): boolean {
    return this.#settings.signal?.aborted === true;
  }

  /** @param add called with each result */
  async all(files: readonly FoundFile[], add: (result: FileResult) => void): Promise<void> {
    await this.#placement.claimAll(files, this.#settings.options?.format);
    const { concurrency = defaultConcurrency, onEvent } = this.#settings;
    const queue = files.values();
    const work = async () => {
      for (const file of queue) {
        if (this.isCancelled) return;
        onEvent?.({ type: 'start', path: file.path });
        add(await this.#one(file));
      }
    };
    await Promise.all(Array.from({ length: concurrency }, work));
  }

  async #one(file: FoundFile): Promise<FileResult> {
    let inputBytes = 0;
    try {
      const { bytes, before } = await readWhole(file.realPath);
      inputBytes = bytes.length;
      this.#onState(file.realPath, stateOf(before));
      return await this.#optimized({ file, bytes, before });
    } catch (error) {
      if (isAbort(error, this.#settings.signal)) {
        return { ...blankResult(file.path, inputBytes), status: 'skipped', reason: 'cancelled' };
      }
      const failure = asOptimizeError(error);
      const own = failure.code === 'changed_meanwhile' ? await this.#ownResultIn(file) : null;
      return own ?? failedResult(file.path, inputBytes, failure);
    }
  }

  /** The result for a file that another process has replaced by a result of these options; null otherwise. */
  async #ownResultIn(file: FoundFile): Promise<FileResult | null> {
    const bytes = await readFile(file.realPath).catch(() => null);
    const known = bytes && (await this.optimizer.known(bytes));
    return known?.kind === 'kept' ? this.#result(file, known, this.#shown(file.realPath)) : null;
  }

  async #optimized(source: Source): Promise<FileResult> {
    const { file, bytes } = source;
    const inputType = imageTypeOf(bytes);
    if (inputType === null) throw new OptimizeError('not_an_image');
    const { options = {}, dryRun, write } = this.#settings;
    const blank = { ...blankResult(file.path, bytes.length), inputType };
    if (write === false) return this.#result(file, await this.#outcome(bytes), null);
    const type = expectedType(options.format, inputType);
    const refusal = type && (await this.#placement.refusal(source, inputType, type));
    if (refusal) return { ...blank, reason: refusal };
    if (dryRun) {
      const known = await this.optimizer.known(bytes);
      if (known === null) return { ...blank, status: 'planned' };
      return this.#result(file, known, this.#shown(await this.#destination(file, known)));
    }
    const outcome = await this.#outcome(bytes);
    if (type === null && outcome.kind === 'smaller') {
      const late = await this.#placement.refusal(source, inputType, outcome.type);
      if (late) return { ...blank, reason: late };
    }
    return this.#result(file, outcome, await this.#write(source, outcome));
  }

  async #outcome(bytes: Uint8Array<ArrayBuffer>): Promise<Optimized> {
    const outcome = await this.optimizer.optimize(bytes, this.#settings.signal);
    const { quotaRemaining } = outcome;
    if (quotaRemaining !== null) {
      // counted when the request arrived, so a slow one reports an old number
      this.quotaRemaining = Math.min(quotaRemaining, this.quotaRemaining ?? quotaRemaining);
    }
    return outcome;
  }

  #destination(file: FoundFile, outcome: Optimized): Promise<string> {
    const type = outcome.kind === 'smaller' ? outcome.type : outcome.inputType;
    return this.#placement.destination(file, outcome.inputType, type);
  }

  /** @returns the path of the result, for display */
  async #write(source: Source, outcome: Optimized): Promise<string> {
    const { file, before } = source;
    const destination = await this.#destination(file, outcome);
    await removeOldParts(dirname(destination));
    const bytes = outcome.kind === 'smaller' ? outcome.bytes : source.bytes;
    const isThere = outcome.kind === 'kept' && destination === file.realPath;
    if (!isThere && !(await has(destination, bytes))) {
      this.#settings.signal?.throwIfAborted();
      const written = await writeWhole(destination, bytes, {
        like: before,
        // beside its image, a folder that is missing has been deleted meanwhile
        createFolder: this.#settings.out !== undefined,
        ...(this.#settings.keepTime && { keepTimeOf: before }),
        beforeRename: () => this.#placement.assertUnchanged(source, destination, outcome.inputType),
      });
      this.#onState(destination, stateOf(written));
    }
    return this.#shown(destination);
  }

  #shown(path: string): string {
    const shown = relative(this.#cwd, path);
    return shown.startsWith('..') ? path : shown;
  }

  #result(file: FoundFile, outcome: Optimized, output: string | null): FileResult {
    const { inputBytes, inputType, score, isCached } = outcome;
    const facts = { ...blankResult(file.path, inputBytes), output, inputType, score, isCached };
    if (outcome.kind === 'kept') {
      return { ...facts, status: 'kept', outputType: inputType, reason: outcome.reason };
    }
    const { bytes, type } = outcome;
    return { ...facts, status: 'optimized', outputBytes: bytes.length, outputType: type };
  }
}

/** System errors concern one file and must not end the run; anything else is a bug, which has to show. */
function asOptimizeError(error: unknown): OptimizeError {
  if (error instanceof OptimizeError) return error;
  if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
  return readError(error);
}

function blankResult(path: string, bytes: number): FileResult {
  return {
    path,
    status: 'skipped',
    output: null,
    inputBytes: bytes,
    outputBytes: bytes,
    inputType: null,
    outputType: null,
    score: null,
    reason: null,
    isCached: false,
    error: null,
  };
}

function failedResult(path: string, bytes: number, error: OptimizeError): FileResult {
  return { ...blankResult(path, bytes), status: 'failed', error };
}

function summaryOf(files: readonly FileResult[], run: Run): Summary {
  const sum = (bytes: 'inputBytes' | 'outputBytes') =>
    files.reduce((total, file) => total + file[bytes], 0);
  const stops = files.flatMap(({ error }) => error?.stop ?? []);
  const order: readonly StopReason[] = ['key', 'quota', 'unreachable'];
  return {
    files,
    inputBytes: sum('inputBytes'),
    outputBytes: sum('outputBytes'),
    requests: run.optimizer.sent,
    quotaRemaining: run.quotaRemaining,
    cacheError: run.optimizer.cacheError,
    stop: order.find((reason) => stops.includes(reason)) ?? null,
    isCancelled: run.isCancelled,
  };
}
