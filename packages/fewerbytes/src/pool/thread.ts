import { type SentError, sentError } from '../../../../src/image/image-error.ts';
import {
  type Budgets,
  createEngine,
  ImageError,
  type ImageSet,
  LoadingError,
  type Optimized,
  type OptimizeOptions,
  type Plan,
  type Run,
  type SetOptions,
} from '../engine/index.ts';
import { port } from '../platform/node.ts';

// What runs in each thread of a pool: one picture at a time.

// What a pool and its threads tell each other. Errors lose their class on the way, so they travel as data.

/** What can be asked for, and what it is asked with. */
export interface Options {
  readonly optimize: OptimizeOptions;
  readonly optimizeSet: SetOptions;
  readonly plan: OptimizeOptions;
}

/** What comes of it. */
export interface Results {
  readonly optimize: Optimized;
  readonly optimizeSet: SentSet;
  readonly plan: Plan;
}

type FailedResult = ImageSet['failed'][number];

/** A set on its way. */
export interface SentSet extends Omit<ImageSet, 'failed'> {
  readonly failed: readonly (Omit<FailedResult, 'error'> & { readonly error: SentError })[];
}

/** Something to do, with its options. */
export type Task = {
  [Kind in keyof Options]: { readonly kind: Kind; readonly options: Options[Kind] };
}[keyof Options];

/** To a thread. */
export type Order =
  | {
      readonly kind: 'begin';
      readonly id: number;
      readonly task: Task;
      readonly image: Uint8Array<ArrayBuffer>;
      readonly budgets: Partial<Budgets>;
      readonly isWatched: boolean;
    }
  | { readonly kind: 'abort'; readonly id: number };

/** From a thread. */
export type Report =
  | { readonly kind: 'progress'; readonly id: number; readonly fraction: number }
  | { readonly kind: 'done'; readonly id: number; readonly result: Results[keyof Results] }
  | { readonly kind: 'refused'; readonly id: number; readonly error: SentError }
  /** Code that could not be loaded, or a bug. */
  | {
      readonly kind: 'failed';
      readonly id: number;
      readonly message: string;
      readonly isLoading: boolean;
    };

/** By the ids of orders. */
const aborts = new Map<number, AbortController>();

/** Reports of progress are at least this far apart. */
const progressStep = 0.01;

port.onMessage((message) => {
  const order = message as Order;
  if (order.kind === 'abort') aborts.get(order.id)?.abort();
  else carryOut(order);
});

async function carryOut({
  id,
  task,
  image,
  budgets,
  isWatched,
}: Extract<Order, { readonly kind: 'begin' }>): Promise<void> {
  const abort = new AbortController();
  aborts.set(id, abort);
  let told = 0;
  const onProgress = (fraction: number) => {
    if (fraction < told + progressStep) return;
    told = fraction;
    send({ kind: 'progress', id, fraction });
  };
  try {
    const run = { signal: abort.signal, ...(isWatched && { onProgress }) };
    const { result, files } = await resultOf(task, image, budgets, run);
    send({ kind: 'done', id, result }, files);
  } catch (error) {
    if (error instanceof ImageError) {
      send({ kind: 'refused', id, error: sentError(error) });
    } else {
      const message = error instanceof Error ? error.message : `${error}`;
      send({ kind: 'failed', id, message, isLoading: error instanceof LoadingError });
    }
  } finally {
    aborts.delete(id);
  }
}

/** @returns what comes of a task, and the memory of the files in it, which is handed over */
async function resultOf(
  { kind, options }: Task,
  image: Uint8Array<ArrayBuffer>,
  budgets: Partial<Budgets>,
  run: Run,
): Promise<{ result: Results[keyof Results]; files: readonly ArrayBuffer[] }> {
  const engine = createEngine(budgets);
  switch (kind) {
    case 'optimize': {
      const result = await engine.optimize(image, options, run);
      return { result, files: [result.bytes.buffer] };
    }
    case 'optimizeSet': {
      const set = await engine.optimizeSet(image, options, run);
      const failed = set.failed.map((one) => ({ ...one, error: sentError(one.error) }));
      return { result: { ...set, failed }, files: filesOf(set) };
    }
    case 'plan':
      return { result: await engine.plan(image, options), files: [] };
    default:
      return kind satisfies never;
  }
}

/** Several results may have the same memory. */
function filesOf({ results }: ImageSet): readonly ArrayBuffer[] {
  return [...new Set(results.map(({ bytes }) => bytes.buffer))];
}

function send(report: Report, transferred: readonly ArrayBuffer[] = []): void {
  port.post(report, transferred);
}
