import { ledger, type Peak, type RunningWork, smallBytes } from '../../image/engine.ts';
import {
  cpuMsBefore,
  inOrder,
  LatestTurns,
  longCpuMs,
  maxCpuMsBefore,
} from '../../policy/turns.ts';
import { observe } from '../../telemetry/counts.ts';
import { logFault } from '../../telemetry/log.ts';
import { endedEarly } from '../http/body-reader.ts';
import { overloaded } from '../http/rate-limit.ts';
import { HeldBytes } from './held-body.ts';
import { type Decision, type Entry, type Job, nobody, refused, type Stage, waits } from './job.ts';
import { cpuMsBetweenPauses, OtherRequests, Pauses } from './pauses.ts';
import { thisThread, type Workplace } from './workplace.ts';

// An isolate serves many requests on one thread. What this file may do follows from the rules of the platform:
//
// - A request may only use its own streams, timers and promises of I/O. A request that is continued by another one runs
//   in that one's context, where its own body and response are out of reach
//   (https://developers.cloudflare.com/workers/observability/errors/#cannot-perform-io-on-behalf-of-a-different-request).
//   So nothing here calls into another request: each one looks at the queue from a timer of its own, and what requests
//   tell each other is data.
// - A request that waits for nothing of its own is ended as hung (the same page, “The script will never generate a
//   response”). The timer also prevents that.
// - A request can be torn down at any time, and then never runs again, not even `finally`. So nobody waits for a
//   particular request to act: what a request holds is a lease that it renews by looking.
// - Clocks stand still while the thread computes, and advance with I/O, timers included
//   (https://developers.cloudflare.com/workers/reference/security-model/#step-1-disallow-timers-and-multi-threading).
//   So durations are measured from one look to another. For leases, computing counts as one step at most.

/**
 * Maximum number of jobs, which is also that of accounts whose latest turn is remembered, of jobs that are being
 * authorized at the same time, and of jobs of one account that wait after that: to authorize a job that is refused in the
 * end takes about as long as to serve it.
 */
const maxJobs = { total: 1000, authorizing: 32, waitingOfAccount: 32 };

/** The longest that the clock advances between two looks, in milliseconds: long computing does not end leases. */
const clockStep = 1000;

/**
 * How long a job waits for memory and its turn together, in milliseconds, so that no answer takes more than about half a
 * minute. Until a third of it has passed, a job that lacks memory keeps others from being read before it.
 */
const maxWait = 20_000;

/**
 * How long a job that has stopped looking keeps its place in the queue, or the arenas in which it works, and how long it
 * holds other memory.
 */
const leases = { place: 3 * clockStep, memory: 60 * clockStep };

/** How long no work fits into memory until one of several complete bodies is given up. */
const maxStuck = 5 * clockStep;

/** How long other requests have the thread between two slices of work, at most, in milliseconds. */
const maxBetweenSlices = 20;

/** How often a job looks while its work is done elsewhere, and while it rests, in milliseconds. */
const watchInterval = { working: 50, resting: clockStep / 2 };

/** Shortest interval between two looks, what each job ahead adds to it, and the longest, in milliseconds. */
const lookInterval = { shortest: 2, perJob: 5, longest: 1000 };

/** Admits requests, and gives them turns on the isolate's single thread, or at another workplace (policy/turns.ts). */
export class Scheduler {
  #workplace = thisThread;
  /** All jobs whose work is not done, in order of arrival. */
  readonly #jobs = new Set<Entry>();
  readonly #latestTurns = new LatestTurns(maxJobs.total);
  readonly #latestAuthorized = new LatestTurns(maxJobs.total);
  /** Milliseconds in which requests could look, and the time at which that was last updated. */
  #clock = 0;
  #clockSetAt = 0;
  #decision = nobody;
  #stuckSince: number | null = null;
  readonly #pauses = new Pauses();
  readonly #others = new OtherRequests();

  /** Has work done elsewhere from now on: called before the first job arrives. */
  workAt(workplace: Workplace): void {
    this.#workplace = workplace;
  }

