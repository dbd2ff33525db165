import { arena, sideArena } from './arena.ts';

/**
 * After so many milliseconds without a sign of life a hold lapses, and what it holds is freed. Holds are released
 * when their request ends; one whose request was torn down by the platform must not close the isolate for good.
 * Longer than any request is silent.
 */
const silenceLimit = 10 * 60 * 1000;

/** The memory that one step of work needs beside what is held already. */
export interface Peak {
  /** The arena's size while the step runs. */
  readonly arena: number;
  /** The side arena's; absent: nothing runs there. */
  readonly side?: number;
  /** JavaScript buffers: rasters and results. */
  readonly buffers: number;
}

/** What holds memory for a client, as the ledger has to know it: a body on its way in, or an answer on its way out. */
export interface Holder {
  /** Whose it is: any string that tells one owner from another. */
  readonly owner: string;
  /** It waits for its client and hardly moves, so what it holds is for others to have. */
  readonly isSlow: boolean;
  /** Of what it holds, the bytes that are there; the others are reserved, and the first to be given away. */
  readonly allocatedBytes: number;
  /** Frees what it holds, before it returns. */
  giveUp(): void;
}

/** What keeps memory from being held: all that is held for this owner, or for everybody. */
export type Obstacle = 'owner-share' | 'memory';

/** Bytes taken from the ledger, until `release`. */
export interface Hold {
  readonly bytes: number;
  /** Nothing else is held, beside the arenas, that would not make way for it. */
  readonly isAlone: boolean;
  /** Takes so many bytes instead, or refuses and changes nothing; less is never refused. */
  resizeTo(bytes: number): boolean;
  /** Gives a sign of life. */
  touch(): void;
  /** May be called again, and after the hold has lapsed or had to make way. */
  release(): void;
}

interface Entry {
  readonly holder: Holder | undefined;
  touchedAt: number;
  bytes: number;
}

/**
 * The account of one isolate's memory. Where it gets short, what waits for a slow client makes
 * way. Counting is synchronous, so nothing slips in between.
 */
export class MemoryLedger {
  /** For the arenas and everything that is held. */
  readonly #available: number;
  readonly #arena: { readonly bytes: number };
  readonly #side: { readonly bytes: number };
  /** What may be held for one owner in all; a single body may always go on. */
  readonly #ownerShare: number;
  readonly #entries = new Set<Entry>();
  #onRelease = () => {};

  /**
   * @param budget in bytes, for the arenas and everything that is held
   * @param aside of it, in bytes, for what nobody asks for here
   * @param side the side arena
   */
  constructor(
    budget: number,
    arena: { readonly bytes: number },
    aside = 0,
    side: { readonly bytes: number } = { bytes: 0 },
  ) {
    this.#available = budget - aside;
    this.#arena = arena;
    this.#side = side;
    this.#ownerShare = budget / 3;
  }

  /** Bytes held now, the arenas included. */
  get held(): number {
    return this.#arena.bytes + this.#side.bytes + total(this.#entries);
  }

  /** Calls `listener` whenever memory has been given back. */
  whenReleased(listener: () => void): void {
    this.#onRelease = listener;
  }

  /** What keeps a body of so many bytes from being held now; null: nothing. Nobody makes way for the question. */
  obstacleTo(bytes: number, body: Pick<Holder, 'owner' | 'isSlow'>): Obstacle | null {
    this.#freeLapsed();
    return this.#obstacle(bytes, body, [...this.#entries]);
  }

  /** Takes `bytes`, or null when they do not fit now. */
  hold(bytes: number, holder?: Holder): Hold | null {
    this.#freeLapsed();
    const entry = { holder, touchedAt: Date.now(), bytes: 0 };
    return this.#resize(entry, bytes) ? this.#entered(entry) : null;
  }

  /**
   * Counts a result that is there already. Never refused: the work that it came of was given room for it
   * (`makesRoomFor`), so it has to be entered before anything else can take that.
   */
  keep(bytes: number, holder?: Holder): Hold {
    return this.#entered({ holder, touchedAt: Date.now(), bytes });
  }

  /** Whether nothing is held but by these, and by what would make way. */
  isHeldBy(holders: ReadonlySet<Holder>): boolean {
    return [...this.#entries].every(
      (entry) => makesWay(entry, undefined) || (entry.holder && holders.has(entry.holder)),
    );
  }

