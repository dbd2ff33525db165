import type { ApiError } from '../../errors.ts';
import { ledger, type Peak, smallBytes } from '../../image/wasm/memory-ledger.ts';
import { cpuMsBefore, inOrder, longCpuMs, maxCpuMsBefore } from '../../policy/turns.ts';
import { endedEarly } from '../http/body-reader.ts';
import { overloaded } from '../http/rate-limit.ts';
import { waitForAllBookings } from './bookkeeping.ts';
import { HeldBytes } from './held-body.ts';

/**
 * Interval in milliseconds at which a waiting request itself checks whether it is its turn. It is usually woken
 * earlier, but the request that should wake it may have been torn down.
 */
const pollInterval = 500;

/** Number of polls by others without a poll of its own after which a waiting request counts as torn down. */
const maxMissedPolls = 20;

/** Like `maxMissedPolls`, but for a request whose body is being fetched or read: longer than that may take. */
const maxSilentPolls = 600;

/** Number of polls for which no work fits into memory until one of several requests gives its body back. */
const maxStuckPolls = 10;

/** Number of polls for which a request waits for memory: one minute, in which long work counts as one poll. */
const maxMemoryPolls = 120;

/** Number of polls for which a request that lacks memory keeps others from being read before it. */
const maxPrecedencePolls = 20;

/** Number of polls after which a read-only request is no longer waited for: it may have been torn down. */
const maxReadPolls = 60;

/** Predicted milliseconds of short work between two pauses, which let everything else on the thread proceed. */
const cpuMsBetweenPauses = 400;

/** Work that is predicted to take longer than this, in milliseconds, has a pause before and after it. */
const noticeableCpuMs = 50;

/** Interval at which a pause is re-evaluated, and minimum pause before long work, in milliseconds. */
const pauseStep = 2;
const minPauseBeforeLong = 20;

/** Maximum duration of a pause, for responses in progress and for read-only requests, in milliseconds. */
const maxPauseForAnswers = 10;
const maxPause = 100;

/** Number of polls after which a pause ends whose request was torn down. */
const maxPausePolls = 2;

/** Maximum number of requests that are waiting or being read. */
const maxEntered = 1000;

/** Maximum number of accounts whose latest turn is remembered. */
const maxAccounts = 1000;

/** One request to optimize an image, from before its body is read until its response is created. */
export interface Job {
  /**
   * Waits until there is memory for the body, and reserves it.
   * @param announced announced length in bytes; null if unknown
   * @param maxBytes maximum length of the body; by default the general limit
   * @throws ApiError `overloaded` if there is none for too long, `invalid_request` if the client has gone
   */
  admitted(announced: number | null, maxBytes?: number): Promise<HeldBytes>;
  /**
   * Waits for the thread. The work that follows must run without yielding.
   * @param cpuMs predicted CPU time of the work in milliseconds
   * @param peak memory that the work takes in addition to what is already held
   * @throws ApiError the same as `admitted`
   */
  turn(cpuMs: number, peak: Peak): Promise<void>;
  /** Ends the job, whatever its outcome; may be called repeatedly. */
  end(): void;
}

/** The scheduler's state of a job. */
interface Entry {
  readonly account: string;
  readonly client: AbortSignal;
  cpuMs: number;
  /** Announced length of a body that has not been read; null if unknown. */
  announced: number | null;
  /** Predicted memory, once the body is complete. */
  peak: Peak | null;
  held: HeldBytes | null;
  /** The latest global poll at which it was alive, and the one at which it began to wait. */
  poll: number;
  waitingSince: number;
  /** Number of its own consecutive polls at which no work fitted into memory. */
  stuckPolls: number;
  wake(): void;
}

/**
 * Admits requests, and gives them turns on the isolate's single thread (policy/turns.ts). Nothing here relies on clocks
 * that advance during image processing: on Cloudflare they stand still.
 */
export class Scheduler {
  /** All jobs whose work is not done. */
  readonly #jobs = new Set<Entry>();
  /** Jobs whose bodies have not been read, and jobs whose bodies are complete. */
  readonly #waiting = new Set<Entry>();
  readonly #ready = new Set<Entry>();
  /** Jobs whose bodies are complete or being read. */
  readonly #admitted = new Set<Entry>();
  /** The number of the latest turn of each account, in ascending order. */
  readonly #latestTurns = new Map<string, number>();
  #turns = 0;
  #polls = 0;
  #polledAt = 0;
  #cpuMsSincePause = 0;
  /** The poll at which the current pause began; null if there is none. */
  #pauseBegan: number | null = null;
  /** Read-only requests that are served between jobs, each with the poll at which it arrived. */
  readonly #reads = new Set<{ readonly poll: number }>();
  /** Number of response chunks that clients have taken. */
  #takenChunks = 0;

