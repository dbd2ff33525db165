import type { ApiError } from '../../errors.ts';
import { ledger, type Peak, smallBytes } from '../../image/wasm/memory-ledger.ts';
import { cpuMsBefore, inOrder, longCpuMs, maxCpuMsBefore } from '../../policy/turns.ts';
import { endedEarly } from '../http/body-reader.ts';
import { overloaded } from '../http/rate-limit.ts';
import { waitForAllBookings } from './bookkeeping.ts';
import { HeldBytes } from './held-body.ts';

/**
 * How often a request that waits looks by itself whether it is its turn, in milliseconds. Mostly it is told before
 * that; whoever should tell may have been torn down.
 */
const pollInterval = 500;

/** Polls of others without one of its own until a request that waits counts as torn down. */
const maxMissedPolls = 20;

/** The same for one whose body is fetched or read: longer than that may take. */
const maxSilentPolls = 600;

/** Polls for which nothing fits into memory until one of several gives its body back. */
const maxStuckPolls = 10;

/** Polls for which a request waits for memory: a minute, in which long work counts as one poll. */
const maxMemoryPolls = 120;

/** Polls for which one that lacks memory keeps others from being read before it. */
const maxPrecedencePolls = 20;

/** Polls after which a request that only reads is no longer waited for: it may have been torn down. */
const maxReadPolls = 60;

/** Predicted milliseconds of short work between two pauses: each has its place among all else that the thread does. */
const cpuMsBetweenPauses = 400;

/** Before and after work that takes longer than this, in predicted milliseconds, there is a pause. */
const noticeableCpuMs = 50;

/** How often a pause is looked at again, and how long it lasts at least before long work, in milliseconds. */
const pauseStep = 2;
const minPauseBeforeLong = 20;

/** How long a pause lasts at most, for answers that move and for requests that only read, in milliseconds. */
const maxPauseForAnswers = 10;
const maxPause = 100;

/** Polls after which a pause is over whose request was torn down. */
const maxPausePolls = 2;

/** Requests that may be waiting or read at the same time. */
const maxEntered = 1000;

/** How many accounts are remembered by their latest turn. */
const maxAccounts = 1000;

/** One request to optimize an image, from before its body is read until its answer is made. */
export interface Job {
  /**
   * Waits until there is memory for the body, and reserves it.
   * @param announced how many bytes are to come, when that is known
   * @param maxBytes that the body may have; all that any may have, unless given
   * @throws ApiError `overloaded` when there is none for too long, `invalid_request` when the client has gone
   */
  admitted(announced: number | null, maxBytes?: number): Promise<HeldBytes>;
  /**
   * Waits for the thread. What follows has to be done without yielding.
   * @param cpuMs CPU time that the work is predicted to take, in milliseconds
   * @param peak memory that it takes beside what is held
   * @throws ApiError as `admitted`
   */
  turn(cpuMs: number, peak: Peak): Promise<void>;
  /** Ends it, however it went; may be called again. */
  end(): void;
}

/** A job as the scheduler keeps it. */
interface Entry {
  readonly account: string;
  readonly client: AbortSignal;
  cpuMs: number;
  /** Outside, its body unread: how many bytes are to come, when that is known. */
  announced: number | null;
  /** Its body is there. */
  peak: Peak | null;
  held: HeldBytes | null;
  /** The latest poll of all at which it was there, and the one at which it began to wait. */
  poll: number;
  since: number;
  /** Its own polls at which no work fitted into memory. */
  stuckPolls: number;
  wake(): void;
}

/**
 * Lets requests in, and gives them the isolate's one thread in turns (policy/turns.ts). Nothing here rests on clocks
 * that move while an image is worked on: on Cloudflare they stand still.
 */
export class Scheduler {
  /** All whose work has not been done. */
  readonly #entered = new Set<Entry>();
  /** Those whose bodies are unread, and those whose bodies are there. */
  readonly #outside = new Set<Entry>();
  readonly #ready = new Set<Entry>();
  /** Those whose bodies are read or being read. */
  readonly #admitted = new Set<Entry>();
  /** By account: which turn its latest one was. The latest stand last. */
  readonly #latest = new Map<string, number>();
  #turns = 0;
  #polls = 0;
  #polledAt = 0;
  #cpuMsSincePause = 0;
  /** The poll at which the present pause began; null: there is none. */
  #pausedSince: number | null = null;
  /** Requests that only read and are answered between jobs, each with the poll at which it came. */
  readonly #reads = new Set<{ readonly poll: number }>();
  /** Pieces of answers that have been taken. */
  #pieces = 0;

