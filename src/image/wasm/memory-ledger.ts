import { arena, sideArena } from './arena.ts';
import { arenaCeiling, buffersLimit, memoryBudget, servingBytes, sideCeiling } from './budgets.ts';

/**
 * A hold lapses, and its memory is freed, after this many milliseconds without activity, which is longer than any
 * request is silent. Holds are released when their request ends, but one whose request was torn down by the platform
 * must not block the isolate forever.
 */
const silenceLimit = 10 * 60 * 1000;

/** The memory that one step of work needs in addition to what is held already. */
export interface Peak {
  /** Size of the main arena while the step runs. */
  readonly arena: number;
  /** Size of the side arena; absent if it is not used. */
  readonly side?: number;
  /** JavaScript buffers: rasters and results. */
  readonly buffers: number;
}

/** An object that holds memory for a client: a body being received, or a response being sent. */
export interface Holder {
  /** Identifies the owner of the request. */
  readonly owner: string;
  /** Whether it is waiting for a slow client, so that its memory may be given to others. */
  readonly isSlow: boolean;
  /** Whether it is a response, which will leave without further work; absent for a body. */
  readonly isResponse?: true;
  /** Bytes that are allocated; the rest of its hold is only reserved, and given away first. */
  readonly allocatedBytes: number;
  /** Frees its memory before returning. */
  giveUp(): void;
}

/** Why memory cannot be held: because of what is held for the same owner, or in total. */
export type Obstacle = 'owner-share' | 'memory';

/** Bytes accounted for in the ledger until `release`. */
export interface Hold {
  readonly bytes: number;
  /** Whether everything else that is held, except for the arenas, would be given up for it. */
  readonly isAlone: boolean;
  /** Changes its size; returns false and changes nothing if there is no room. Shrinking never fails. */
  resizeTo(bytes: number): boolean;
  /** Reports activity, so that the hold does not lapse. */
  touch(): void;
  /** May be called repeatedly, and after the hold has lapsed or was given up. */
  release(): void;
}

/** The memory of work that pauses, which nobody else may take meanwhile. */
export interface Claim {
  /** Called when the work pauses: others may then hold what it leaves. */
  pause(): void;
  /** Called before the work goes on, and accounts for its steps itself. */
  resume(): void;
  /** May be called repeatedly. */
  end(): void;
}

/** An arena, as far as its size matters here. */
interface SizedArena {
  readonly bytes: number;
  /** The size up to which it may grow. */
  readonly reserved: number;
}

interface Entry {
  readonly holder: Holder | undefined;
  touchedAt: number;
  bytes: number;
}

/**
 * Accounts for the memory of one isolate. If memory gets short, holders that wait for slow clients are given up. All
 * accounting is synchronous, so there are no races.
 */
export class MemoryLedger {
  readonly #budget: () => number;
  readonly #aside: number;
  readonly #arena: SizedArena;
  readonly #side: SizedArena;
  readonly #entries = new Set<Entry>();
  /** The predicted peak of the work in progress; null if there is none. */
  #claimed: Peak | null = null;
  /** What the work in progress may take when it goes on; null unless it pauses. */
  #paused: Peak | null = null;
  /** Buffers that steps of the work in progress may take. */
  readonly #grants = new Set<{ readonly bytes: number }>();

  /**
   * @param budget returns the bytes for the arenas and everything that is held
   * @param aside the part of the budget, in bytes, for memory that is not requested here
   * @param side the side arena
   */
  constructor(
    budget: () => number,
    arena: SizedArena,
    aside = 0,
    side: SizedArena = { bytes: 0, reserved: 0 },
  ) {
    this.#budget = budget;
    this.#aside = aside;
    this.#arena = arena;
    this.#side = side;
  }

