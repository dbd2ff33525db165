import { factsOf, type ImageType } from './formats/facts.ts';
import type { Inspection, Source } from './formats/inspection.ts';
import { uprightSize } from './formats/registry.ts';
import { execute } from './pipeline/execute.ts';
import { explainRefusal, explainUnreadable } from './pipeline/explain.ts';
import { interestIn, interestPreview } from './pipeline/interest.ts';
import { defaultOptions, type OptimizeOptions } from './pipeline/options.ts';
import { placeholderOf, placeholderPreview } from './pipeline/placeholder.ts';
import { type Plan, plan as planFor } from './pipeline/plan.ts';
import { type Cost, expectedCost, predictedCpu } from './pipeline/predicted-cpu.ts';
import { predictedPeak, worstPeak } from './pipeline/predicted-memory.ts';
import { preview } from './pipeline/preview.ts';
import {
  type Description,
  describe,
  effectiveSource,
  hasPackedProfile,
  readHeaders,
  withProfile,
} from './pipeline/read-source.ts';
import type { Result } from './pipeline/result.ts';
import type { Size } from './pixels/raster.ts';
import type { Refusal } from './refusal.ts';
import { RunningWork } from './running-work.ts';
import type { Slices } from './slices.ts';
import { type Budgets, within, workersBudgets } from './wasm/budgets.ts';
import { type Hold, ledger, type MemoryLedger, type Peak } from './wasm/memory-ledger.ts';
import type { ReleaseFile } from './wasm/run-in-arena.ts';

// The door to the engine: whoever optimizes images goes through it. It knows no HTTP and no database, and touches
// neither network nor files.

export { fileTooLarge, ImageError, unsupportedType } from './image-error.ts';
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
export type { Cost } from './pipeline/predicted-cpu.ts';
export type { Description } from './pipeline/read-source.ts';
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