  constructor() {
    ledger.whenReleased(() => this.#wakeNext());
  }

  /**
   * Lets a request wait for its turn.
   * @param cpuMs expected CPU time in milliseconds
   * @param client aborts when the client has gone
   * @throws ApiError `overloaded` if too much work is ahead of it
   */
  enter(account: string, cpuMs: number, client: AbortSignal): Job {
    const before = cpuMsBefore({ account, cpuMs }, this.#jobs, this.#latestTurns);
    if (before > maxCpuMsBefore) throw overloaded((before - maxCpuMsBefore) / 1000);
    if (this.#jobs.size >= maxEntered) throw overloaded();
    const entry: Entry = {
      account,
      cpuMs,
      client,
      announced: null,
      peak: null,
      held: null,
      poll: this.#polls,
      waitingSince: this.#polls,
      stuckPolls: 0,
      wake: () => {},
    };
    this.#jobs.add(entry);
    return {
      admitted: (announced, maxBytes) => this.#admit(entry, announced, maxBytes),
      turn: (predicted, peak) => this.#turn(entry, predicted, peak),
      end: () => this.#endJob(entry),
    };
  }

  /** Runs a read-only request, such as one for a page, which is served between jobs. */
  async alongside<Result>(work: () => Promise<Result>): Promise<Result> {
    const read = { poll: this.#polls };
    this.#reads.add(read);
    try {
      return await work();
    } finally {
      this.#reads.delete(read);
    }
  }

  /** Counts a response chunk that a client has taken. */
  chunkTaken(): void {
    this.#takenChunks += 1;
  }

  async #admit(entry: Entry, announced: number | null, maxBytes?: number): Promise<HeldBytes> {
    Object.assign(entry, { announced, poll: this.#polls, waitingSince: this.#polls });
    this.#waiting.add(entry);
    try {
      while (this.#nextToAdmit() !== entry) {
        if (this.#hasLongWork(entry)) entry.waitingSince = this.#polls;
        if (this.#polls - entry.waitingSince > maxMemoryPolls) throw overloaded();
        await this.#sleep(entry);
      }
      entry.held = new HeldBytes(entry.account, announced, maxBytes);
      this.#admitted.add(entry);
      return entry.held;
    } finally {
      this.#waiting.delete(entry);
      this.#wakeNext();
    }
  }

  async #turn(entry: Entry, cpuMs: number, peak: Peak): Promise<void> {
    // Reading a body may take any number of polls, so waiting starts anew.
    Object.assign(entry, { cpuMs, peak, poll: this.#polls, waitingSince: this.#polls });
    this.#ready.add(entry);
    try {
      for (;;) {
        const isNext = !this.#isPaused && this.#nextReady() === entry;
        if (!isNext) {
          const isLate = this.#polls - entry.waitingSince > 2 * maxMemoryPolls;
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
    // Noticeable work counts as the maximum between two pauses.
    this.#cpuMsSincePause += cpuMs > noticeableCpuMs ? cpuMsBetweenPauses : cpuMs;
    this.#noteTurn(entry.account);
  }

  #endJob(entry: Entry): void {
    this.#forget(entry);
    this.#wakeNext();
  }

  #noteTurn(account: string): void {
    this.#turns += 1;
    this.#latestTurns.delete(account);
    this.#latestTurns.set(account, this.#turns);
    const [oldest] = this.#latestTurns.keys();
    if (this.#latestTurns.size > maxAccounts && oldest !== undefined)
      this.#latestTurns.delete(oldest);
  }

  /** The job whose body is read next; null if there is none, or no memory. */
  #nextToAdmit(): Entry | null {
    // Released memory goes first to work that lacks it.
    let isMemoryShort = this.#ready.size > 0 && this.#fitting().length < this.#ready.size;
    for (const entry of inOrder(this.#waiting, this.#latestTurns)) {
      if (this.#hasLongWork(entry)) continue;
      const isSmall = entry.announced !== null && entry.announced <= smallBytes;
      if (isMemoryShort && !isSmall) continue;
      const obstacle = HeldBytes.obstacleTo(entry.account, entry.announced);
      if (obstacle === null) return entry;
      const hasPrecedence = this.#polls - entry.waitingSince < maxPrecedencePolls;
      if (obstacle === 'memory' && hasPrecedence) isMemoryShort = true;
    }
    return null;
  }

  /**
   * Whether the account already has long work admitted: only one at a time is. A body that hardly moves does not count.
   */
  #hasLongWork({ account, cpuMs }: Entry): boolean {
    if (cpuMs <= longCpuMs) return false;
    return [...this.#admitted].some(
      (it) => it.account === account && it.cpuMs > longCpuMs && !it.held?.isSlow,
    );
  }

  /** The job whose work is done next; null if there is none, or none fits into memory. */
  #nextReady(): Entry | null {
    return inOrder(this.#fitting(), this.#latestTurns)[0] ?? null;
  }

  #fitting(): Entry[] {
    return [...this.#ready].filter(({ peak }) => peak !== null && ledger.hasRoomFor(peak));
  }

  /**
   * Whether a job has to give its body back: none of several complete bodies leaves enough memory for the work on
   * another, and no other memory is held that will be released.
   */
  #isGivenUp(entry: Entry): boolean {
    const bodies = new Set([...this.#ready].flatMap(({ held }) => held ?? []));
    const isStuck = this.#fitting().length === 0 && ledger.isHeldBy(bodies);
    entry.stuckPolls = isStuck ? entry.stuckPolls + 1 : 0;
    const isLast = inOrder(this.#ready, this.#latestTurns).at(-1) === entry;
    return entry.stuckPolls > maxStuckPolls && isLast && this.#ready.size > 1;
  }

  #needsPause(cpuMs: number): boolean {
    return cpuMs > noticeableCpuMs || this.#cpuMsSincePause + cpuMs > cpuMsBetweenPauses;
  }

  /** Yields the thread to read-only requests, responses in progress, and bookings. */
  async #pause(cpuMs: number): Promise<void> {
    this.#pauseBegan = this.#polls;
    for (let paused = 0; paused < maxPause; ) {
      const takenChunks = this.#takenChunks;
      // Before work that is hardly noticeable, pending tasks go first, but nothing is waited for.
      await scheduler.wait(cpuMs > noticeableCpuMs || this.#hasReads ? pauseStep : 0);
      paused += pauseStep;
      // Requests that arrive while an image is being processed become visible only a moment after that.
      const isShort = cpuMs > longCpuMs && paused < minPauseBeforeLong;
      const isMoving =
        cpuMs > noticeableCpuMs && takenChunks !== this.#takenChunks && paused < maxPauseForAnswers;
      if (!isShort && !isMoving && !this.#hasReads) break;
    }
    if (cpuMs > noticeableCpuMs) await waitForAllBookings();
    this.#pauseBegan = null;
    this.#cpuMsSincePause = 0;
    this.#wakeNext();
  }

  /** Whether there are read-only requests; those that were torn down stop counting after a while. */
  get #hasReads(): boolean {
    return [...this.#reads].some(({ poll }) => this.#polls - poll <= maxReadPolls);
  }

  get #isPaused(): boolean {
    return this.#pauseBegan !== null && this.#polls - this.#pauseBegan <= maxPausePolls;
  }

  /**
   * Waits until the job is woken, or for the next poll.
   * @throws ApiError if its client has gone
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

  /**
   * Counts at most one poll per interval, however many jobs wait; after long work, all timers fire at once and count as
   * one.
   */
  #countPoll(): void {
    const now = Date.now();
    if (now - this.#polledAt < 0.8 * pollInterval) return;
    this.#polledAt = now;
    this.#polls += 1;
    this.#forgetTornDown();
  }

  /** Removes jobs of requests that the platform tore down: they never wake up again, but still hold memory. */
  #forgetTornDown(): void {
    for (const entry of this.#jobs) {
      const isWaiting = this.#waiting.has(entry) || this.#ready.has(entry);
      const missed = this.#polls - entry.poll;
      if (missed <= (isWaiting ? maxMissedPolls : maxSilentPolls)) continue;
      entry.held?.free();
      this.#forget(entry);
    }
  }

  #forget(entry: Entry): void {
    for (const set of [this.#jobs, this.#waiting, this.#admitted, this.#ready]) set.delete(entry);
    entry.held = null;
  }

  /**
   * Wakes the jobs that get their turns before the next pause, the job that begins the pause, and the next one to be
   * admitted.
   */
  #wakeNext(): void {
    if (this.#ready.size > 0 && !this.#isPaused) {
      let cpuMs = this.#cpuMsSincePause;
      for (const entry of inOrder(this.#fitting(), this.#latestTurns)) {
        entry.wake();
        cpuMs += entry.cpuMs;
        if (cpuMs > cpuMsBetweenPauses) break;
      }
    }
    if (this.#waiting.size > 0) this.#nextToAdmit()?.wake();
  }
}

/** The client is gone, so nobody receives this error. */
function clientGone(): ApiError {
  return endedEarly();
}

/** The scheduler of this isolate. */
export const turns = new Scheduler();
