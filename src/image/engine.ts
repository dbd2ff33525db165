import type { ImageType } from './formats/facts.ts';
import { uprightSize } from './formats/registry.ts';
import { explainUnreadable } from './pipeline/explain.ts';
import { defaultOptions, type OptimizeOptions } from './pipeline/options.ts';
import {
  type Optimized,
  plannedResult,
  profileBytes,
  readPicture,
} from './pipeline/planned-result.ts';
import { type Cost, expectedCost } from './pipeline/predicted-cpu.ts';
import { worstPeak } from './pipeline/predicted-memory.ts';
import { type Description, describe, readHeaders } from './pipeline/read-source.ts';
import {
  type DeliverOutcome,
  type Learned,
  type NamedResult,
  type PlannedPass,
  type PlannedSet,
  plannedSet,
  type SetOutcome,
} from './pipeline/set/planned-set.ts';
import type { SetOptions } from './pipeline/set/set-options.ts';
import type { Size } from './pixels/raster.ts';
import { RunningWork } from './running-work.ts';
import { type Budgets, use, within, workersBudgets } from './wasm/budgets.ts';
import { type Hold, ledger, type MemoryLedger, type Peak } from './wasm/memory-ledger.ts';
import type { ReleaseFile } from './wasm/run-in-arena.ts';

// The door to the engine: whoever optimizes images goes through it. It knows no HTTP and no database, and touches
// neither network nor files.

export {
  fileTooLarge,
  ImageError,
  receivedError,
  type SentError,
  sentError,
  unsupportedType,
} from './image-error.ts';
export {
  anyType,
  choices,
  defaultOptions,
  type GivenOptions,
  maxSide,
  namedPositions,
  type OptimizeOptions,
  type OptionRule,
  optionRules,
  pointPattern,
  positionOf,
  readOptions,
} from './pipeline/options.ts';
export { isOptimized, type Optimized } from './pipeline/planned-result.ts';
export type { Cost } from './pipeline/predicted-cpu.ts';
export type { Description } from './pipeline/read-source.ts';
export type {
  DeliverOutcome,
  Learned,
  NamedResult,
  SetOutcome,
} from './pipeline/set/planned-set.ts';
export {
  type GivenSetOptions,
  itemsOf,
  problemOf,
  ratioFits,
  ratioOf,
  ratioPattern,
  readSetOptions,
  type SetOptions,
  setLimits,
} from './pipeline/set/set-options.ts';
export { resizeTarget } from './pixels/resize-target.ts';
export type { RunningWork } from './running-work.ts';
export type { Budgets } from './wasm/budgets.ts';
export {
  fitsAlone,
  type Hold,
  type Holder,
  ledger,
  type Peak,
  smallBytes,
} from './wasm/memory-ledger.ts';

/** Planned work on one file, which must stay unchanged until it is done. */
export interface Work {
  readonly inputType: ImageType;
  readonly inputBytes: number;
  /** In pixels, as a viewer shows it. */
  readonly inputSize: Size;
  /** Predicted CPU time in milliseconds. */
  readonly cpuMs: number;
  /** Peak memory of the work, in addition to the file and `heldBytes`. */
  readonly peak: Peak;
  /** Bytes that were read from the file and are held until the work is done: its profile. */
  readonly heldBytes: number;
  /**
   * Predicted peak of an otherwise idle isolate that does this work, in bytes.
   * @param fileBytes memory that the file takes, which may be more than its length
   */
  totalPeak(fileBytes: number): number;
  /**
   * Starts the work, whose slices then throw an ImageError if nothing comes of it.
   * @param releaseFile hands over the memory of the file when nothing needs it any more
   * @throws Error if other work is running
   */
  start(releaseFile?: ReleaseFile): RunningWork<Optimized>;
}

/** Planned work on a set of results of one file, which must stay unchanged until all passes are done. */
export interface SetWork extends Omit<Work, 'start'> {
  /** What passes so far have learned; another plan of the same set can go on with it. */
  readonly learned: Learned;
  /** To be done in this order; other work may be done between them. */
  readonly passes: readonly [SetPass, ...SetPass[]];
}

/** Work on some results of a set. */
export interface SetPass extends Pick<Work, 'cpuMs' | 'totalPeak'> {
  /** What it makes; none if it only looks at the picture for later passes. */
  readonly results: readonly NamedResult[];
  /** Peak memory of the pass, in addition to the file, `SetWork.heldBytes` and results that were delivered before. */
  readonly peak: Peak;
  /**
   * Starts the pass.
   * @param deliver takes each result, or why there is none, as soon as it is made
   * @throws Error if other work is running
   */
  start(deliver: DeliverOutcome): RunningWork<void>;
}