  constructor() {
    ledger.whenReleased(() => this.#wakeNext());
  }

  /**
   * Lets a request wait for its turn.
   * @param cpuMs that it is expected to take, in milliseconds
   * @param client aborts when it has gone
   * @throws ApiError `overloaded` when too much work stands before it
   */
  enter(account: string, cpuMs: number, client: AbortSignal): Job {
    const before = cpuMsBefore({ account, cpuMs }, this.#entered, this.#latest);
    if (before > maxCpuMsBefore) throw overloaded((before - maxCpuMsBefore) / 1000);
    if (this.#entered.size >= maxEntered) throw overloaded();
    const entry: Entry = {
      account,
      cpuMs,
      client,
      announced: null,
      peak: null,
      held: null,
      poll: this.#polls,
      since: this.#polls,
      stuckPolls: 0,
      wake: () => {},
    };
    this.#entered.add(entry);
    return {
      admitted: (announced, maxBytes) => this.#admit(entry, announced, maxBytes),
      turn: (predicted, peak) => this.#turn(entry, predicted, peak),
      end: () => this.#end(entry),
    };
  }

  /** Runs a request that only reads, such as a page: it is answered between jobs. */
  async alongside<Result>(work: () => Promise<Result>): Promise<Result> {
    const read = { poll: this.#polls };
    this.#reads.add(read);
    try {
      return await work();
    } finally {
      this.#reads.delete(read);
    }
  }

  /** Notes that a client has taken a piece of its answer. */
  pieceTaken(): void {
    this.#pieces += 1;
  }

  async #admit(entry: Entry, announced: number | null, maxBytes?: number): Promise<HeldBytes> {
    Object.assign(entry, { announced, poll: this.#polls, since: this.#polls });
    this.#outside.add(entry);
    try {
      while (this.#nextOutside() !== entry) {
        if (this.#hasLongWork(entry)) entry.since = this.#polls;
        if (this.#polls - entry.since > maxMemoryPolls) throw overloaded();
        await this.#sleep(entry);
      }
      entry.held = new HeldBytes(entry.account, announced, maxBytes);
      this.#admitted.add(entry);
      return entry.held;
    } finally {
      this.#outside.delete(entry);
      this.#wakeNext();
    }
  }

  async #turn(entry: Entry, cpuMs: number, peak: Peak): Promise<void> {
    // reading a body may take any number of polls
    Object.assign(entry, { cpuMs, peak, poll: this.#polls, since: this.#polls });
    this.#ready.add(entry);
    try {
      for (;;) {
        const isNext = !this.#isPaused && this.#nextReady() === entry;
        if (!isNext) {
          const isLate = this.#polls - entry.since > 2 * maxMemoryPolls;
          if (isLate || this.#isGivenUp(entry)) throw overloaded();
          await this.#sleep(entry);
        } else if (this.#cpuMsSincePause > 0 && this.#needsPause(cpuMs)) {
          await this.#pause(cpuMs);
        } else {
          break;
        }
      }
    } finally {
      this.#ready.delete(entry);
    }
    // as good as all that there may be between two pauses
    this.#cpuMsSincePause += cpuMs > noticeableCpuMs ? cpuMsBetweenPauses : cpuMs;
    this.#noteTurn(entry.account);
  }

  #end(entry: Entry): void {
    this.#forget(entry);
    this.#wakeNext();
  }

  #noteTurn(account: string): void {
    this.#turns += 1;
    this.#latest.delete(account);
    this.#latest.set(account, this.#turns);
    const [oldest] = this.#latest.keys();
    if (this.#latest.size > maxAccounts && oldest !== undefined) this.#latest.delete(oldest);
  }

  /** Whose body is read next; null: there is nobody, or no memory. */
  #nextOutside(): Entry | null {
    // work that lacks memory gets what is given back
    let isMemoryShort = this.#ready.size > 0 && this.#fitting().length < this.#ready.size;
    for (const entry of inOrder(this.#outside, this.#latest)) {
      if (this.#hasLongWork(entry)) continue;
      const isSmall = entry.announced !== null && entry.announced <= smallBytes;
      if (isMemoryShort && !isSmall) continue;
      const obstacle = HeldBytes.obstacleTo(entry.account, entry.announced);
      if (obstacle === null) return entry;
      const hasPrecedence = this.#polls - entry.since < maxPrecedencePolls;
      if (obstacle === 'memory' && hasPrecedence) isMemoryShort = true;
    }
    return null;
  }

  /** Long work of one account is let in one at a time; a body that hardly moves does not keep others out. */
  #hasLongWork({ account, cpuMs }: Entry): boolean {
    if (cpuMs <= longCpuMs) return false;
    return [...this.#admitted].some(
      (it) => it.account === account && it.cpuMs > longCpuMs && !it.held?.isSlow,
    );
  }

  /** Whose work is done next; null: there is nobody, or none fits into memory. */
  #nextReady(): Entry | null {
    return inOrder(this.#fitting(), this.#latest)[0] ?? null;
  }

  #fitting(): Entry[] {
    return [...this.#ready].filter(({ peak }) => peak !== null && ledger.hasRoomFor(peak));
  }

  /**
   * Whether a request has to give its body back: none of several complete ones leaves enough for the work on
   * another, and nothing else is held that will be given back.
   */
  #isGivenUp(entry: Entry): boolean {
    const bodies = new Set([...this.#ready].flatMap(({ held }) => held ?? []));
    const isStuck = this.#fitting().length === 0 && ledger.isHeldBy(bodies);
    entry.stuckPolls = isStuck ? entry.stuckPolls + 1 : 0;
    const isLast = inOrder(this.#ready, this.#latest).at(-1) === entry;
    return entry.stuckPolls > maxStuckPolls && isLast && this.#ready.size > 1;
  }

  #needsPause(cpuMs: number): boolean {
    return cpuMs > noticeableCpuMs || this.#cpuMsSincePause + cpuMs > cpuMsBetweenPauses;
  }

  /** Lets others have the thread: requests that only read, answers as long as they move, and bookings. */
  async #pause(cpuMs: number): Promise<void> {
    this.#pausedSince = this.#polls;
    for (let paused = 0; paused < maxPause; ) {
      const pieces = this.#pieces;
      // before work that is hardly noticed, what waits for the thread goes first, and nothing is waited for
      await scheduler.wait(cpuMs > noticeableCpuMs || this.#hasReads ? pauseStep : 0);
      paused += pauseStep;
      // who comes while an image is worked on is not seen before that has ended, and a moment more
      const isShort = cpuMs > longCpuMs && paused < minPauseBeforeLong;
      const isMoving =
        cpuMs > noticeableCpuMs && pieces !== this.#pieces && paused < maxPauseForAnswers;
      if (!isShort && !isMoving && !this.#hasReads) break;
    }
    if (cpuMs > noticeableCpuMs) await waitForAllBookings();
    this.#pausedSince = null;
    this.#cpuMsSincePause = 0;
    this.#wakeNext();
  }

  /** One that was torn down does not count for ever. */
  get #hasReads(): boolean {
    return [...this.#reads].some(({ poll }) => this.#polls - poll <= maxReadPolls);
  }

  get #isPaused(): boolean {
    return this.#pausedSince !== null && this.#polls - this.#pausedSince <= maxPausePolls;
  }

  /**
   * Waits until the request is told, or for a poll.
   * @throws ApiError when its client has gone
   */
  async #sleep(entry: Entry): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((resolve) => {
      entry.wake = resolve;
      timer = setTimeout(resolve, pollInterval);
    });
    clearTimeout(timer);
    entry.poll = this.#polls;
    this.#countPoll();
    entry.held?.touch();
    if (entry.client.aborted) throw clientGone();
  }

  /** Counts at most one in a poll's time, however many wait; after long work all come at once, and are one. */
  #countPoll(): void {
    const now = Date.now();
    if (now - this.#polledAt < 0.8 * pollInterval) return;
    this.#polledAt = now;
    this.#polls += 1;
    this.#forgetTornDown();
  }

  /** Requests that were torn down by the platform do not wake up any more, and hold what they hold. */
  #forgetTornDown(): void {
    for (const entry of this.#entered) {
      const isWaiting = this.#outside.has(entry) || this.#ready.has(entry);
      const missed = this.#polls - entry.poll;
      if (missed <= (isWaiting ? maxMissedPolls : maxSilentPolls)) continue;
      entry.held?.free();
      this.#forget(entry);
    }
  }

  #forget(entry: Entry): void {
    for (const set of [this.#entered, this.#outside, this.#admitted, this.#ready])
      set.delete(entry);
    entry.held = null;
  }

  /** Wakes as many as will have their turns until the next pause and the one who begins that, and who is let in next. */
  #wakeNext(): void {
    if (this.#ready.size > 0 && !this.#isPaused) {
      let cpuMs = this.#cpuMsSincePause;
      for (const entry of inOrder(this.#fitting(), this.#latest)) {
        entry.wake();
        cpuMs += entry.cpuMs;
        if (cpuMs > cpuMsBetweenPauses) break;
      }
    }
    if (this.#outside.size > 0) this.#nextOutside()?.wake();
  }
}

/** Nobody hears it. */
function clientGone(): ApiError {
  return endedEarly();
}

/** The scheduler of this isolate. */
export const turns = new Scheduler();
