import {
  type Budgets,
  createEngine,
  ImageError,
  type Optimized,
  type OptimizeOptions,
} from '../engine/index.ts';
import { port } from '../platform/node.ts';

// What runs in each thread of a pool: one picture at a time.

// What a pool and its threads tell each other. Errors lose their class on the way, so they travel as data.

/** To a thread. */
export type Order =
  | {
      readonly kind: 'optimize';
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
  | { readonly kind: 'optimized'; readonly id: number; readonly optimized: Optimized }
  | {
      readonly kind: 'refused';
      readonly id: number;
      readonly code: string;
      readonly detail: string;
      readonly members: Readonly<Record<string, unknown>>;
      readonly inputType: string | null;
    }
  /** A bug, or code that could not be loaded. */
  | { readonly kind: 'failed'; readonly id: number; readonly message: string };

/** By the ids of orders. */
const aborts = new Map<number, AbortController>();

/** Reports of progress are at least this far apart. */
const progressStep = 0.01;

port.onMessage((message) => {
  const order = message as Order;
  if (order.kind === 'abort') aborts.get(order.id)?.abort();
  else optimize(order);
});

async function optimize({
  id,
  image,
  options,
  budgets,
  isWatched,
}: Extract<Order, { readonly kind: 'optimize' }>): Promise<void> {
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
    const optimized = await createEngine(budgets).optimize(image, options, run);
    send({ kind: 'optimized', id, optimized }, [optimized.bytes.buffer]);
  } catch (error) {
    if (error instanceof ImageError) {
      const { code, detail, members, inputType } = error;
      send({ kind: 'refused', id, code, detail, members, inputType });
    } else {
      send({ kind: 'failed', id, message: error instanceof Error ? error.message : `${error}` });
    }
  } finally {
    aborts.delete(id);
  }
}

function send(report: Report, transferred: readonly ArrayBuffer[] = []): void {
  port.post(report, transferred);
}
