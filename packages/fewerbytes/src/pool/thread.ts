import {
  type Budgets,
  createEngine,
  ImageError,
  LoadingError,
  type Optimized,
  type OptimizeOptions,
  type Plan,
} from '../engine/index.ts';
import { port } from '../platform/node.ts';

// What runs in each thread of a pool: one picture at a time.

// What a pool and its threads tell each other. Errors lose their class on the way, so they travel as data.

/** What can be asked for, and what comes of it. */
export interface Results {
  readonly optimize: Optimized;
  readonly plan: Plan;
}

/** To a thread. */
export type Order =
  | {
      readonly kind: keyof Results;
      readonly id: number;
      readonly image: Uint8Array<ArrayBuffer>;
      readonly options: OptimizeOptions;
      readonly budgets: Partial<Budgets>;
      readonly isWatched: boolean;
    }
  | { readonly kind: 'abort'; readonly id: number };

/** From a thread. */
export type Report =
  | { readonly kind: 'progress'; readonly id: number; readonly fraction: number }
  | { readonly kind: 'done'; readonly id: number; readonly result: Results[keyof Results] }
  | {
      readonly kind: 'refused';
      readonly id: number;
      readonly code: string;
      readonly detail: string;
      readonly members: Readonly<Record<string, unknown>>;
      readonly inputType: string | null;
    }
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
  kind,
  id,
  image,
  options,
  budgets,
  isWatched,
}: Extract<Order, { readonly image: Uint8Array }>): Promise<void> {
  const abort = new AbortController();
  aborts.set(id, abort);
  let told = 0;
  const onProgress = (fraction: number) => {
    if (fraction < told + progressStep) return;
    told = fraction;
    send({ kind: 'progress', id, fraction });
  };
  try {
    const engine = createEngine(budgets);
    if (kind === 'plan') {
      send({ kind: 'done', id, result: await engine.plan(image, options) });
      return;
    }
    const run = { signal: abort.signal, ...(isWatched && { onProgress }) };
    const result = await engine.optimize(image, options, run);
    send({ kind: 'done', id, result }, [result.bytes.buffer]);
  } catch (error) {
    if (error instanceof ImageError) {
      const { code, detail, members, inputType } = error;
      send({ kind: 'refused', id, code, detail, members, inputType });
    } else {
      const message = error instanceof Error ? error.message : `${error}`;
      send({ kind: 'failed', id, message, isLoading: error instanceof LoadingError });
    }
  } finally {
    aborts.delete(id);
  }
}

function send(report: Report, transferred: readonly ArrayBuffer[] = []): void {
  port.post(report, transferred);
}
