import { setMaxListeners } from 'node:events';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { dirname, resolve } from 'node:path';
import type { Wait } from '../client/client.ts';
import { isAbort, OptimizeError, readError, type StopReason } from '../errors.ts';
import { imageTypeOf } from '../images.ts';
import {
  checkOptions,
  checkSet,
  checkSettings,
  type OptimizeOptions,
  type SetOptions,
} from '../options.ts';
import { defaultCacheFolder } from './cache.ts';
import { Destinations, expectedType } from './destination.ts';
import { type Found, type FoundFile, findFiles, type Scope, shownPath } from './find.ts';
import { type Optimized, Optimizer } from './optimizer.ts';
import { Placement, type Source } from './placement.ts';
import {
  blankResult,
  type FileResult,
  failedResult,
  type RunEvent,
  type Summary,
} from './report.ts';
import { SetOptimizer } from './set-optimizer.ts';
import { namesInSet, SetRun } from './set-run.ts';
import { has, readWhole, realPathOf, stateOf } from './state.ts';
import { serviceIn, type Workplace, type WorkplaceSettings, workplaceFor } from './workplace.ts';
import { removeOldParts, writeWhole } from './write.ts';

export interface RunSettings extends WorkplaceSettings {
  readonly options?: OptimizeOptions;
  /**
   * Makes several results of each image, which go beside it or into `out`. Instead of `options` and `inPlace`; the image
   * itself is never replaced.
   */
  readonly set?: SetOptions | undefined;
  /** With `set`: how wide a page shows the images, for the markup. Default: `{{sizes}}`, to be filled in. */
  readonly sizes?: string | undefined;
  /** Folder for the results. */
  readonly out?: string | undefined;
  /** Whether files are replaced by their results; those in another format are put next to them. Instead of `out`. */
  readonly inPlace?: boolean;
  /** Cache folder, or `false` for no cache. Default: in the user's cache folder. */
  readonly cache?: string | false;
  /** Number of images processed in parallel. Default: that of the cores, or 4 if a service does the work. */
  readonly concurrency?: number | undefined;
  /** Only lists what would be optimized: sends and writes nothing. */
  readonly dryRun?: boolean;
  /** `false`: only measures what could be saved: writes nothing except the cache. */
  readonly write?: boolean;
  /** Whether results keep the modification time of the original. */
  readonly keepTime?: boolean;
  /** Folder that inputs and `out` are relative to. */
  readonly cwd?: string;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: RunEvent) => void;
}

const settingNames = {
  ...{ service: true, url: true, key: true, options: true, out: true, inPlace: true },
  ...{ set: true, sizes: true },
  ...{ cache: true, concurrency: true, dryRun: true, write: true, keepTime: true },
  ...{ cwd: true, signal: true, onEvent: true },
};

/** Images that are sent at a time. */
const requestsAtATime = 4;

/**
 * Optimizes files, folders and globs. Errors of single files are returned, not thrown.
 * @throws RangeError if the settings do not say where results go or make no sense, such as an address that is no URL
 */
export async function optimizeFiles(
  inputs: readonly string[],
  settings: RunSettings = {},
): Promise<Summary> {
  // Its characters are inputs as well, and one of them may be the root of all folders.
  if (typeof inputs === 'string') throw new RangeError('Name files, folders and globs in a list.');
  checkSettings(settings, settingNames);
  const scope = await scopeOf(settings);
  const found = await findFiles(inputs, scope);
  return runOver(found, settings, scope, new Destinations());
}

/**
 * Where a run looks for images and puts results.
 * @throws RangeError if that is not said, or said twice: files are replaced only on demand
 */
export async function scopeOf(settings: RunSettings): Promise<Scope> {
  const { cwd = process.cwd(), out, inPlace = false, dryRun, write, set, options } = settings;
  if (set && (inPlace || options)) {
    throw new RangeError('`set` excludes `inPlace` and `options`: it has options of its own.');
  }
  if (settings.sizes !== undefined && !set) throw new RangeError('`sizes` needs a `set`.');
  const isWriting = dryRun !== true && write !== false;
  if (isWriting && !set && out === undefined && !inPlace) {
    throw new RangeError('Say where results go: either `inPlace: true`, or a folder as `out`.');
  }
  if (isWriting && out !== undefined && inPlace) {
    throw new RangeError('`inPlace: true` and `out` exclude each other.');
  }
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
  const add = (event: DoneEvent) => {
    results.push(...(event.type === 'set' ? event.set.files : [event.file]));
    onEvent(event);
  };
  for (const { path, error } of missing) {
    add({ type: 'file', file: failedResult(path, 0, error) });
  }
  try {
    await run.tools.optimizer.prune();
    await run.all(files, add);
    return summaryOf(results, run);
  } finally {
    await run.tools.workplace.close?.();
  }
}

