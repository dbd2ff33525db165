import { getPriority, setPriority } from 'node:os';
import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';
import { port } from '../../../packages/fewerbytes/src/platform/node.ts';
import {
  ImageError,
  ledger,
  plan,
  planSet,
  type RunningWork,
  type SetOutcome,
  sentError,
  setBudgets,
} from '../../image/engine.ts';
import {
  type Order,
  type Report,
  readyId,
  receivedLearned,
  sentLearned,
  type ThreadData,
  type WorkOrder,
} from './orders.ts';

// What runs in each thread of threads.ts, which expects it built as `picture-thread.js` beside the file that it is built into:
// it is an entry of its own. One work at a time, in slices, between which it hears whether the work is to end.

/** The id of the work that is to end. */
let endedId: number | null = null;

/** Predicted CPU time of the slices of the latest work, in milliseconds. */
let cpuMs = 0;

/** Thrown at a pause when the work is to end. */
class Ended extends Error {}

async function carryOut(order: WorkOrder): Promise<void> {
  const { id, file } = order;
  // Counted as where it comes from: beside the work.
  const holds = [ledger.keep(file.buffer.byteLength)];
  const beside = (bytes: number) => holds.push(ledger.keep(bytes));
  const release = () => {
    for (const hold of holds.splice(0)) hold.release();
  };
  cpuMs = 0;
  const before = process.threadCpuUsage();
  const spentMs = () => {
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  };
  try {
    switch (order.kind) {
      case 'optimize': {
        const work = plan(file, order.options);
        beside(work.heldBytes);
        const releaseFile = () => {
          if (file.buffer.detached) return null;
          release();
          return file.buffer.transfer();
        };
        const picture = await inSlices(id, work.start(releaseFile));
        send({ kind: 'optimized', id, picture, spentMs: spentMs() }, [picture.bytes.buffer]);
        break;
      }
      case 'pass': {
        const learned = receivedLearned(order.learned);
        const { passes, heldBytes } = planSet(file, order.set, learned);
        beside(heldBytes);
        const pass = passes[order.index];
        if (!pass) throw new RangeError(`there is no pass ${order.index}`);
        await inSlices(
          id,
          pass.start((outcome) => deliver(id, outcome)),
        );
        const sent = sentLearned(learned);
        const { buffer } = file;
        send({ kind: 'passed', id, file: buffer, learned: sent, spentMs: spentMs() }, [buffer]);
        break;
      }
    }
  } catch (error) {
    if (error instanceof Ended) send({ kind: 'ended', id, cpuMs });
    else if (error instanceof ImageError) {
      send({ kind: 'refused', id, error: sentError(error), cpuMs });
    } else send({ kind: 'failed', id, message: messageOf(error), cpuMs });
  } finally {
    // Not left to garbage collection, because the ledger now gives the memory to others.
    if (!file.buffer.detached) file.buffer.transfer(0);
    release();
  }
}

async function inSlices<Result>(id: number, work: RunningWork<Result>): Promise<Result> {
  try {
    for (;;) {
      const finished = work.next();
      if (finished) return finished.result;
      await turnOfEventLoop();
      if (endedId === id) throw new Ended();
    }
  } finally {
    ({ cpuMs } = work);
    work.end();
  }
}

/** Sends a result of a set as soon as it is made, with its memory. */
function deliver(id: number, outcome: SetOutcome): void {
  if (outcome.kind === 'made') {
    send({ kind: 'outcome', id, outcome }, [outcome.made.bytes.buffer]);
    return;
  }
  send({ kind: 'outcome', id, outcome: { ...outcome, error: sentError(outcome.error) } });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function send(report: Report, transferred: readonly ArrayBuffer[] = []): void {
  port.post(report, transferred);
}

/** How much nicer than the main thread this one is: it then gets about a third of its share of a core that both want. */
const niceness = 5;

/** Pages and sign-in go before pictures. Only in Linux, a priority can be that of a thread alone. */
function giveWayToMainThread(): void {
  if (process.platform === 'linux') setPriority(Math.min(19, getPriority() + niceness));
}

const { memory } = workerData as ThreadData;
setBudgets({ memory });
giveWayToMainThread();
port.onMessage((message) => {
  const order = message as Order;
  if (order.kind === 'end') endedId = order.id;
  else void carryOut(order);
});
send({ kind: 'ready', id: readyId });
