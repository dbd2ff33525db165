import { ApiError } from '../../errors.ts';
import { type Hold, type Holder, ledger, type Obstacle } from '../../image/wasm/memory-ledger.ts';
import { bodyLimits } from '../../policy/limits.ts';
import { BodyWatch } from '../http/body-reader.ts';
import { overloaded } from '../http/rate-limit.ts';

/** First allocation for a body of unknown length, in bytes. */
const unknownLengthBytes = 64 * 1024;

/**
 * First allocation for any other body at most, in bytes. A client that has
 * filled it means to send the rest; one that only announced a lot holds little.
 */
const maxFirstBytes = 512 * 1024;

const maxChunkBytes = 64 * 1024;

/** The bytes of an incoming file, counted in the memory ledger before they arrive. */
export class HeldBytes implements Holder {
  readonly owner: string;
  readonly watch = new BodyWatch();
  /** How much is read at a time, in bytes. */
  readonly chunkBytes: number;
  readonly #announced: number | null;
  readonly #maxBytes: number;
  /** Bytes that are reserved, or allocated. */
  #takenBytes: number;
  readonly #hold: Hold;
  #beside: Hold | null = null;
  #buffer = new ArrayBuffer(0);
  #length = 0;

  /** What keeps a body from being read now; null: nothing. */
  static obstacleTo(owner: string, announced: number | null): Obstacle | null {
    return ledger.obstacleTo(reservedBytes(announced), { owner, isSlow: false });
  }

  /**
   * Reserves memory for a body: all of it where its length is announced.
   * @param owner whose request it is; the bodies of one owner share a limit
   * @param announced how many bytes are to come, when that is known
   * @param maxBytes that it may have
   * @throws ApiError `overloaded` when there is an obstacle
   */
  constructor(owner: string, announced: number | null, maxBytes: number = bodyLimits.maxFileBytes) {
    this.owner = owner;
    this.#maxBytes = maxBytes;
    this.#announced = announced;
    const first = firstBytes(announced);
    this.chunkBytes = Math.min(first, maxChunkBytes);
    this.#takenBytes = reservedBytes(announced);
    const hold = ledger.hold(this.#takenBytes, this);
    if (!hold) throw overloaded();
    this.#hold = hold;
    this.#buffer = new ArrayBuffer(first);
  }

  /** Bytes that have arrived so far. */
  get length(): number {
    return this.#length;
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#buffer, 0, this.#length);
  }

  /** Allocated bytes: more than have arrived where their number was not announced. */
  get blockBytes(): number {
    return this.#buffer.byteLength;
  }

  /** The block, and a chunk on its way. */
  get allocatedBytes(): number {
    return this.#buffer.byteLength + this.chunkBytes;
  }

  get isSlow(): boolean {
    return this.watch.isSlow(this.#takenBytes);
  }

  /** Leaves no more than the file in memory, where its length was not known. */
  trim(): void {
    if (this.#buffer.byteLength === this.#length) return;
    this.#buffer = this.#buffer.transfer(this.#length);
    this.#takenBytes = this.#length;
    this.#hold.resizeTo(this.#length);
  }

  /** Counts what was made of the file and lives as long as it. */
  keepBeside(bytes: number): void {
    if (bytes > 0) this.#beside = ledger.keep(bytes, this);
  }

  /** Tells the ledger that the request is still there. */
  touch(): void {
    this.#hold.touch();
    this.#beside?.touch();
  }

  /** @throws ApiError `body_too_large`, `overloaded` */
  append(chunk: Uint8Array): void {
    const end = this.#length + chunk.length;
    if (end > this.#maxBytes) throw bodyTooLarge(this.#maxBytes);
    // evicted since it arrived
    if (this.#buffer.detached) throw overloaded();
    if (end > this.#buffer.byteLength) this.#growFor(end);
    new Uint8Array(this.#buffer).set(chunk, this.#length);
    this.#length = end;
    this.#hold.touch();
  }

  /**
   * Ends the arrival: nothing more is to come.
   * @throws ApiError `overloaded` when the body was evicted at the last moment
   */
  complete(): void {
    this.watch.stop();
    if (this.#buffer.detached) throw overloaded();
    this.#hold.resizeTo(this.#buffer.byteLength);
  }

  /** Releases the memory at once. */
  end(): void {
    this.watch.stop();
    this.free();
  }

  /** Releases the memory in place of a request that cannot do that any more. */
  free(): void {
    if (!this.#buffer.detached) this.#buffer.transfer(0);
    this.#hold.release();
    this.#beside?.release();
  }

  /** Transfers the memory to the caller, who accounts for it from now on; null when it was released before. */
  handOver(): ArrayBuffer | null {
    if (this.#buffer.detached) return null;
    const buffer = this.#buffer.transfer();
    this.end();
    return buffer;
  }

  /** Evicts the body: its memory is released at once, and its request ends with `overloaded`. */
  giveUp(): void {
    this.watch.giveUp(overloaded());
    if (!this.#buffer.detached) this.#buffer.transfer(0);
  }

  #growFor(end: number): void {
    const before = this.#buffer.byteLength;
    if (this.#announced !== null && end <= this.#announced) {
      // reserved, unless others took that; the first block, while it is copied, is negligible beside the whole
      if (!this.#hold.resizeTo(reservedBytes(this.#announced))) throw overloaded();
      this.#buffer = this.#buffer.transfer(this.#announced);
      return;
    }
    const size = Math.min(this.#maxBytes, Math.max(end, 2 * before));
    // old and new block exist side by side while one is copied into the other
    if (!this.#hold.resizeTo(before + size)) {
      // alone in the isolate, a retry would not help
      throw this.#hold.isAlone ? bodyTooLarge(before) : overloaded();
    }
    this.#buffer = this.#buffer.transfer(size);
    this.#hold.resizeTo(size);
    this.#takenBytes = size;
  }
}

function firstBytes(announced: number | null): number {
  return Math.min(announced ?? unknownLengthBytes, maxFirstBytes);
}

/** A chunk on its way is held beside what has arrived. */
function reservedBytes(announced: number | null): number {
  const first = firstBytes(announced);
  return (announced ?? first) + Math.min(first, maxChunkBytes);
}

/** @param limit in bytes; lower than the general one where memory is short */
export function bodyTooLarge(limit = bodyLimits.maxFileBytes): ApiError {
  const [unit, bytes] = limit < 2 ** 20 ? (['KiB', 2 ** 10] as const) : (['MiB', 2 ** 20] as const);
  const maximum = `${Math.floor(limit / bytes)} ${unit}`;
  return new ApiError('body_too_large', `Send one image of at most ${maximum}.`, {
    members: { limit_bytes: limit },
  });
}
