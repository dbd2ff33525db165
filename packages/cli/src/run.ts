import { constants, type Stats } from 'node:fs';
import { access, readFile, stat } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { defaultCacheFolder } from './cache.ts';
import type { Wait } from './client.ts';
import { isAbort, OptimizeError, type StopReason } from './errors.ts';
import { Destinations, destinationOf, expectedType } from './files/destination.ts';
import { type Found, type FoundFile, findFiles, type Scope } from './files/find.ts';
import { stateOf, writeWhole } from './files/write.ts';
import { imageTypeOf, typeOfName } from './images.ts';
import { type Optimized, Optimizer } from './optimizer.ts';
import type { OptimizeOptions } from './options.ts';

export interface RunSettings {
  /** Address of the service, such as `https://images.example`. Default: `IMGO_URL`. */
  readonly url?: string;
  /** An API key. Default: `IMGO_KEY`. Without one, only cached results are used. */
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
   * `optimized`: the result is in `output`. `kept`: nothing smaller was found. `skipped`: see `reason`. `planned`: would
   * be sent (dry run). `failed`: see `error`; the file is unchanged.
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
   * Why there is no result: `already-optimal`, `animated`, `larger-format`, `optimized-before`, `cancelled`, or `exists`:
   * another file has the result's name.
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
  /** Why the run stopped sending; null if it did not. */
  readonly stop: StopReason | null;
  readonly isCancelled: boolean;
}

const defaultConcurrency = 4;

/**
 * Optimizes files, folders and globs. Errors of single files are returned, not thrown.
 * @throws RangeError if the address of the service is not a URL
 */
export async function optimizeFiles(
  inputs: readonly string[],
  settings: RunSettings,
): Promise<Summary> {
  const scope = scopeOf(settings);
  const found = await findFiles(inputs, scope);
  return runOver(found, settings, new Destinations());
}

export function scopeOf({ cwd = process.cwd(), out }: RunSettings): Scope {
  return { cwd, outFolder: out === undefined ? null : resolve(cwd, out) };
}

/**
 * Optimizes files that have been found.
 * @param destinations those of earlier runs over the same folders are respected and added to
 * @param onState called with the state (see `stateOf`) of each file that is read or written
 */
export async function runOver(
  { files, missing }: Found,
  settings: RunSettings,
  destinations: Destinations,
  onState?: (path: string, state: string) => void,
): Promise<Summary> {
  const { onEvent = () => {}, dryRun } = settings;
  const run = new Run(settings, destinations, onState ?? (() => {}));
  onEvent({ type: 'found', count: files.length + missing.length });
  const results: FileResult[] = [];
  const add = (file: FileResult) => {
    results.push(file);
    onEvent({ type: 'file', file });
  };
  for (const { path, error } of missing) add(failedResult(path, 0, error));
  if (!dryRun) await run.optimizer.prune();
  await run.all(files, add);
  return summaryOf(results, run);
}

/** One run over a list of files. */
class Run {
  readonly optimizer: Optimizer;
  readonly #settings: RunSettings;
  readonly #cwd: string;
  readonly #outFolder: string | null;
  readonly #destinations: Destinations;
  readonly #onState: (path: string, state: string) => void;
  quotaRemaining: number | null = null;

  constructor(
    settings: RunSettings,
    destinations: Destinations,
    onState: (path: string, state: string) => void,
  ) {
    const { IMGO_URL = '', IMGO_KEY } = process.env;
    const { url = IMGO_URL, key = IMGO_KEY, options = {}, cache, onEvent } = settings;
    const { cwd, outFolder } = scopeOf(settings);
    this.#settings = settings;
    this.#cwd = cwd;
    this.#outFolder = outFolder;
    this.#destinations = destinations;
    this.#onState = onState;
    this.optimizer = new Optimizer({
      url,
      key,
      options,
      cache: cache === false ? null : (cache ?? defaultCacheFolder()),
      ...(onEvent && { onWait: (wait: Wait) => onEvent({ type: 'wait', ...wait }) }),
    });
  }

  get isCancelled(): boolean {
    return this.#settings.signal?.aborted === true;
  }