/** Tells what came of an image. */
type DoneEvent = Extract<RunEvent, { readonly type: 'file' | 'set' }>;

/** What a run works with. */
interface Tools {
  readonly optimizer: Optimizer;
  /** Null unless sets are to be made. */
  readonly sets: SetOptimizer | null;
  readonly workplace: Workplace;
  /** Number of images processed in parallel. */
  readonly concurrency: number;
}

/** @throws RangeError if the settings make no sense */
export function toolsFor(settings: RunSettings): Tools {
  const { options = {}, set, cache, dryRun, onEvent, signal } = settings;
  checkOptions(options);
  if (set) checkSet(set);
  const service = serviceIn(settings);
  const usual = service === null ? availableParallelism() : requestsAtATime;
  const { concurrency = usual } = settings;
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw new RangeError('The number of images processed in parallel must be 1 or more.');
  }
  // every image, request and wait listens to it
  if (signal) setMaxListeners(0, signal);
  const onWait = onEvent && ((wait: Wait) => onEvent({ type: 'wait', ...wait }));
  const workplace = workplaceFor(service, concurrency, onWait);
  const shared = {
    workplace,
    cache: cache === false ? null : (cache ?? defaultCacheFolder()),
    isCacheReadOnly: dryRun === true,
  };
  const optimizer = new Optimizer({ ...shared, options });
  const sets = set ? new SetOptimizer({ ...shared, set }) : null;
  return { optimizer, sets, workplace, concurrency };
}

/** Works on items in their order, so many at a time. */
export async function atATime<Item>(
  count: number,
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const one = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: count }, one));
}