/** How the work on a file is watched and ended. */
export interface Run {
  /** Ends the work at its next pause. */
  readonly signal?: AbortSignal;
  /** Receives the share of the work that has been done, rising from 0 to 1, roughly, by predicted CPU time. */
  onProgress?(fraction: number): void;
}

/** Optimizes images within budgets of its own. */
export interface Engine {
  /**
   * Optimizes a file, which must stay unchanged meanwhile, in slices between which other things can happen.
   * @throws ImageError; the reason of the signal if that ends it
   */
  optimize(
    file: Uint8Array<ArrayBuffer>,
    options?: Partial<OptimizeOptions>,
    run?: Run,
  ): Promise<Optimized>;
  /**
   * Reads the headers of a file.
   * @throws ImageError if it is no image of a supported type
   */
  inspect(file: Uint8Array): Description;
  /**
   * Reads the headers of a file and plans the work on it. Nothing is decoded.
   * @throws ImageError with the type of the file, as far as that is known
   */
  plan(file: Uint8Array<ArrayBuffer>, options?: Partial<OptimizeOptions>): Work;
  /**
   * Makes several results of a file, which must stay unchanged meanwhile. The picture is decoded as few times as memory
   * allows, and other work may be done between passes. If no more results are asked for, no more are made.
   * @throws ImageError if any result is ruled out by the headers; the reason of the signal if that ends it
   */
  optimizeSet(
    file: Uint8Array<ArrayBuffer>,
    set: SetOptions,
    run?: Run,
  ): AsyncGenerator<SetOutcome, void, void>;
  /**
   * Reads the headers of a file and plans a set of results of it. Nothing is decoded.
   * @param learned by passes of an earlier plan of the same set
   * @throws ImageError with the type of the file, as far as that is known
   */
  planSet(file: Uint8Array<ArrayBuffer>, set: SetOptions, learned?: Learned): SetWork;
  /**
   * What the work on a file is expected to take before any of it has arrived.
   * @param fileBytes its length; null if unknown
   */
  predict(fileBytes: number | null, options?: Partial<OptimizeOptions>): Cost;
  /** Accounts for files and results that are held beside the work, in the same memory. */
  readonly ledger: Pick<MemoryLedger, 'held' | 'hold' | 'keep'>;
}

/**
 * An engine with these budgets; without them, with those of Cloudflare Workers. All engines of a process share the
 * arenas, which never shrink, and take turns; what is held beside their work counts for all of them.
 * @throws RangeError if there is less memory than in Workers, or no CPU time
 */
export function createEngine(given: Partial<Budgets> = {}): Engine {
  const budgets = { ...workersBudgets, ...given };
  const { memory, maxCpuMs } = budgets;
  if (!(Number.isFinite(memory) && memory >= workersBudgets.memory)) {
    throw new RangeError(`memory must be finite, and at least ${workersBudgets.memory} bytes`);
  }
  if (!(maxCpuMs > 0)) throw new RangeError('maxCpuMs must be positive');
  const planWithin: Engine['plan'] = (file, options) =>
    within(budgets, () => planWork(file, { ...defaultOptions, ...options }, budgets));
  const planSetWithin: Engine['planSet'] = (file, set, learned) =>
    within(budgets, () => planSetWork(plannedSet(file, set, learned), file.length, budgets));
  return {
    plan: planWithin,
    async optimize(file, options, run = {}) {
      const work = planWithin(file, options);
      const tell = (ms: number) => run.onProgress?.(progressAt(ms / work.cpuMs));
      const made = await inTurn(run.signal, () => runInSlices(work.start(), tell, run.signal));
      run.onProgress?.(1);
      return made;
    },
    planSet: planSetWithin,
    optimizeSet: (file, set, run = {}) => outcomesOf(() => planSetWithin(file, set), run),
    inspect(file) {
      const headers = readHeaders(file);
      if (headers.kind !== 'source') throw explainUnreadable(headers);
      return describe(file, headers.image);
    },
    predict: (fileBytes, options) =>
      within(budgets, () => expectedCost(fileBytes, { ...defaultOptions, ...options })),
    ledger: {
      get held() {
        return within(budgets, () => ledger.held);
      },
      hold(bytes, holder) {
        const hold = within(budgets, () => ledger.hold(bytes, holder));
        return hold && holdWithin(budgets, hold);
      },
      keep: (bytes, holder) => holdWithin(budgets, ledger.keep(bytes, holder)),
    },
  };
}

/** The hold grows within these budgets. */
function holdWithin(budgets: Budgets, hold: Hold): Hold {
  return {
    get bytes() {
      return hold.bytes;
    },
    get isAlone() {
      return hold.isAlone;
    },
    resizeTo: (bytes) => within(budgets, () => hold.resizeTo(bytes)),
    touch: () => hold.touch(),
    release: () => hold.release(),
  };
}

/** The engine of this thread, with the budgets of Cloudflare Workers unless it has been given others. */
export let { optimize, inspect, plan, planSet, predict } = createEngine();

