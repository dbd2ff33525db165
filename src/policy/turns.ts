/**
 * Whose turn it is. An isolate has one thread, and work on an image does not yield: what waits for it is put
 * in an order in which nobody is passed over, however much others ask for.
 */

/** A request that waits. */
export interface Waiting {
  /** Whose it is. */
  readonly account: string;
  /** CPU time that it is predicted to take, in milliseconds. */
  readonly cpuMs: number;
}

/** Work of more predicted milliseconds is long: of one account, one at a time is let in. */
export const longCpuMs = 1000;

/** A request that more predicted work stands before, in milliseconds, is refused. */
export const maxCpuMsBefore = 30_000;

/** All who try images without an account, together: their turns come when nobody else waits. */
export const trialAccount = 'trials';

/** When accounts had their latest turns: any figure that rises; an account that is not there had none. */
export type LatestTurns = ReadonlyMap<string, number>;

/**
 * The order in which those who wait have their turns: round robin by account, beginning with the one whose latest
 * turn is longest ago; within an account the shortest first. Alike in both, who came first goes first. Trials are last.
 */
export function inOrder<Work extends Waiting>(
  waiting: Iterable<Work>,
  latest: LatestTurns,
): readonly Work[] {
  const byAccount = Map.groupBy(waiting, ({ account }) => account);
  const trials = byAccount.get(trialAccount) ?? [];
  byAccount.delete(trialAccount);
  const queues = [...byAccount]
    .map(([account, work]) => ({ turn: latest.get(account) ?? 0, work: shortestFirst(work) }))
    .sort((a, b) => a.turn - b.turn)
    .map(({ work }) => work);
  const rounds = Math.max(0, ...queues.map((queue) => queue.length));
  const inRounds = Array.from({ length: rounds }, (_, round) =>
    queues.flatMap((queue) => queue.slice(round, round + 1)),
  );
  return [...inRounds.flat(), ...shortestFirst(trials)];
}

function shortestFirst<Work extends Waiting>(work: readonly Work[]): readonly Work[] {
  return work.toSorted((a, b) => a.cpuMs - b.cpuMs);
}

/** Predicted milliseconds of work that has its turn before `newcomer` does. */
export function cpuMsBefore(
  newcomer: Waiting,
  waiting: Iterable<Waiting>,
  latest: LatestTurns,
): number {
  const order = inOrder([...waiting, newcomer], latest);
  const before = order.slice(0, order.indexOf(newcomer));
  return before.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
}
