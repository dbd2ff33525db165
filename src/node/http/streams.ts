import { scheduler as nodeScheduler } from 'node:timers/promises';

/** The lengths of streams that know theirs, for `Content-Length`. */
const lengths = new WeakMap<object, number>();

/** The number of bytes that a body will have; null if it is not known. */
export function lengthOf(body: ReadableStream): number | null {
  return lengths.get(body) ?? null;
}

interface Waiting {
  readonly bytes: Uint8Array;
  /** Bytes taken so far. */
  taken: number;
  settle(): void;
  fail(reason: unknown): void;
}

/**
 * What Workers have under this name: passes on what is written, copied, to a reader that takes it as bytes. A write
 * settles when its bytes were taken. The stream fails unless exactly the announced number of bytes is written.
 */
export class FixedLengthStream {
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;
  readonly #length: number;
  #written = 0;
  #waiting: Waiting | null = null;
  #wake: () => void = () => {};
  #isClosed = false;
  #source: ReadableByteStreamController | undefined;
  #sink: WritableStreamDefaultController | undefined;

  /** @param length in bytes */
  constructor(length: number) {
    this.#length = length;
    this.readable = new ReadableStream({
      type: 'bytes',
      start: (controller: ReadableByteStreamController) => {
        this.#source = controller;
      },
      pull: (controller: ReadableByteStreamController) => this.#pull(controller),
      cancel: (reason) => this.#cancel(reason),
    } as UnderlyingByteSource);
    this.writable = new WritableStream<Uint8Array>({
      start: (controller) => {
        this.#sink = controller;
        // Not the sink’s own `abort`: it is called only once the write before it has ended, and that waits for the reader.
        controller.signal.addEventListener('abort', () => this.#fail(controller.signal.reason));
      },
      write: (bytes) => this.#write(bytes),
      close: () => this.#close(),
    });
    lengths.set(this.readable, length);
  }

  async #write(bytes: Uint8Array): Promise<void> {
    this.#written += bytes.length;
    if (this.#written > this.#length) throw this.#fail(tooMany());
    if (bytes.length === 0) return;
    await new Promise<void>((settle, fail) => {
      this.#waiting = { bytes, taken: 0, settle, fail };
      this.#wake();
    });
  }

  #close(): void {
    if (this.#written < this.#length) throw this.#fail(tooFew());
    this.#isClosed = true;
    this.#wake();
  }

  async #pull(controller: ReadableByteStreamController): Promise<void> {
    while (this.#waiting === null && !this.#isClosed) {
      await new Promise<void>((wake) => {
        this.#wake = wake;
      });
    }
    const view = controller.byobRequest?.view;
    if (this.#waiting === null) {
      controller.close();
      controller.byobRequest?.respond(0);
      return;
    }
    const { bytes, taken } = this.#waiting;
    const part = bytes.subarray(taken, taken + (view?.byteLength ?? bytes.length));
    this.#waiting.taken += part.length;
    if (view) {
      new Uint8Array(view.buffer, view.byteOffset, view.byteLength).set(part);
      controller.byobRequest?.respond(part.length);
    } else {
      controller.enqueue(part.slice());
    }
    if (this.#waiting.taken < bytes.length) return;
    this.#waiting.settle();
    this.#waiting = null;
  }

  /** The reader has gone: nothing that is written will arrive. */
  #cancel(reason: unknown): void {
    const error = reason ?? new Error('The reader has gone.');
    this.#waiting?.fail(error);
    this.#waiting = null;
    this.#sink?.error(error);
  }

  #fail(reason: unknown): unknown {
    this.#source?.error(reason);
    this.#waiting?.fail(reason);
    this.#waiting = null;
    this.#wake();
    return reason;
  }
}

function tooMany(): TypeError {
  return new TypeError('More bytes were written than the stream was made for.');
}

function tooFew(): TypeError {
  return new TypeError('Fewer bytes were written than the stream was made for.');
}

/** Gives this process the globals that the app uses, and Workers have. */
export function provideGlobals(): void {
  Object.assign(globalThis, { FixedLengthStream, scheduler: nodeScheduler });
}
