import type { ApiError } from '../../errors.ts';
import { fileTooLarge, type Hold, type Holder, ledger } from '../../image/engine.ts';
import { bodyLimits } from '../../policy/limits.ts';
import { BodyWatch } from '../http/body-reader.ts';
import { apiErrorOf } from '../http/problems.ts';
import { overloaded } from '../http/rate-limit.ts';

/** First allocation for a body of unknown length, in bytes. */
const unknownLengthBytes = 64 * 1024;

/**
 * Maximum first allocation for any other body, in bytes. A client that has filled it evidently sends the rest; one that
 * only announced a large body holds little.
 */
const maxFirstBytes = 512 * 1024;

const maxChunkBytes = 64 * 1024;

/** A body that is about to be read. */
interface ExpectedBody {
  /** The account of the request; the bodies of one owner share a limit. */
  readonly owner: string;
  /** Announced length in bytes; null if unknown. */
  readonly announced: number | null;
  /** Maximum length in bytes; by default the general limit. */
  readonly maxBytes?: number | undefined;
  /** Called twice a second while the body is being read. */
  renew(): void;
}

/** The bytes of an incoming file, counted in the memory ledger before they arrive. */
export class HeldBytes implements Holder {
  readonly owner: string;
  readonly watch: BodyWatch;
  /** Number of bytes read at a time. */
  readonly chunkBytes: number;
  readonly #announced: number | null;
  readonly #maxBytes: number;
  /** Bytes reserved or allocated. */
  #takenBytes: number;
  readonly #hold: Hold;
  #additionalHold: Hold | null = null;
  #buffer = new ArrayBuffer(0);
  #length = 0;
  /** Whether its memory may be given to others, while it only waits for results to leave; null if it does not. */
  #isResting: (() => boolean) | null = null;
  /** Whether its memory is to come back from another thread. */
  #isLent = false;

  /**
   * Bytes to reserve before a body is read: its length or, if that is unknown, its first allocation, and one chunk in
   * transit.
   */
  static reservedBytes(announced: number | null): number {
    const first = firstBytes(announced);
    return (announced ?? first) + Math.min(first, maxChunkBytes);
  }

  /**
   * Reserves memory for a body: all of it if its length is announced.
   * @throws ApiError `overloaded` if there is an obstacle
   */
  constructor({ owner, announced, maxBytes = bodyLimits.maxFileBytes, renew }: ExpectedBody) {
    this.owner = owner;
    this.#maxBytes = maxBytes;
    this.#announced = announced;
    const first = firstBytes(announced);
    this.chunkBytes = Math.min(first, maxChunkBytes);
    this.watch = new BodyWatch(renew);
    this.#takenBytes = HeldBytes.reservedBytes(announced);
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

  /** Allocated bytes: more than have arrived if the length was not announced. */
  get blockBytes(): number {
    return this.#buffer.byteLength;
  }

  /** The block and one chunk in transit. */
  get allocatedBytes(): number {
    return this.#buffer.byteLength + this.chunkBytes;
  }

  get isSlow(): boolean {
    return this.#isResting?.() ?? this.watch.isSlow(this.#takenBytes);
  }

  /**
   * Shrinks the block to the length of the file, if that was unknown.
   * @returns whether it was larger: `bytes` of before are gone then
   */
  trim(): boolean {
    if (this.#buffer.byteLength === this.#length) return false;
    this.#buffer = this.#buffer.transfer(this.#length);
    this.#takenBytes = this.#length;
    this.#hold.resizeTo(this.#length);
    return true;
  }

  /**
   * Counts additional bytes that were derived from the file and live as long as it does.
   * @throws ApiError `overloaded` if there is no room for them
   */
  keepBeside(bytes: number): void {
    if (bytes === 0) return;
    this.#additionalHold = ledger.holdBeside(bytes, this);
    if (!this.#additionalHold) throw overloaded();
  }

  /**
   * Keeps the file for later work, while results of earlier work leave.
   * @param isSlow whether the client is slow to take them, so that the file may be given up for others; null when the work
   *   goes on
   */
  rest(isSlow: (() => boolean) | null): void {
    this.#isResting = isSlow;
  }

  /** Whether its memory has been released, given up or lost. */
  get isGone(): boolean {
    return this.#buffer.detached;
  }

  /** Lends the memory to another thread; what is held for it stays held. Null if it was given up before. */
  lend(): ArrayBuffer | null {
    if (this.#buffer.detached) return null;
    this.#isLent = true;
    return this.#buffer.transfer();
  }

  /** Takes back what was lent, unless the request has ended meanwhile. */
  takeBack(buffer: ArrayBuffer): void {
    if (this.#isLent) this.#buffer = buffer;
    else buffer.transfer(0);
    this.#isLent = false;
  }

  /** Tells the ledger that the request is still running. */
  touch(): void {
    this.#hold.touch();
    this.#additionalHold?.touch();
  }

  /** @throws ApiError `body_too_large`, `overloaded` */
  append(chunk: Uint8Array): void {
    const end = this.#length + chunk.length;
    if (end > this.#maxBytes) throw bodyTooLarge(this.#maxBytes);
    // The body was evicted after this chunk was read.
    if (this.#buffer.detached) throw overloaded();
    if (end > this.#buffer.byteLength) this.#growFor(end);
    new Uint8Array(this.#buffer).set(chunk, this.#length);
    this.#length = end;
    this.#hold.touch();
  }

  /**
   * Ends reading: no more bytes will arrive.
   * @throws ApiError `overloaded` if the body was evicted at the last moment
   */
  complete(): void {
    this.watch.stop();
    if (this.#buffer.detached) throw overloaded();
    this.#hold.resizeTo(this.#buffer.byteLength);
  }

  /** Releases the memory immediately. */
  end(): void {
    this.watch.stop();
    this.free();
  }

  /** Releases the memory for a request that was torn down and cannot do so itself. */
  free(): void {
    this.#isLent = false;
    if (!this.#buffer.detached) this.#buffer.transfer(0);
    this.#hold.release();
    this.#additionalHold?.release();
  }

  /** Transfers the memory to the caller, who accounts for it from now on; null if it was released before. */
  handOver(): ArrayBuffer | null {
    if (this.#buffer.detached) return null;
    const buffer = this.#buffer.transfer();
    this.end();
    return buffer;
  }

  /** Evicts the body: its memory is released immediately, and its request fails with `overloaded`. */
  giveUp(): void {
    this.#isLent = false;
    this.watch.giveUp(overloaded());
    if (!this.#buffer.detached) this.#buffer.transfer(0);
  }

  #growFor(end: number): void {
    const before = this.#buffer.byteLength;
    if (this.#announced !== null && end <= this.#announced) {
      // This memory is reserved unless others took it; the first block is negligible while it is copied.
      if (!this.#hold.resizeTo(HeldBytes.reservedBytes(this.#announced))) throw overloaded();
      this.#buffer = this.#buffer.transfer(this.#announced);
      return;
    }
    const size = Math.min(this.#maxBytes, Math.max(end, 2 * before));
    // The old and the new block coexist while one is copied into the other.
    if (!this.#hold.resizeTo(before + size)) {
      // In an otherwise idle isolate, a retry would not help.
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

/** @param limit in bytes; lower than the general limit if memory is short */
export function bodyTooLarge(limit = bodyLimits.maxFileBytes): ApiError {
  return apiErrorOf(fileTooLarge(limit));
}