  /** Maximum bytes held for one owner in total; a single body is always allowed. */
  get #ownerShare(): number {
    return this.#budget() / 3;
  }

  /** Bytes held now, including the arenas. */
  get held(): number {
    return this.#arena.bytes + this.#side.bytes + total(this.#entries);
  }

  /** Sums up what is held now. */
  survey(): Survey {
    this.#freeLapsed();
    return this.#surveyOf(this.#entries);
  }

  #surveyOf(entries: Iterable<Entry>): Survey {
    return new Survey(entries, {
      room: this.#room,
      ownerShare: this.#ownerShare,
      // Other work begins when this one has ended.
      roomBeside: ({ arena, side = 0, buffers }) => this.#roomWith(arena, side, null) - buffers,
    });
  }

  /** Holds `bytes`; returns null if they do not fit now. */
  hold(bytes: number, holder?: Holder): Hold | null {
    this.#freeLapsed();
    const entry = { holder, touchedAt: Date.now(), bytes: 0 };
    return this.#resize(entry, bytes) ? this.#entered(entry) : null;
  }

  /**
   * Accounts for an existing result. Never fails, because the work was given room for it (`makesRoomFor`); it has to be
   * called before anything else can take that room.
   */
  keep(bytes: number, holder?: Holder): Hold {
    return this.#entered({ holder, touchedAt: Date.now(), bytes });
  }

  /**
   * Claims memory for work that pauses, in addition to everything that is held. While it pauses, others hold no more
   * than what its predicted peak, and whatever else its steps have been granted, leaves.
   * @throws Error if other work is in progress
   */
  claim(peak: Peak): Claim {
    if (this.#claimed) throw new Error('one work at a time has the arenas');
    // Several works may have the same peak.
    const own = { ...peak };
    this.#claimed = own;
    const isInProgress = () => this.#claimed === own;
    return {
      pause: () => {
        if (isInProgress()) this.#paused = this.#leftToWork(own);
      },
      resume: () => {
        if (isInProgress()) this.#paused = null;
      },
      end: () => {
        if (!isInProgress()) return;
        this.#claimed = null;
        this.#paused = null;
        this.#grants.clear();
      },
    };
  }

  /** Lets a step of the work in progress take buffers, during its pauses too, until they are released. */
  grant(bytes: number): Pick<Hold, 'release'> {
    const grant = { bytes };
    if (this.#claimed) this.#grants.add(grant);
    return { release: () => void this.#grants.delete(grant) };
  }

  #leftToWork({ arena, side = 0, buffers }: Peak): Peak {
    return {
      arena: Math.max(arena, this.#arena.reserved),
      side: Math.max(side, this.#side.reserved),
      buffers: Math.max(buffers, ...Array.from(this.#grants, ({ bytes }) => bytes)),
    };
  }

  /** Whether everything is held by these holders or by ones that would be given up. */
  isHeldBy(holders: ReadonlySet<Holder>): boolean {
    return [...this.#entries].every(
      (entry) => makesWay(entry, undefined) || (entry.holder && holders.has(entry.holder)),
    );
  }

  /**
   * Makes room for a step of work in addition to everything that is held, giving up holders that wait for slow clients
   * if necessary; returns false if it does not fit. Only complete bodies are processed, so the step's own body is never
   * given up, but another one of the same owner may be.
   */
  makesRoomFor(step: Peak): boolean {
    this.#freeLapsed();
    return this.#reduce([...this.#entries], this.#roomBeside(step));
  }

  /** Holds bytes that a step needs beside what is held already (`makesRoomFor`); returns null if they do not fit now. */
  holdBeside(bytes: number, holder?: Holder): Hold | null {
    return this.makesRoomFor({ arena: 0, buffers: bytes }) ? this.keep(bytes, holder) : null;
  }

  /** Bytes of buffers that a step can use now beyond its own, without giving up any holder. */
  freeBeside(step: Peak): number {
    return Math.max(0, this.#roomBeside(step) - total(this.#entries));
  }

  /** Maximum bytes that may be held during a step of work. */
  #roomBeside({ arena: needed, side = 0, buffers }: Peak): number {
    return this.#roomWith(needed, side) - buffers;
  }

  /** Bytes that arenas of at least these sizes leave, and the work in progress if it pauses. */
  #roomWith(arena = 0, side = 0, paused = this.#paused): number {
    const { arena: main = 0, side: other = 0, buffers = 0 } = paused ?? {};
    const arenas =
      Math.max(this.#arena.bytes, arena, main) + Math.max(this.#side.bytes, side, other);
    return this.#budget() - this.#aside - arenas - buffers;
  }

  #entered(entry: Entry): Hold {
    this.#entries.add(entry);
    const others = () => this.#othersThan(entry);
    return {
      get bytes() {
        return entry.bytes;
      },
      get isAlone() {
        return others().every((other) => makesWay(other, entry.holder));
      },
      resizeTo: (size) => this.#entries.has(entry) && this.#resize(entry, size),
      touch: () => {
        entry.touchedAt = Date.now();
      },
      release: () => {
        this.#entries.delete(entry);
      },
    };
  }

  #resize(entry: Entry, size: number): boolean {
    if (size > entry.bytes) {
      const others = this.#othersThan(entry);
      if (this.#surveyOf(others).obstacleTo(size, entry.holder)) return false;
      this.#reduce(others, this.#room - size, entry.holder);
    }
    entry.bytes = size;
    return true;
  }

  #othersThan(entry: Entry): Entry[] {
    return [...this.#entries].filter((other) => other !== entry);
  }

  /** Bytes that the arenas leave, and the work in progress if it pauses. */
  get #room(): number {
    return this.#roomWith();
  }

  /**
   * Takes memory from slow holders among `entries`, first what is only reserved, then by giving them up, largest first,
   * until all hold at most `limit` bytes. If that cannot be reached, nothing is taken.
   */
  #reduce(entries: readonly Entry[], limit: number, body?: Holder): boolean {
    let excess = total(entries) - limit;
    const slow = entries.filter((entry) => makesWay(entry, body));
    if (excess > total(slow)) return false;
    for (const entry of slow) {
      if (excess <= 0) break;
      const reserved = Math.max(0, entry.bytes - (entry.holder?.allocatedBytes ?? 0));
      entry.bytes -= reserved;
      excess -= reserved;
    }
    for (const entry of slow.sort((a, b) => b.bytes - a.bytes)) {
      if (excess <= 0) break;
      excess -= entry.bytes;
      this.#entries.delete(entry);
      entry.holder?.giveUp();
    }
    return true;
  }

  /** Frees the memory of lapsed holds before removing them, so that memory is never given to others while in use. */
  #freeLapsed(): void {
    const oldest = Date.now() - silenceLimit;
    for (const entry of this.#entries) {
      if (entry.touchedAt >= oldest) continue;
      this.#entries.delete(entry);
      entry.holder?.giveUp();
    }
  }
}

interface Sums {
  held: number;
  /** The part of `held` that waits for slow clients. */
  slow: number;
}

interface Limits {
  /** Bytes that the arenas leave. */
  readonly room: number;
  readonly ownerShare: number;
  roomBeside(step: Peak): number;
}

/** What is held at one moment, summed up once for any number of questions, which have no side effects on holders. */
export class Survey {
  readonly #all: Sums = { held: 0, slow: 0 };
  /** Bytes of responses to clients that are not slow. */
  #leaving = 0;
  readonly #byOwner = new Map<string, Sums>();
  readonly #limits: Limits;

  constructor(entries: Iterable<Pick<Entry, 'bytes' | 'holder'>>, limits: Limits) {
    this.#limits = limits;
    for (const { bytes, holder } of entries) this.add(bytes, holder);
  }

  /** Counts bytes as if they were held, too. */
  add(bytes: number, holder: Pick<Holder, 'owner' | 'isSlow' | 'isResponse'> | undefined): void {
    for (const sums of holder ? [this.#all, this.#of(holder.owner)] : [this.#all]) {
      sums.held += bytes;
      if (holder?.isSlow) sums.slow += bytes;
    }
    if (holder?.isResponse && !holder.isSlow) this.#leaving += bytes;
  }

  #of(owner: string): Sums {
    const sums = this.#byOwner.get(owner) ?? { held: 0, slow: 0 };
    this.#byOwner.set(owner, sums);
    return sums;
  }

  /** Why a body of this size cannot be held; null if it can. */
  obstacleTo(bytes: number, body: Pick<Holder, 'owner' | 'isSlow'> | undefined): Obstacle | null {
    const { held, slow } = this.#all;
    const { room, ownerShare } = this.#limits;
    const own = body ? this.#of(body.owner) : { held: 0, slow: 0 };
    if (own.held > 0 && own.held + bytes > ownerShare) return 'owner-share';
    const givenUp = body?.isSlow ? 0 : slow - own.slow;
    if (held - givenUp + bytes > room) return 'memory';
    // The bodies of several requests leave half of the room free for work on them; a single one may use it all. Slow
    // ones will not be processed soon, and are given up if the work needs more. What responses hold is not counted as room.
    const moving = held - slow - this.#leaving;
    const half = (room - this.#leaving) / 2;
    const leavesRoom = moving === 0 || bytes <= smallBytes || moving + bytes <= half;
    return leavesRoom ? null : 'memory';
  }

  /**
   * Whether a step of work fits if holders that wait for slow clients are given up.
   * @param bytes held in addition
   */
  hasRoomFor(step: Peak, bytes = 0): boolean {
    return this.#all.held - this.#all.slow + bytes <= this.#limits.roomBeside(step);
  }
}

/**
 * Whether an entry is given up for a body that needs its memory, or for work if there is no such body. Not for a body
 * of the same owner, since on a slow line all of them are slow, nor for one that is slow itself.
 */
function makesWay({ holder }: Entry, body: Pick<Holder, 'owner' | 'isSlow'> | undefined): boolean {
  if (!holder?.isSlow) return false;
  return !body || (!body.isSlow && holder.owner !== body.owner);
}

function total(entries: Iterable<Entry>): number {
  let sum = 0;
  for (const { bytes } of entries) sum += bytes;
  return sum;
}

/** Bodies up to this size, in bytes, need not leave room for work, because they are released before it is needed. */
export const smallBytes = 256 * 1024;

/** The ledger of this isolate. */
export const ledger = new MemoryLedger(
  () => memoryBudget,
  bounded(arena, () => arenaCeiling),
  servingBytes,
  bounded(sideArena, () => sideCeiling),
);

/** What an engine with a larger budget has left of an arena is nothing that others could give back. */
function bounded(whole: SizedArena, ceiling: () => number): SizedArena {
  return {
    get bytes() {
      return Math.min(whole.bytes, ceiling());
    },
    get reserved() {
      return Math.min(whole.reserved, ceiling());
    },
  };
}

/** Whether a step fits into any isolate that only holds the file, even if its arenas have grown to their maximum. */
export function fitsAlone({ arena, side = 0, buffers }: Peak, fileBytes: number): boolean {
  return arena <= arenaCeiling && side <= sideCeiling && buffers + fileBytes <= buffersLimit;
}

/** Points of a measured curve, in order of position. */
export type Curve = readonly (readonly [at: number, value: number])[];

/** The value of a curve, interpolated linearly between its points and constant beyond its ends. */
export function interpolated(curve: Curve, at: number): number {
  let [from, low] = curve[0] ?? [0, 0];
  for (const [to, high] of curve) {
    if (at <= to) return to === from ? high : low + ((high - low) * (at - from)) / (to - from);
    [from, low] = [to, high];
  }
  return low;
}