  /**
   * Waits until a request may be authorized.
   * @param account whose requests share turns
   * @param client the signal of the request: aborts when the client has gone
   * @throws ApiError `overloaded` if too many requests wait, or for too long, `invalid_request` if the client has gone
   */
  async arrive(account: string, client: AbortSignal): Promise<Job> {
    this.#others.delete(client);
    if (this.#jobs.size >= maxJobs.total) throw refused('queue');
    const entry: Entry = {
      account,
      client,
      stage: 'arriving',
      cpuMs: 0,
      announced: null,
      peak: { arena: 0, buffers: 0 },
      held: null,
      room: null,
      paused: null,
      lookedAt: this.#clock,
      waited: 0,
      leased: true,
    };
    this.#jobs.add(entry);
    try {
      await this.#wait(entry, ({ begun }) => begun.has(entry));
    } catch (error) {
      this.#remove(entry);
      // Its answer is due like that of any request that is no job.
      this.#others.add(client, this.#clock);
      throw error;
    }
    entry.stage = 'authorizing';
    this.#latestAuthorized.note(account);
    return {
      workplace: this.#workplace,
      expect: (cpuMs) => {
        Object.assign(entry, { stage: 'expected', cpuMs });
        this.#demandShortQueue(entry);
      },
      admitted: (announced, maxBytes) => this.#admit(entry, announced, maxBytes),
      turn: (predicted, peak) => this.#turn(entry, predicted, peak),
      pause: (running) => this.#pause(entry, running),
      watch: (over, running) => this.#watch(entry, over, running),
      rest: (until) => this.#rest(entry, until),
      end: () => this.#remove(entry),
    };
  }

  /**
   * Answers a request between jobs, unless it becomes one.
   * @param client the signal of the request
   */
  async alongside<Result>(client: AbortSignal, answer: () => Promise<Result>): Promise<Result> {
    this.#advanceClock();
    this.#others.add(client, this.#clock);
    try {
      return await answer();
    } finally {
      this.#others.delete(client);
    }
  }

  /** Notes that a request only waits for another one of this service, so that no work has to make room for it. */
  awaitsAnother(client: AbortSignal): void {
    this.#others.delete(client);
  }

  /** The number of jobs in each stage that any is in. */
  get census(): ReadonlyMap<Stage, number> {
    const byStage = Map.groupBy(this.#jobs, ({ stage }) => stage);
    return new Map([...byStage].map(([stage, jobs]) => [stage, jobs.length]));
  }

  /** Counts a response chunk that a client has taken. */
  chunkTaken(): void {
    this.#pauses.chunkTaken();
  }

  /** @throws ApiError `overloaded` if too much work is ahead of a job */
  #demandShortQueue(entry: Entry): void {
    const before = cpuMsBefore(entry, this.#jobs, this.#latestTurns) / this.#workplace.places;
    if (before > maxCpuMsBefore) throw refused('queue', (before - maxCpuMsBefore) / 1000);
  }

  async #admit(entry: Entry, announced: number | null, maxBytes?: number): Promise<HeldBytes> {
    Object.assign(entry, { stage: 'waiting for memory', announced });
    await this.#wait(entry, ({ admitted }) => admitted.has(entry) && this.#hasRoomFor(entry));
    const renew = () => this.#renew(entry);
    entry.held = new HeldBytes({ owner: entry.account, announced, maxBytes, renew });
    entry.stage = 'held';
    return entry.held;
  }

  async #turn(entry: Entry, cpuMs: number, ofWork: Peak): Promise<void> {
    const { isElsewhere } = this.#workplace;
    const peak = isElsewhere ? { arena: 0, buffers: ofWork.buffers } : ofWork;
    Object.assign(entry, { stage: 'waiting for a turn', cpuMs, peak });
    this.#demandShortQueue(entry);
    await this.#wait(entry, ({ turns, authorizing }) => {
      // To authorize a few takes little of the thread: no work has to wait for that.
      const isFlooded = authorizing >= maxJobs.authorizing / 2;
      const waiting = { hasOthers: this.#hasOthers, isFlooded };
      if (!turns.has(entry) || !ledger.survey().hasRoomFor(peak)) return false;
      if (isElsewhere) {
        // Several works may be done at once, and their results come at any time.
        entry.room = ledger.holdBeside(peak.buffers);
        if (!entry.room) return false;
      } else if (this.#pauses.isPausedBefore(cpuMs, waiting)) return false;
      // From this moment on, nobody else has this place until it ends.
      entry.stage = 'working';
      this.#decision = nobody;
      return true;
    });
    // Longer work pauses by itself.
    this.#pauses.noteWork(Math.min(cpuMs, maxBetweenSlices));
    this.#latestTurns.note(entry.account);
  }

  async #pause(entry: Entry, running: Pick<RunningWork<unknown>, 'end'>): Promise<void> {
    entry.paused = running;
    this.#renew(entry);
    const began = Date.now();
    await scheduler.wait(0);
    while (this.#hasOthers && Date.now() - began < maxBetweenSlices) await scheduler.wait(1);
    this.#renew(entry);
    entry.paused = null;
    if (!entry.leased) throw overloaded();
    if (entry.client.aborted) throw endedEarly();
  }