/**
 * Gives other budgets to the engine of this thread and to its ledger, before either is used.
 * @throws RangeError as `createEngine`
 */
export function setBudgets(given: Partial<Budgets>): void {
  ({ optimize, inspect, plan, planSet, predict } = createEngine(given));
  use({ ...workersBudgets, ...given });
}

/** Settles when the latest work of any engine has ended: there is one at a time. */
let latest: Promise<unknown> = Promise.resolve();

/** Does work when all earlier work of any engine has ended. @throws the reason of the signal if that comes first */
async function inTurn<Result>(
  signal: AbortSignal | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  const turn = latest;
  const made = turn.then(() => {
    signal?.throwIfAborted();
    return work();
  });
  latest = made.catch(() => {});
  await unlessAborted(turn, signal);
  return await made;
}

/** @throws the reason of the signal if that comes first */
async function unlessAborted(turn: Promise<unknown>, signal: AbortSignal | undefined) {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const leave = () => reject(signal?.reason);
    signal?.addEventListener('abort', leave);
    turn.then(() => {
      signal?.removeEventListener('abort', leave);
      resolve();
    });
  });
}

/** @param tell receives the predicted CPU time of the slices so far, in milliseconds */
async function runInSlices<Result>(
  running: RunningWork<Result>,
  tell: (cpuMs: number) => void,
  signal: AbortSignal | undefined,
): Promise<Result> {
  try {
    for (;;) {
      const finished = running.next();
      if (finished) return finished.result;
      tell(running.cpuMs);
      await turnOfEventLoop();
      signal?.throwIfAborted();
    }
  } finally {
    running.end();
  }
}

/** Makes the results of a set; those of a pass are held until they are asked for. */
async function* outcomesOf(
  plan: () => SetWork,
  { signal, onProgress }: Run,
): AsyncGenerator<SetOutcome, void, void> {
  const { cpuMs, passes } = plan();
  let msBefore = 0;
  for (const pass of passes) {
    let ms = 0;
    const made: { readonly outcome: SetOutcome; readonly hold: Hold }[] = [];
    const deliver = (outcome: SetOutcome) => {
      const bytes = outcome.kind === 'made' ? outcome.made.bytes.buffer.byteLength : 0;
      made.push({ outcome, hold: ledger.keep(bytes) });
    };
    const tell = (sum: number) => {
      ms = sum;
      onProgress?.(progressAt((msBefore + ms) / cpuMs));
    };
    try {
      await inTurn(signal, () => runInSlices(pass.start(deliver), tell, signal));
      msBefore += ms;
      for (const { outcome, hold } of made) {
        hold.release();
        yield outcome;
      }
    } finally {
      for (const { hold } of made) hold.release();
    }
  }
  onProgress?.(1);
}

/**
 * The share of the work that is said to be done. The slices together are usually predicted to take longer than the work,
 * because none of them may be longer than predicted; so the second half goes ever more slowly, instead of standing
 * still near its end.
 * @param share predicted CPU time of the slices so far, as a share of that of the work
 */
function progressAt(share: number): number {
  return share < 0.5 ? share : 1 - 0.25 / share;
}

/** Unlike a timer, a message has no minimum delay in browsers. */
function turnOfEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

function planSetWork(
  { inputType, inputSize, heldBytes, passes, learned }: PlannedSet,
  inputBytes: number,
  budgets: Budgets,
): SetWork {
  const runnable = (pass: PlannedPass): SetPass => ({
    ...pass,
    totalPeak: (fileBytes) => within(budgets, () => pass.totalPeak(fileBytes)),
    start: (deliver) => new RunningWork(pass.run(deliver), pass.peak, budgets),
  });
  const [first, ...others] = passes;
  return {
    ...{ inputType, inputSize, inputBytes, heldBytes, learned },
    cpuMs: passes.reduce((sum, pass) => sum + pass.cpuMs, 0),
    peak: worstPeak(passes),
    totalPeak: (fileBytes) =>
      within(budgets, () => Math.max(...passes.map((pass) => pass.totalPeak(fileBytes)))),
    passes: [runnable(first), ...others.map(runnable)],
  };
}

function planWork(file: Uint8Array<ArrayBuffer>, options: OptimizeOptions, budgets: Budgets): Work {
  const picture = readPicture(file, options);
  const { source, cpuMs, peak, totalPeak, make } = plannedResult(picture, options);
  return {
    inputType: picture.type,
    inputBytes: file.length,
    inputSize: uprightSize(source.image),
    ...{ cpuMs, peak },
    heldBytes: profileBytes(source),
    totalPeak: (fileBytes) => within(budgets, () => totalPeak(fileBytes)),
    start: (releaseFile = () => null) => new RunningWork(make(releaseFile), peak, budgets),
  };
}
