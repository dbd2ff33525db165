import { ApiError } from '../../errors.ts';
import { type Hold, type IncomingBody, ledger } from '../../image/wasm/memory-ledger.ts';
import { BodyWatch, endedEarly, sipsOf } from '../http/body-reader.ts';

/** Largest picture that is taken, in bytes. */
export const fileLimit = 32 * 1024 * 1024;

/** Room that a body of unknown length starts with, in bytes. */
const firstGuess = 64 * 1024;

/**
 * Room that any other starts with, in bytes. Who has filled it means to send
 * the rest; before that, a client that only announced a lot holds little.
 */
const firstBlock = 512 * 1024;

const sip = 64 * 1024;

/**
 * How long a body waits for room before it is read, in milliseconds: somewhat
 * longer than it takes to see that another one is slow and has to make way.
 */
const patience = 3000;
const pause = 100;

/** A body on its way in, accounted for in the memory ledger as it arrives. */
export class HeldBytes implements IncomingBody {
  readonly owner: string;
  readonly watch = new BodyWatch();
  /** How much is read at a time, in bytes. */
  readonly sipSize: number;
  readonly #announced: number | null;
  readonly #hold: Hold;
  #buffer = new ArrayBuffer(0);
  #length = 0;

  /**
   * Room for a body, waited for where there is none at once.
   * @param announced how many bytes are to come, when that is known
   * @throws ApiError `overloaded` when they do not fit beside what is held
   */
  static async admit(owner: string, announced: number | null): Promise<HeldBytes> {
    for (let waited = 0; ; waited += pause) {
      try {
        return new HeldBytes(owner, announced);
      } catch (error) {
        if (waited >= patience) throw error;
        await scheduler.wait(pause);
      }
    }
  }

  /** @throws ApiError `overloaded` */
  private constructor(owner: string, announced: number | null) {
    this.owner = owner;
    this.#announced = announced;
    const first = Math.min(announced ?? firstGuess, firstBlock);
    this.sipSize = Math.min(first, sip);
    if (announced !== null && !ledger.admits(announced, this)) throw overloaded();
    const hold = ledger.hold(first + this.sipSize, this);
    if (!hold) throw overloaded();
    this.#hold = hold;
    this.#buffer = new ArrayBuffer(first);
  }

  /** Bytes that have come so far. */
  get length(): number {
    return this.#length;
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#buffer, 0, this.#length);
  }

  /** Bytes that it takes up: more than have come where their number was not announced. */
  get blockBytes(): number {
    return this.#buffer.byteLength;
  }

  get isSlow(): boolean {
    return this.watch.isSlow(this.#buffer.byteLength);
  }

  /** @throws ApiError `body_too_large`, `overloaded` */
  append(chunk: Uint8Array): void {
    const end = this.#length + chunk.length;
    if (end > fileLimit) throw bodyTooLarge();
    // given up between its arrival and now
    if (this.#buffer.detached) throw overloaded();
    if (end > this.#buffer.byteLength) this.#growFor(end);
    new Uint8Array(this.#buffer).set(chunk, this.#length);
    this.#length = end;
  }

  /**
   * Nothing more is to come.
   * @throws ApiError `overloaded` when it had to make way at the last moment
   */
  complete(): void {
    this.watch.stop();
    if (this.#buffer.detached) throw overloaded();
    this.#hold.resizeTo(this.#buffer.byteLength);
  }

  /** Gives the memory back, now. */
  end(): void {
    this.watch.stop();
    if (!this.#buffer.detached) this.#buffer.transfer(0);
    this.#hold.release();
  }

  /** Leaves the memory to whoever accounts for it from now on; null when it has gone before. */
  handOver(): ArrayBuffer | null {
    if (this.#buffer.detached) return null;
    const buffer = this.#buffer.transfer();
    this.end();
    return buffer;
  }

  giveUp(): void {
    this.watch.giveUp(overloaded());
    this.#buffer.transfer(0);
  }

  #growFor(end: number): void {
    const before = this.#buffer.byteLength;
    if (this.#announced !== null && end <= this.#announced) {
      // The first block, for as long as it is copied, and the sips are small change beside all of it.
      if (!this.#hold.resizeTo(this.#announced)) throw overloaded();
      this.#buffer = this.#buffer.transfer(this.#announced);
      return;
    }
    const size = Math.min(fileLimit, Math.max(end, 2 * before));
    // old and new block exist side by side while one is copied into the other
    if (!this.#hold.resizeTo(before + size)) {
      // alone in the isolate, trying again would not help
      throw this.#hold.isAlone ? bodyTooLarge(before) : overloaded();
    }
    this.#buffer = this.#buffer.transfer(size);
    this.#hold.resizeTo(size);
  }
}

/** @param limit in bytes; less than the general one where memory says so */
export function bodyTooLarge(limit = fileLimit): ApiError {
  const [unit, bytes] = limit < 2 ** 20 ? (['KiB', 2 ** 10] as const) : (['MiB', 2 ** 20] as const);
  const most = `${Math.floor(limit / bytes)} ${unit}`;
  return new ApiError('body_too_large', `Send one image of at most ${most}.`, {
    members: { limit_bytes: limit },
  });
}

export function overloaded(): ApiError {
  return new ApiError('overloaded', 'Too much is going on here right now: try again.', {
    headers: { 'Retry-After': '1' },
  });
}

/**
 * Reads a body that is nothing but an image. Memory is asked for before its
 * first byte is read.
 * @param length how many bytes are to come, when that is known
 * @param owner whose request it is; the bodies of one owner share what one may hold
 * @throws ApiError `invalid_request` when it is empty or ends early, `request_timeout`, `body_too_large`, `overloaded`
 */
export async function readRaw(
  body: ReadableStream<Uint8Array>,
  length: number | null,
  owner: string,
): Promise<HeldBytes> {
  const held = await HeldBytes.admit(owner, length);
  try {
    for await (const sip of sipsOf(body, held.sipSize, held.watch)) held.append(sip);
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