  /** @param add called with each result */
  async all(files: readonly FoundFile[], add: (result: FileResult) => void): Promise<void> {
    this.#claimDestinations(files);
    const { concurrency = defaultConcurrency, onEvent } = this.#settings;
    const queue = files.values();
    const work = async () => {
      for (const file of queue) {
        if (this.isCancelled) return;
        onEvent?.({ type: 'start', path: file.path });
        add(await this.#one(file));
      }
    };
    await Promise.all(Array.from({ length: Math.max(1, concurrency) }, work));
  }

  /**
   * Claims destinations before anything is sent, in the order of names, so that if two results have the same name, it is
   * always the second image that fails. With `format=auto` and for misnamed files, collisions only show with the result.
   */
  #claimDestinations(files: readonly FoundFile[]): void {
    const { options = {} } = this.#settings;
    if (this.#outFolder !== null) {
      // a result must not replace another source
      for (const { realPath } of files) this.#destinations.claim(realPath, realPath);
    }
    for (const file of files) {
      const inputType = typeOfName(file.realPath);
      const type = inputType && expectedType(options.format, inputType);
      if (!type) continue;
      const destination = destinationOf(file, this.#outFolder, inputType, type);
      if (destination !== file.realPath) this.#destinations.tryClaim(destination, file.realPath);
    }
  }

  async #one(file: FoundFile): Promise<FileResult> {
    let inputBytes = 0;
    try {
      const { bytes, before } = await read(file.realPath);
      inputBytes = bytes.length;
      this.#onState(file.realPath, stateOf(before));
      return await this.#optimized(file, bytes, before);
    } catch (error) {
      if (isAbort(error, this.#settings.signal)) {
        return { ...blankResult(file.path, inputBytes), status: 'skipped', reason: 'cancelled' };
      }
      if (error instanceof OptimizeError) return failedResult(file.path, inputBytes, error);
      throw error;
    }
  }

  async #optimized(
    file: FoundFile,
    bytes: Uint8Array<ArrayBuffer>,
    before: Stats,
  ): Promise<FileResult> {
    const inputType = imageTypeOf(bytes);
    if (inputType === null) throw new OptimizeError('not_an_image');
    const { options = {}, dryRun } = this.#settings;
    const blank = { ...blankResult(file.path, bytes.length), inputType };
    if (this.#settings.write === false) {
      return this.#result(file, await this.#outcome(bytes), null);
    }
    const type = expectedType(options.format, inputType);
    const refusal = type && (await this.#refusal(file, inputType, type, before));
    if (refusal) return { ...blank, status: 'skipped', reason: refusal };
    if (dryRun) {
      const known = await this.optimizer.known(bytes);
      if (known === null) return { ...blank, status: 'planned' };
      return this.#result(file, known, this.#shown(this.#destination(file, known)));
    }
    const outcome = await this.#outcome(bytes);
    if (type === null && outcome.kind === 'smaller') {
      const late = await this.#refusal(file, inputType, outcome.type, before);
      if (late) return { ...blank, status: 'skipped', reason: late };
    }
    return this.#result(file, outcome, await this.#write(file, bytes, outcome, before));
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

  #destination(file: FoundFile, outcome: Optimized): string {
    const type = outcome.kind === 'smaller' ? outcome.type : outcome.inputType;
    return destinationOf(file, this.#outFolder, outcome.inputType, type);
  }

  /**
   * Checks whether a result of this type could be written. Returns `exists` if it would replace a file that is neither
   * the original nor an earlier result of these options.
   * @throws OptimizeError if the file or folder is read-only, or the destination belongs to another source
   */
  async #refusal(
    file: FoundFile,
    inputType: string,
    type: string,
    before: Stats,
  ): Promise<'exists' | null> {
    const destination = destinationOf(file, this.#outFolder, inputType, type);
    if (destination === file.realPath) {
      if ((before.mode & 0o222) === 0) throw new OptimizeError('read_only');
    } else {
      this.#destinations.claim(destination, file.realPath);
    }
    if (this.#outFolder !== null) return null;
    // before anything is sent and charged
    await access(dirname(destination), constants.W_OK).catch((cause: unknown) => {
      throw new OptimizeError('cannot_write', { cause });
    });
    if (destination === file.realPath) return null;
    const there = await readFile(destination).catch(() => null);
    if (there === null) return null;
    const known = await this.optimizer.known(new Uint8Array(there));
    return known?.kind === 'kept' && known.madeFrom === inputType ? null : 'exists';
  }

  /** @returns the path of the result, for display */
  async #write(
    file: FoundFile,
    original: Uint8Array,
    outcome: Optimized,
    before: Stats,
  ): Promise<string> {
    const destination = this.#destination(file, outcome);
    const bytes = outcome.kind === 'smaller' ? outcome.bytes : original;
    const isOwn = destination === file.realPath;
    if (!isOwn) this.#destinations.claim(destination, file.realPath);
    const isThere = outcome.kind === 'kept' && isOwn;
    if (!isThere && !(await has(destination, bytes))) {
      this.#settings.signal?.throwIfAborted();
      const written = await writeWhole(destination, bytes, {
        like: before,
        ...(this.#settings.keepTime && { keepTimeOf: before }),
        beforeRename: async () => {
          const now = await stat(file.realPath).catch(() => null);
          if (now === null || stateOf(before) !== stateOf(now)) {
            throw new OptimizeError('changed_meanwhile');
          }
        },
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

async function read(path: string): Promise<{ bytes: Uint8Array<ArrayBuffer>; before: Stats }> {
  try {
    const before = await stat(path);
    return { before, bytes: new Uint8Array(await readFile(path)) };
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException;
    const detail = `The file cannot be read (${code}): check its permissions.`;
    throw new OptimizeError(code === 'ENOENT' ? 'not_found' : 'cannot_read', {
      ...(code !== 'ENOENT' && { detail }),
      cause,
    });
  }
}

/** Whether a file has these bytes already; it is then left alone, and keeps its modification time. */
async function has(path: string, bytes: Uint8Array): Promise<boolean> {
  const there = await stat(path).catch(() => null);
  return there?.size === bytes.length && (await readFile(path)).equals(bytes);
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
    stop: order.find((reason) => stops.includes(reason)) ?? null,
    isCancelled: run.isCancelled,
  };
}