  async #watch(
    entry: Entry,
    over: Promise<unknown>,
    running: Pick<RunningWork<unknown>, 'end'>,
  ): Promise<void> {
    entry.paused = running;
    this.#renew(entry);
    await this.#lookUntil(over, entry, watchInterval.working);
    entry.paused = null;
  }

  async #rest(entry: Entry, until: Promise<unknown>): Promise<void> {
    // What it has done is ahead of nobody.
    Object.assign(entry, { stage: 'held', waited: 0, cpuMs: 0 });
    this.#leaveRoom(entry);
    await this.#lookUntil(until, entry, watchInterval.resting);
  }

  /** @throws ApiError the same as `pause` */
  async #lookUntil(until: Promise<unknown>, entry: Entry, interval: number): Promise<void> {
    let isOver = false;
    const over = until.then(() => {
      isOver = true;
    });
    while (!isOver) {
      await Promise.race([over, scheduler.wait(interval)]);
      this.#renew(entry);
      if (!entry.leased) throw overloaded();
      if (entry.client.aborted) throw endedEarly();
    }
  }

  /**
   * Looks until the job may go on.
   * @throws ApiError `overloaded` after too long, `invalid_request` if the client has gone
   */
  async #wait(entry: Entry, mayGo: (decision: Decision) => boolean): Promise<void> {
    const waitsFor = waits[entry.stage as keyof typeof waits];
    const began = Date.now();
    this.#renew(entry);
    for (;;) {
      if (!entry.leased) throw refused(waitsFor);
      if (entry.client.aborted) throw endedEarly();
      const decision = this.#decide();
      if (mayGo(decision)) {
        observe('fewerbytes_wait_seconds', { for: waitsFor }, (Date.now() - began) / 1000);
        return;
      }
      if (entry.waited > maxWait || this.#isGivenUp(entry, decision)) throw refused(waitsFor);
      const before = Date.now();
      await scheduler.wait(this.#intervalOf(entry, decision));
      this.#renew(entry);
      // An account does one long job after the other: that is no lack of memory.
      if (!this.#hasLongWork(entry)) entry.waited += Math.max(0, Date.now() - before);
    }
  }

  /** The next job looks often, and those behind it the less the further they are, so that looking takes little time. */
  #intervalOf(entry: Entry, { ranks }: Decision): number {
    const { shortest, perJob, longest } = lookInterval;
    // Not ranked yet: the next decision is a few milliseconds away.
    return Math.min(longest, shortest + perJob * (ranks.get(entry) ?? 1));
  }

  #renew(entry: Entry): void {
    this.#advanceClock();
    entry.lookedAt = this.#clock;
    entry.held?.touch();
    entry.room?.touch();
  }

  #advanceClock(): void {
    const now = Date.now();
    this.#clock += Math.min(clockStep, Math.max(0, now - this.#clockSetAt));
    this.#clockSetAt = now;
  }

  /** The current decision. With many jobs, one holds for a few milliseconds, because it takes long to make. */
  #decide(): Decision {
    const now = Date.now();
    const age = now - this.#decision.at;
    if (age >= 0 && age < Math.floor(this.#jobs.size / 32)) return this.#decision;
    this.#endLapsed();
    const survey = ledger.survey();
    // Whoever has stopped looking keeps nobody waiting.
    const waiting = (stage: Stage) =>
      [...this.#jobs].filter(
        (entry) => entry.stage === stage && this.#clock - entry.lookedAt <= leases.place,
      );
    const authorizing = waiting('authorizing');
    const arriving = inOrder(waiting('arriving'), this.#latestAuthorized);
    const ready = inOrder(waiting('waiting for a turn'), this.#latestTurns);
    const fitting = ready.filter(({ peak }) => survey.hasRoomFor(peak));

    const turns = new Set<Entry>();
    const { noticeable, total } = cpuMsBetweenPauses;
    let cpuMs = 0;
    const { places } = this.#workplace;
    const working = [...this.#jobs].filter(({ stage }) => stage === 'working');
    const free = places - working.length;
    for (const entry of free > 0 ? fitting : []) {
      const isFull = turns.size >= free;
      if (isFull && (entry.cpuMs > noticeable || cpuMs > total)) break;
      turns.add(entry);
      cpuMs += entry.cpuMs;
      if (turns.size >= free && entry.cpuMs > noticeable) break;
    }

    const admitted = new Set<Entry>();
    const [next] = fitting;
    // Released memory goes first to work that lacks it.
    let isMemoryShort = fitting.length < ready.length;
    const outside = inOrder(waiting('waiting for memory'), this.#latestTurns);
    for (const entry of outside) {
      if (this.#hasLongWork(entry, admitted)) continue;
      const { account: owner, announced } = entry;
      const bytes = HeldBytes.reservedBytes(announced);
      const isSmall = announced !== null && announced <= smallBytes;
      const isFree = !isMemoryShort && (!next || survey.hasRoomFor(next.peak, bytes));
      if (!isSmall && !isFree) continue;
      const body = { owner, isSlow: false };
      const obstacle = survey.obstacleTo(bytes, body);
      if (obstacle === 'memory' && entry.waited < maxWait / 3) isMemoryShort = true;
      if (obstacle !== null) continue;
      survey.add(bytes, body);
      admitted.add(entry);
    }

    const begun = new Set<Entry>();
    const waitingOf = Map.groupBy([...authorizing, ...outside, ...ready], ({ account }) => account);
    for (const entry of arriving) {
      if (authorizing.length + begun.size >= maxJobs.authorizing) break;
      const others = waitingOf.get(entry.account) ?? [];
      if (others.length >= maxJobs.waitingOfAccount) continue;
      waitingOf.set(entry.account, [...others, entry]);
      begun.add(entry);
    }

    const bodies = new Set(ready.flatMap(({ held }) => held ?? []));
    const isStuck = ready.length > 1 && fitting.length === 0 && ledger.isHeldBy(bodies);
    this.#stuckSince = isStuck ? (this.#stuckSince ?? this.#clock) : null;
    this.#decision = {
      at: now,
      authorizing: authorizing.length,
      begun,
      admitted,
      turns,
      ranks: new Map(
        [arriving, outside, fitting].flatMap((line) =>
          [...line.entries()].map(([rank, entry]) => [entry, rank] as const),
        ),
      ),
      isStuck,
      last: ready.at(-1),
    };
    return this.#decision;
  }

  /** Whether there is room for its body at this very moment. */
  #hasRoomFor({ account: owner, announced }: Entry): boolean {
    const bytes = HeldBytes.reservedBytes(announced);
    return ledger.survey().obstacleTo(bytes, { owner, isSlow: false }) === null;
  }

  /**
   * Whether a job that waits for memory is long, and so are as many of the same account that go before it as may be
   * admitted at a time: one, or all but one place for others. A body that hardly moves does not count.
   * @param admitted further jobs that are admitted
   */
  #hasLongWork(
    { account, cpuMs, stage }: Entry,
    admitted: ReadonlySet<Entry> = new Set(),
  ): boolean {
    if (cpuMs <= longCpuMs || stage !== 'waiting for memory') return false;
    let before = 0;
    for (const other of this.#jobs) {
      const goesBefore = admitted.has(other) || (other.held !== null && !other.held.isSlow);
      if (goesBefore && other.account === account && other.cpuMs > longCpuMs) before += 1;
    }
    return before >= Math.max(1, this.#workplace.places - 1);
  }

  /**
   * Whether a job has to give its body back: none of several complete bodies leaves enough memory for the work on
   * another, and no other memory is held that will be released.
   */
  #isGivenUp(entry: Entry, { isStuck, last }: Decision): boolean {
    return isStuck && entry === last && this.#clock - (this.#stuckSince ?? this.#clock) > maxStuck;
  }

  get #hasOthers(): boolean {
    return this.#others.areSince(this.#clock - leases.place);
  }

  /** Frees what jobs hold that have stopped looking. If such a job looks again after all, it ends with `overloaded`. */
  #endLapsed(): void {
    for (const entry of this.#jobs) {
      const lease = entry.stage === 'working' ? leases.place : leases.memory;
      if (this.#clock - entry.lookedAt <= lease) continue;
      try {
        entry.paused?.end();
      } catch (error) {
        logFault('work_not_ended', { error: String(error) });
      }
      entry.held?.free();
      entry.leased = false;
      this.#remove(entry);
    }
  }

  #remove(entry: Entry): void {
    this.#jobs.delete(entry);
    this.#leaveRoom(entry);
    entry.held = null;
  }

  #leaveRoom(entry: Entry): void {
    entry.room?.release();
    entry.room = null;
  }
}

/** The scheduler of this isolate. */
export const turns = new Scheduler();