/** An optimized image. */
export interface Optimized extends Omit<Result, 'kind'> {
  readonly mediaType: string;
  /** File name extension, without a dot. */
  readonly extension: string;
  /** Number of frames of the source; 1 for a still. The result may have fewer, since equal frames are merged. */
  readonly frames: number;
  /** Whether it is at least 1% smaller than the file. */
  readonly optimized: boolean;
  /**
   * Why it is not: nothing smaller was found, it is an animation of a kind that is not worked on, or the requested
   * format or size takes more bytes. Null if it is optimized.
   */
  readonly reason: 'already-optimal' | 'animated' | 'larger-format' | null;
  /** The ThumbHash of the result in base64; null if none was requested, or there are no pixels to make it of. */
  readonly placeholder: string | null;
}

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
  return {
    plan: planWithin,
    async optimize(file, options, run = {}) {
      const work = planWithin(file, options);
      const turn = latest;
      const made = turn.then(() => runInSlices(work, run));
      latest = made.catch(() => {});
      await unlessAborted(turn, run.signal);
      return await made;
    },
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

/** The engine with the budgets of Cloudflare Workers. */
export const { optimize, inspect, plan, predict } = createEngine();

/** Settles when the latest work of any engine has ended: there is one at a time. */
let latest: Promise<unknown> = Promise.resolve();

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

async function runInSlices(work: Work, { signal, onProgress }: Run): Promise<Optimized> {
  signal?.throwIfAborted();
  const running = work.start();
  try {
    for (;;) {
      const finished = running.next();
      onProgress?.(finished ? 1 : progressAt(running.cpuMs / work.cpuMs));
      if (finished) return finished.result;
      await turnOfEventLoop();
      signal?.throwIfAborted();
    }
  } finally {
    running.end();
  }
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

function planWork(file: Uint8Array<ArrayBuffer>, options: OptimizeOptions, budgets: Budgets): Work {
  const headers = readHeaders(file);
  if (headers.kind !== 'source') throw explainUnreadable(headers);
  const { type } = headers.image;
  // Nothing is unpacked for a picture that its headers rule out.
  if (hasPackedProfile(headers)) refuseSize(file, headers, options);
  const read = withProfile(headers, file);
  if (read.kind !== 'source') throw explainUnreadable(read).about(type);
  const source = effectiveSource(read, file, options);
  const found = planFor(source, options);
  if (found.kind === 'refused') throw explainRefusal(found, source, options).about(type);
  const { candidates } = found;
  const heldBytes = profileBytes(source);
  const interest = interestPreview(source, file, options);
  const small = placeholderPreview(source, file, options);
  const previews = [interest, small].filter((one) => one !== null);
  const worst = worstPeak([...candidates, ...previews]);
  const peak = { ...worst, buffers: Math.max(0, worst.buffers - heldBytes) };
  const { metadata: level, maxBytes, quality } = options;
  const settings = { level, maxBytes, isOpen: quality === 'auto' };
  const slices = function* (releaseFile: ReleaseFile): Slices<Optimized> {
    const position = interest && (yield* interestIn(file, interest, options));
    const settled = position ? { ...options, position } : options;
    const planned = position ? planFor(source, settled) : found;
    if (planned.kind === 'refused') throw explainRefusal(planned, source, options).about(type);
    // The work may free the file.
    const shown = position ? placeholderPreview(source, file, settled) : small;
    const pixels = shown && (yield* preview(file, shown));
    const result = yield* execute(file, source, planned, { ...settings, releaseFile });
    if (result.kind === 'refused') throw explainRefusal(result, source, options).about(type);
    const placeholder = pixels && (yield* placeholderOf(pixels, source, settled, result));
    return { ...optimizedOf(result, headers, planned), placeholder };
  };
  return {
    inputType: type,
    inputBytes: file.length,
    inputSize: uprightSize(source.image),
    cpuMs: predictedCpu([...candidates, ...previews]),
    peak,
    heldBytes,
    totalPeak: (fileBytes) =>
      within(budgets, () =>
        Math.max(...[candidates, previews].map((steps) => predictedPeak(steps, fileBytes))),
      ),
    start: (releaseFile = () => null) => new RunningWork(slices(releaseFile), peak, budgets),
  };
}

/** @throws ImageError if a picture is too large, whatever its profile */
function refuseSize(
  file: Uint8Array,
  headers: Source<Inspection & { readonly type: ImageType }>,
  options: OptimizeOptions,
): void {
  const source = effectiveSource(headers, file, options);
  const planned = planFor(source, options);
  if (planned.kind !== 'refused') return;
  switch (planned.reason) {
    case 'too-large':
    case 'animation-too-large':
    case 'file-too-large':
      throw explainRefusal(planned, source, options).about(headers.image.type);
  }
}

/** Bytes of the profile, which is held in addition to the file. */
function profileBytes({ icc, color }: Source): number {
  return (icc?.length ?? 0) + (color.profile?.length ?? 0);
}

/** Whether a result is at least 1% smaller than its source. */
export function isOptimized(bytesIn: number, bytesOut: number): boolean {
  return bytesOut <= bytesIn * 0.99;
}

function optimizedOf(
  { kind: _, ...made }: Result,
  { image, fileBytes }: Source,
  planned: Exclude<Plan, Refusal>,
): Omit<Optimized, 'placeholder'> {
  const { mediaType, extensions } = factsOf(made.type);
  const [extension] = extensions;
  const optimized = isOptimized(fileBytes, made.bytes.length);
  return {
    ...made,
    ...{ mediaType, extension },
    frames: image.frameTotals?.frames ?? image.frames,
    optimized,
    reason: optimized ? null : reasonFor(made.bytes.length, fileBytes, planned),
  };
}

function reasonFor(
  bytesOut: number,
  bytesIn: number,
  { kind, candidates }: Exclude<Plan, Refusal>,
): Optimized['reason'] {
  const isUntried =
    kind === 'animated' && candidates.every((candidate) => candidate.kind === 'passthrough');
  if (isUntried) return 'animated';
  return bytesOut > bytesIn ? 'larger-format' : 'already-optimal';
}
