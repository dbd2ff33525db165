import { ApiError } from '../../errors.ts';
import { type Hold, type IncomingBody, ledger } from '../../image/wasm/memory-ledger.ts';
import { bodyLimits } from '../../policy/limits.ts';
import { BodyWatch, endedEarly, reusedChunksOf } from '../http/body-reader.ts';

/** First allocation for a body of unknown length, in bytes. */
const unknownLengthBytes = 64 * 1024;

/**
 * First allocation for any other body at most, in bytes. A client that has
 * filled it means to send the rest; one that only announced a lot holds little.
 */
const maxFirstBytes = 512 * 1024;

const maxChunkBytes = 64 * 1024;

/**
 * How long a body waits for memory before it is read, in milliseconds: somewhat
 * longer than it takes to detect that another body is slow and to evict it.
 */
const admissionTimeout = 3000;
const pollInterval = 100;

/** The bytes of an incoming file, counted in the memory ledger as they arrive. */
export class HeldBytes implements IncomingBody {
  readonly owner: string;
  readonly watch = new BodyWatch();
  /** How much is read at a time, in bytes. */
  readonly chunkBytes: number;
  readonly #announced: number | null;
  readonly #hold: Hold;
  #buffer = new ArrayBuffer(0);
  #length = 0;

  /**
   * Reserves memory for a body, and waits for it where there is none at once.
   * @param owner whose request it is; the bodies of one owner share a limit
   * @param announced how many bytes are to come, when that is known
   * @throws ApiError `overloaded` when they do not fit beside what is held
   */
  static async admit(owner: string, announced: number | null): Promise<HeldBytes> {
    for (let waited = 0; ; waited += pollInterval) {
      try {
        return new HeldBytes(owner, announced);
      } catch (error) {
        if (waited >= admissionTimeout) throw error;
        await scheduler.wait(pollInterval);
      }
    }
  }

  /** @throws ApiError `overloaded` */
  private constructor(owner: string, announced: number | null) {
    this.owner = owner;
    this.#announced = announced;
    const first = Math.min(announced ?? unknownLengthBytes, maxFirstBytes);
    this.chunkBytes = Math.min(first, maxChunkBytes);
    if (announced !== null && !ledger.admits(announced, this)) throw overloaded();
    const hold = ledger.hold(first + this.chunkBytes, this);
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

  get isSlow(): boolean {
    return this.watch.isSlow(this.#buffer.byteLength);
  }

  /** @throws ApiError `body_too_large`, `overloaded` */
  append(chunk: Uint8Array): void {
    const end = this.#length + chunk.length;
    if (end > bodyLimits.maxFileBytes) throw bodyTooLarge();
    // evicted since it arrived
    if (this.#buffer.detached) throw overloaded();
    if (end > this.#buffer.byteLength) this.#growFor(end);
    new Uint8Array(this.#buffer).set(chunk, this.#length);
    this.#length = end;
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
    if (!this.#buffer.detached) this.#buffer.transfer(0);
    this.#hold.release();
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
    this.#buffer.transfer(0);
  }

  #growFor(end: number): void {
    const before = this.#buffer.byteLength;
    if (this.#announced !== null && end <= this.#announced) {
      // the first block, while it is copied, and the chunks are negligible beside the whole
      if (!this.#hold.resizeTo(this.#announced)) throw overloaded();
      this.#buffer = this.#buffer.transfer(this.#announced);
      return;
    }
    const size = Math.min(bodyLimits.maxFileBytes, Math.max(end, 2 * before));
    // old and new block exist side by side while one is copied into the other
    if (!this.#hold.resizeTo(before + size)) {
      // alone in the isolate, a retry would not help
      throw this.#hold.isAlone ? bodyTooLarge(before) : overloaded();
    }
    this.#buffer = this.#buffer.transfer(size);
    this.#hold.resizeTo(size);
  }
}

/** @param limit in bytes; lower than the general one where memory is short */
export function bodyTooLarge(limit = bodyLimits.maxFileBytes): ApiError {
  const [unit, bytes] = limit < 2 ** 20 ? (['KiB', 2 ** 10] as const) : (['MiB', 2 ** 20] as const);
  const maximum = `${Math.floor(limit / bytes)} ${unit}`;
  return new ApiError('body_too_large', `Send one image of at most ${maximum}.`, {
    members: { limit_bytes: limit },
  });
}

export function overloaded(): ApiError {
  return new ApiError('overloaded', undefined, { headers: { 'Retry-After': '1' } });
}

/**
 * Reads a body that is nothing but an image. Memory is reserved before its
 * first byte is read.
 * @param length how many bytes are to come, when that is known
 * @param owner whose request it is; the bodies of one owner share a limit
 * @throws ApiError `invalid_request` when it is empty or ends early, `request_timeout`, `body_too_large`, `overloaded`
 */
export async function readRaw(
  body: ReadableStream<Uint8Array>,
  length: number | null,
  owner: string,
): Promise<HeldBytes> {
  const held = await HeldBytes.admit(owner, length);
  try {
    for await (const chunk of reusedChunksOf(body, held.chunkBytes, held.watch)) held.append(chunk);
    if (length !== null && held.length < length) throw endedEarly();
    held.complete();
    if (held.length === 0) throw noImage();
    return held;
  } catch (error) {
    held.end();
    throw error;
  }
}

export function noImage(): ApiError {
  return new ApiError('invalid_request', 'Send the bytes of one image as the body.');
}