/** One run over a list of files. */
class Run {
  readonly tools: Tools;
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
    this.#settings = settings;
    this.#cwd = cwd;
    this.#onState = onState;
    this.tools = toolsFor(settings);
    const { optimizer, sets } = this.tools;
    const results = sets ? { known: (bytes: Uint8Array) => sets.result(bytes) } : optimizer;
    this.#placement = new Placement(outFolder, destinations, results);
  }

  get isCancelled(): boolean {
    return this.#settings.signal?.aborted === true;
  }

  /** @param add called with what came of each image */
  async all(files: readonly FoundFile[], add: (event: DoneEvent) => void): Promise<void> {
    const { onEvent, options, set } = this.#settings;
    await this.#placement.claimAll(files, (inputType) => {
      if (set) return namesInSet(set, inputType);
      const type = expectedType(options?.format, inputType);
      return type ? [{ type }] : [];
    });
    const sets = this.#setRun(files);
    await atATime(this.tools.concurrency, files, async (file) => {
      if (this.isCancelled) return;
      onEvent?.({ type: 'start', path: file.path });
      add(await this.#one(file, sets));
    });
  }

  #setRun(files: readonly FoundFile[]): SetRun | null {
    const { sets } = this.tools;
    const { set } = this.#settings;
    if (!sets || !set) return null;
    return new SetRun(files, {
      ...{ set, sets, settings: this.#settings, cwd: this.#cwd, placement: this.#placement },
      make: (bytes) => this.#counted(sets.optimize(bytes, this.#settings.signal)),
      put: (source, destination, bytes, inputType) =>
        this.#put(source, destination, bytes, inputType),
    });
  }

  async #one(file: FoundFile, sets: SetRun | null): Promise<DoneEvent> {
    let inputBytes = 0;
    try {
      const { bytes, before } = await readWhole(file.realPath);
      inputBytes = bytes.length;
      this.#onState(file.realPath, stateOf(before));
      const source = { file, bytes, before };
      return sets ? await sets.one(source) : fileEvent(await this.#optimized(source));
    } catch (error) {
      if (isAbort(error, this.#settings.signal)) {
        const blank = blankResult(file.path, inputBytes);
        return fileEvent({ ...blank, status: 'skipped', reason: 'cancelled' });
      }
      const failure = asOptimizeError(error);
      const isReplaced = failure.code === 'changed_meanwhile' && !sets;
      const own = isReplaced ? await this.#ownResultIn(file) : null;
      return fileEvent(own ?? failedResult(file.path, inputBytes, failure));
    }
  }

  /** The result for a file that another process has replaced by a result of these options; null otherwise. */
  async #ownResultIn(file: FoundFile): Promise<FileResult | null> {
    const bytes = await readFile(file.realPath).catch(() => null);
    const known = bytes && (await this.tools.optimizer.known(bytes));
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
    const refusal = type && (await this.#refusal(source, inputType, type));
    if (refusal) return { ...blank, reason: refusal };
    const outcome = await (dryRun ? this.tools.optimizer.known(bytes) : this.#outcome(bytes));
    if (!outcome) return { ...blank, status: 'planned' };
    if (type === null && outcome.kind === 'smaller') {
      const late = await this.#refusal(source, inputType, outcome.type);
      if (late) return { ...blank, reason: late };
    }
    if (dryRun) return this.#plannedResult(source, outcome);
    return this.#result(file, outcome, await this.#write(source, outcome));
  }

  /** What a dry run tells about an outcome of the cache: that it is there only if it is. */
  async #plannedResult({ file, bytes }: Source, known: Optimized): Promise<FileResult> {
    const destination = await this.#destination(file, known);
    const isThere = await has(destination, known.kind === 'smaller' ? known.bytes : bytes);
    const result = this.#result(file, known, isThere ? this.#shown(destination) : null);
    return isThere || known.kind === 'kept' ? result : { ...result, status: 'planned' };
  }

  async #refusal(source: Source, inputType: string, type: string): Promise<'exists' | null> {
    const destination = await this.#placement.destination(source.file, inputType, { type });
    return this.#placement.refusal(source, inputType, type, destination);
  }

  #outcome(bytes: Uint8Array<ArrayBuffer>): Promise<Optimized> {
    return this.#counted(this.tools.optimizer.optimize(bytes, this.#settings.signal));
  }

  /** Notes what is left of the quota. */
  async #counted<Made extends { readonly quotaRemaining: number | null }>(
    work: Promise<Made>,
  ): Promise<Made> {
    const made = await work;
    const { quotaRemaining } = made;
    if (quotaRemaining !== null) {
      // counted when the request arrived, so a slow one reports an old number
      this.quotaRemaining = Math.min(quotaRemaining, this.quotaRemaining ?? quotaRemaining);
    }
    return made;
  }

  #destination(file: FoundFile, outcome: Optimized): Promise<string> {
    const type = outcome.kind === 'smaller' ? outcome.type : outcome.inputType;
    return this.#placement.destination(file, outcome.inputType, { type });
  }

  /** @returns the path of the result, for display */
  async #write(source: Source, outcome: Optimized): Promise<string> {
    const destination = await this.#destination(source.file, outcome);
    await removeOldParts(dirname(destination));
    const bytes = outcome.kind === 'smaller' ? outcome.bytes : source.bytes;
    const isThere = outcome.kind === 'kept' && destination === source.file.realPath;
    if (!isThere) await this.#put(source, destination, bytes, outcome.inputType);
    return this.#shown(destination);
  }

  /** Puts a result in its place, unless it is there. */
  async #put(
    source: Source,
    destination: string,
    bytes: Uint8Array,
    inputType: string,
  ): Promise<void> {
    if (await has(destination, bytes)) return;
    this.#settings.signal?.throwIfAborted();
    const { before } = source;
    const written = await writeWhole(destination, bytes, {
      like: before,
      // beside its image, a folder that is missing has been deleted meanwhile
      createFolder: this.#settings.out !== undefined,
      ...(this.#settings.keepTime && { keepTimeOf: before }),
      beforeRename: () => this.#placement.assertUnchanged(source, destination, inputType),
    });
    this.#onState(destination, stateOf(written));
  }

  #shown(path: string): string {
    return shownPath(path, this.#cwd);
  }

  #result(file: FoundFile, outcome: Optimized, output: string | null): FileResult {
    const { inputBytes, inputType, score, placeholder = null, isCached } = outcome;
    const facts = {
      ...blankResult(file.path, inputBytes),
      ...{ output, inputType, score, placeholder, isCached },
    };
    if (outcome.kind === 'kept') {
      return { ...facts, status: 'kept', outputType: inputType, reason: outcome.reason };
    }
    const { bytes, type } = outcome;
    return { ...facts, status: 'optimized', outputBytes: bytes.length, outputType: type };
  }
}

function fileEvent(file: FileResult): DoneEvent {
  return { type: 'file', file };
}

/** System errors concern one file and must not end the run; anything else is a bug, which has to show. */
function asOptimizeError(error: unknown): OptimizeError {
  if (error instanceof OptimizeError) return error;
  if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
  return readError(error);
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
    requests: run.tools.workplace.sent,
    quotaRemaining: run.quotaRemaining,
    // in KiB
    peakMemory: run.tools.workplace.sent === null ? process.resourceUsage().maxRSS * 1024 : null,
    cacheError: run.tools.optimizer.cacheError ?? run.tools.sets?.cacheError ?? null,
    stop: order.find((reason) => stops.includes(reason)) ?? null,
    isCancelled: run.isCancelled,
  };
}
