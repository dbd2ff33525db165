import { ApiError } from '../../errors.ts';
import { type Hold, ledger } from '../../image/memory.ts';
import { endedEarly, patientReader } from './patient-reader.ts';

/** Largest picture that is taken, in bytes. */
export const fileLimit = 32 * 1024 * 1024;

const firstGuess = 64 * 1024;

/** Bytes on their way in, each accounted for in the memory ledger before it is kept. */
export class HeldBytes {
  #buffer: ArrayBuffer;
  #length = 0;
  readonly #hold: Hold;

  /**
   * @param expected how many bytes to make room for at once, when that is known
   * @throws ApiError `overloaded` when they do not fit beside what is held
   */
  constructor(expected = firstGuess) {
    const hold = ledger.hold(expected);
    if (!hold) throw overloaded();
    this.#hold = hold;
    this.#buffer = new ArrayBuffer(expected);
  }

  /** @throws ApiError `body_too_large`, `overloaded` */
  append(chunk: Uint8Array): void {
    const end = this.#length + chunk.length;
    if (end > fileLimit) throw bodyTooLarge();
    if (end > this.#buffer.byteLength)
      this.#growTo(Math.min(fileLimit, Math.max(end, 2 * this.#buffer.byteLength)));
    new Uint8Array(this.#buffer).set(chunk, this.#length);
    this.#length = end;
  }

  /**
   * Fills the room that was expected straight from a stream, without a copy.
   * @throws ApiError `request_timeout`, `invalid_request` when it breaks off
   */
  async fill(stream: ReadableStream<Uint8Array>): Promise<void> {
    const patiently = patientReader();
    const reader = stream.getReader({ mode: 'byob' });
    while (this.#length < this.#buffer.byteLength) {
      // The buffer changes hands with every read.
      const rest = new Uint8Array(this.#buffer, this.#length);
      const { value, done } = await patiently(reader.read(rest));
      if (value) {
        this.#buffer = value.buffer as ArrayBuffer;
        this.#length += value.length;
      }
      if (done) break;
    }
    if (this.#length < this.#buffer.byteLength) throw endedEarly();
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#buffer, 0, this.#length);
  }

  /** Gives the memory back, now. */
  end(): void {
    if (!this.#buffer.detached) this.#buffer.transfer(0);
    this.#hold.release();
  }

  #growTo(size: number): void {
    // old and new block exist side by side while one is copied into the other
    if (!this.#hold.growTo(this.#buffer.byteLength + size)) {
      // alone in the isolate, trying again would not help
      throw this.#hold.isAlone ? bodyTooLarge(this.#buffer.byteLength) : overloaded();
    }
    this.#buffer = this.#buffer.transfer(size);
    this.#hold.growTo(size);
  }
}

/** @param limit in bytes; less than the general one where memory says so */
export function bodyTooLarge(limit = fileLimit): ApiError {
  const mebibytes = Math.floor(limit / 2 ** 20);
  return new ApiError('body_too_large', `Send one image of at most ${mebibytes} MiB.`, {
    members: { limit_bytes: limit },
  });
}

export function overloaded(): ApiError {
  return new ApiError('overloaded', 'Too much is going on here right now: try again.', {
    headers: { 'Retry-After': '1' },
  });
}
