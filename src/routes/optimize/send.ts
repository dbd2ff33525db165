import { type Hold, type Holder, ledger } from '../../image/engine.ts';
import { answerLimits } from '../../policy/limits.ts';
import { checkInterval, FlowMeter } from '../http/body-reader.ts';
import { turns } from './scheduler.ts';

/**
 * The runtime copies each chunk that is written, and keeps the copy until the chunk has left. That is when its write
 * settles, which may never happen.
 */
const chunkBytes = 64 * 1024;

const maxIdleChecks = answerLimits.stallTimeout / checkInterval;
const rateChecks = answerLimits.rateWindow / checkInterval;
const minBytesInWindow = (answerLimits.minBytesPerSecond * answerLimits.rateWindow) / 1000;

/**
 * Number of checks without progress until the response may be evicted for others that need its memory: five seconds.
 */
const slowChecks = 10;

/** A response body, with a promise for its completion. */
export interface Sending {
  readonly body: ReadableStream;
  /**
   * Settles when the client has received everything, has gone, or was given up: whether anything has left. Never
   * rejects.
   */
  readonly sent: Promise<boolean>;
}

/**
 * Sends the result of work, counted in the memory ledger until its last byte has left. A client that stops reading is
 * given up. The memory of `bytes` is released in any case. Never refused: this is called synchronously after the work,
 * whose memory it takes over.
 * @param otherReader settles when whoever else reads the bytes has done so; never rejects
 */
export function send(
  bytes: Uint8Array<ArrayBuffer>,
  to: Recipient,
  otherReader?: Promise<unknown>,
): Sending {
  const { readable, writable } = new FixedLengthStream(bytes.length);
  const transfer = new Transfer(writable.getWriter(), to);
  void transfer.add(bytes, otherReader);
  return { body: readable, sent: transfer.close() };
}

/** Who gets a response. */
export interface Recipient {
  /** The account of the request. */
  readonly owner: string;
  /** The signal of the request: aborts when the client has gone. */
  readonly client: AbortSignal;
}

/** The parts of a response, which leave one after the other; each is counted in the memory ledger until it has left. */
export class Transfer implements Holder {
  readonly owner: string;
  readonly isResponse = true;
  readonly #client: AbortSignal;
  readonly #onAbort: () => void;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #waiting = new Set<Uint8Array<ArrayBuffer>>();
  readonly #flow = new FlowMeter(rateChecks);
  readonly #timer = setInterval(() => this.#check(), checkInterval);
  readonly #stopped: Promise<void>;
  #stop: () => void = () => {};
  /** Settles when all parts so far have left, or will not. */
  #last: Promise<unknown> = Promise.resolve();
  /** Others than the client that still read what waits. */
  #otherReaders = 0;
  #hasBegun = false;
  #isGivenUp = false;
  #isAborted = false;

  /**
   * @param onAbort called when the response ends before its end: a write that waits for the reader would keep the writer from
   *   telling that
   */
  constructor(
    writer: WritableStreamDefaultWriter<Uint8Array>,
    { owner, client }: Recipient,
    onAbort: () => void = () => {},
  ) {
    this.#onAbort = onAbort;
    this.owner = owner;
    this.#client = client;
    this.#writer = writer;
    this.#stopped = new Promise((resolve) => {
      this.#stop = resolve;
    });
    // A client that has left during the work becomes visible only after a moment.
    this.#last = scheduler.wait(0);
  }

  get isSlow(): boolean {
    return this.#flow.idleChecks >= slowChecks && this.#otherReaders === 0;
  }

  get allocatedBytes(): number {
    let sum = 0;
    for (const { buffer } of this.#waiting) sum += buffer.byteLength;
    return sum;
  }

  /** Called from other requests: the memory is released immediately, and the next check ends the stream. */
  giveUp(): void {
    this.#isGivenUp = true;
    for (const { buffer } of this.#waiting) buffer.transfer(0);
  }

  /**
   * Sends a part after those before it, and takes over its memory.
   * @param otherReader settles when whoever else reads the part has done so; never rejects
   * @returns settles when all of it has left, or will not: which of both
   */
  add(bytes: Uint8Array<ArrayBuffer>, otherReader?: Promise<unknown>): Promise<boolean> {
    this.#waiting.add(bytes);
    if (otherReader) {
      this.#otherReaders += 1;
      void otherReader.then(() => {
        this.#otherReaders -= 1;
      });
    }
    const hold = ledger.keep(bytes.buffer.byteLength, this);
    const leaving = this.#last.then(() => this.#leave(bytes, hold, otherReader));
    this.#last = leaving;
    return leaving;
  }

  /** Ends the response after its last part. @returns settles then: whether anything has left */
  async close(): Promise<boolean> {
    await this.#last;
    try {
      if (this.#isOver) this.abort();
      else await Promise.race([this.#writer.close(), this.#stopped]);
    } catch {
      // the client has gone, or the response never began
    } finally {
      clearInterval(this.#timer);
    }
    return this.#hasBegun;
  }

  /** Ends the response before its end, as the client sees: its length was announced, or its last chunk is missing. */
  abort(): void {
    this.#isAborted = true;
    this.#writer.abort().catch(() => {});
    this.#onAbort();
    this.#stop();
  }

  get #isOver(): boolean {
    return this.#isAborted || this.#isGivenUp || (!this.#hasBegun && this.#client.aborted);
  }

  async #leave(
    bytes: Uint8Array<ArrayBuffer>,
    hold: Hold,
    otherReader?: Promise<unknown>,
  ): Promise<boolean> {
    try {
      return await Promise.race([this.#write(bytes, hold), this.#stopped.then(() => false)]);
    } catch {
      this.#isAborted = true;
      return false;
    } finally {
      this.#waiting.delete(bytes);
      const free = () => {
        // Not left to garbage collection, because the ledger now gives the memory to others.
        if (!bytes.buffer.detached) bytes.buffer.transfer(0);
        hold.release();
      };
      if (otherReader) void otherReader.then(free);
      else free();
    }
  }

  async #write(bytes: Uint8Array<ArrayBuffer>, hold: Hold): Promise<boolean> {
    const { length } = bytes;
    let isTaken = true;
    for (let at = 0; at < length && !this.#isOver; at += chunkBytes) {
      const chunk = bytes.subarray(at, at + chunkBytes);
      const size = chunk.length;
      await this.#writer.write(chunk);
      // The runtime takes chunks for clients that had gone before, too.
      isTaken &&= !this.#client.aborted;
      this.#hasBegun ||= isTaken;
      this.#flow.add(size);
      hold.touch();
      turns.chunkTaken();
    }
    return isTaken && !this.#isOver;
  }

  #check(): void {
    // While nothing waits, it is not the client that is slow.
    if (this.#waiting.size === 0) return;
    this.#flow.check();
    const { idleChecks, recent } = this.#flow;
    const isTooSlow = recent !== null && recent < minBytesInWindow;
    if (this.#isGivenUp || idleChecks >= maxIdleChecks || isTooSlow) this.abort();
  }
}