  /** Whether `makesRoomFor` would succeed. Nobody makes way for the question. */
  hasRoomFor(step: Peak): boolean {
    const slow = [...this.#entries].filter((entry) => makesWay(entry, undefined));
    return total(this.#entries) - total(slow) <= this.#roomBeside(step);
  }

  /**
   * Whether a step of work fits beside everything that is held, once what waits for slow
   * clients has made way. Only a complete body is worked on, so the step's own
   * is never among that; another one of the same owner may be.
   */
  makesRoomFor(step: Peak): boolean {
    this.#freeLapsed();
    return this.#reduce([...this.#entries], this.#roomBeside(step));
  }

  /** Bytes of buffers that a step can take beyond its own now, without that anybody makes way. */
  freeBeside(step: Peak): number {
    return Math.max(0, this.#roomBeside(step) - total(this.#entries));
  }

  /** What may be held beside a step of work, in bytes. */
  #roomBeside({ arena: needed, side = 0, buffers }: Peak): number {
    const arenas = Math.max(this.#arena.bytes, needed) + Math.max(this.#side.bytes, side);
    return this.#available - arenas - buffers;
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
        if (this.#entries.delete(entry)) this.#onRelease();
      },
    };
  }

  #resize(entry: Entry, size: number): boolean {
    if (size > entry.bytes) {
      const others = this.#othersThan(entry);
      if (this.#obstacle(size, entry.holder, others)) return false;
      this.#reduce(others, this.#room - size, entry.holder);
    }
    entry.bytes = size;
    return true;
  }

  #othersThan(entry: Entry): Entry[] {
    return [...this.#entries].filter((other) => other !== entry);
  }

  /** What the arenas leave, in bytes. */
  get #room(): number {
    return this.#available - this.#arena.bytes - this.#side.bytes;
  }

  #obstacle(
    bytes: number,
    body: Pick<Holder, 'owner' | 'isSlow'> | undefined,
    others: readonly Entry[],
  ): Obstacle | null {
    const own = total(others.filter(({ holder }) => holder && holder.owner === body?.owner));
    if (own > 0 && own + bytes > this.#ownerShare) return 'owner-share';
    const staying = total(others.filter((other) => !makesWay(other, body)));
    if (staying + bytes > this.#room) return 'memory';
    // Bodies of several requests leave half of it free to work on them; one alone may have it
    // all. Slow ones are not worked on soon, and make way for the work when it needs more.
    const moving = total(others.filter(({ holder }) => !holder?.isSlow));
    const leavesRoom = moving === 0 || bytes <= smallBytes || moving + bytes <= this.#room / 2;
    return leavesRoom ? null : 'memory';
  }

  /**
   * Takes from slow ones among `entries` what they have only reserved, then makes them give up, the largest first,
   * until all hold no more than `limit` bytes. When that cannot be reached, nothing is taken.
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

  /** Memory is never given to others while it is still held. */
  #freeLapsed(): void {
    const oldest = Date.now() - silenceLimit;
    for (const entry of this.#entries) {
      if (entry.touchedAt >= oldest) continue;
      this.#entries.delete(entry);
      entry.holder?.giveUp();
    }
  }
}

/**
 * Whether an entry is given up for a body that needs its memory, or for work
 * when there is no such body. Not for one of the same owner, since on a slow
 * line all of them are slow, and not for one that is slow itself.
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

const mebibyte = 1024 * 1024;

/** Bodies up to this size, in bytes, are not asked to leave room to work in: they are gone before it is needed. */
export const smallBytes = 256 * 1024;

/**
 * Everything that this isolate may hold for images at one moment: the arenas,
 * bodies on their way in and out, rasters. An isolate has 128 MB in all; the
 * rest is the runtime's, the code's and the collector's.
 */
export const memoryBudget = 96 * mebibyte;

/**
 * Always counted: what serving a picture takes beside what is held for it. Chunks and pieces of bodies
 * on their way, views and numbers that wait for the collector, what compiling and an allocator's units
 * round up to. Measured in workerd by `npm run bench -- --only memory`: 2 to 3 MiB whatever the picture's
 * size, and 5 where code gets hot in the same request (an AVIF that becomes a PNG with a palette).
 */
export const servingBytes = 6 * mebibyte;

/**
 * What the side arena may grow to: the reader of any picture whose coefficients or tiles need not all be
 * there, or the writer of a PNG 8,000 pixels wide, or of an opaque lossy WebP, that hands its result over piece by
 * piece.
 */
export const sideCeiling = 6 * mebibyte;

/**
 * What the arena may grow to. Neither of the two ever shrinks, so what they leave is all that
 * bodies and rasters can count on for the rest of the isolate's life: 32 MiB,
 * the largest body that is taken.
 */
export const arenaCeiling = 58 * mebibyte - sideCeiling;

/** What is left for the file, its raster and the result, however far the arenas have grown. */
export const buffersLimit = memoryBudget - servingBytes - arenaCeiling - sideCeiling;

/** The ledger of this isolate. */
export const ledger = new MemoryLedger(memoryBudget, arena, servingBytes, sideArena);

/**
 * Whether a step fits in any isolate that does nothing else and holds the file
 * itself, one whose arenas have grown to their ceilings included.
 */
export function fitsAlone({ arena: needed, side = 0, buffers }: Peak, fileBytes: number): boolean {
  return needed <= arenaCeiling && side <= sideCeiling && buffers + fileBytes <= buffersLimit;
}

/** Points of a measured curve: ascending positions, each with its value. */
export type Curve = readonly (readonly [at: number, value: number])[];

/** The value of a curve between its points; beyond its ends, that of the end. */
export function interpolated(curve: Curve, at: number): number {
  let [from, low] = curve[0] ?? [0, 0];
  for (const [to, high] of curve) {
    if (at <= to) return to === from ? high : low + ((high - low) * (at - from)) / (to - from);
    [from, low] = [to, high];
  }
  return low;
}
