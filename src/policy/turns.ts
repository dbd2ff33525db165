/**
 * Fair scheduling of image work. An isolate has one thread, and memory for the work of one request at a time; waiting
 * requests are ordered so that no account starves, however many requests others send.
 */

/** A waiting request. */
export interface Waiting {
  /** The account that sent the request. */
  readonly account: string;
  /** Predicted CPU time, in milliseconds. */
  readonly cpuMs: number;
}

/**
 * Work with a higher predicted CPU time, in milliseconds, is long; each account may have one long job admitted at a
 * time.
 */
export const longCpuMs = 1000;

/** A request is refused if more predicted work than this, in milliseconds, is ahead of it. */
export const maxCpuMsBefore = 30_000;

/** The number of the latest turn of each account, in ascending order; accounts that had theirs long ago are absent. */
export class LatestTurns extends Map<string, number> {
  #count = 0;
  readonly #maxAccounts: number;

  constructor(maxAccounts: number) {
    super();
    this.#maxAccounts = maxAccounts;
  }

  /** Notes that an account has its turn now. */
  note(account: string): void {
    this.#count += 1;
    this.delete(account);
    this.set(account, this.#count);
    const [oldest] = this.keys();
    if (this.size > this.#maxAccounts && oldest !== undefined) this.delete(oldest);
  }
}

/**
 * Returns the waiting requests in scheduling order: round robin by account, starting with the account whose latest turn
 * is longest ago; within an account, shortest first. Ties are broken by arrival.
 */
export function inOrder<Work extends Waiting>(
  waiting: Iterable<Work>,
  latest: ReadonlyMap<string, number>,
): readonly Work[] {
  const byAccount = Map.groupBy(waiting, ({ account }) => account);
  const queues = [...byAccount]
    .map(([account, work]) => ({ turn: latest.get(account) ?? 0, work: shortestFirst(work) }))
    .sort((a, b) => a.turn - b.turn)
    .map(({ work }) => work);
  const rounds = Math.max(0, ...queues.map((queue) => queue.length));
  const ordered: Work[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const queue of queues) {
      const next = queue[round];
      if (next) ordered.push(next);
    }
  }
  return ordered;
}

function shortestFirst<Work extends Waiting>(work: readonly Work[]): readonly Work[] {
  return work.toSorted((a, b) => a.cpuMs - b.cpuMs);
}

/** Predicted milliseconds of work scheduled before a request, which may be among those that wait. */
export function cpuMsBefore(
  newcomer: Waiting,
  waiting: Iterable<Waiting>,
  latest: ReadonlyMap<string, number>,
): number {
  const order = inOrder(new Set([...waiting, newcomer]), latest);
  const before = order.slice(0, order.indexOf(newcomer));
  return before.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
}
