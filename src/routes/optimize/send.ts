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
 * @param owner the account of the request
 * @param client the signal of the request: aborts when the client has gone
 */
export function send(
  bytes: Uint8Array<ArrayBuffer>,
  { owner, client }: { readonly owner: string; readonly client: AbortSignal },
): Sending {
  const { readable, writable } = new FixedLengthStream(bytes.length);
  const transfer = new Transfer(bytes, writable.getWriter(), { owner, client });
  return { body: readable, sent: transfer.leave() };
}

class Transfer implements Holder {
  readonly owner: string;
  readonly isResponse = true;
  readonly #client: AbortSignal;
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #hold: Hold;
  readonly #flow = new FlowMeter(rateChecks);
  #isGivenUp = false;
  #hasBegun = false;
  #stop: () => void = () => {};

  constructor(
    bytes: Uint8Array<ArrayBuffer>,
    writer: WritableStreamDefaultWriter<Uint8Array>,
    { owner, client }: { readonly owner: string; readonly client: AbortSignal },
  ) {
    this.owner = owner;
    this.#client = client;
    this.#bytes = bytes;
    this.#writer = writer;
    this.#hold = ledger.keep(bytes.buffer.byteLength, this);
  }

  get isSlow(): boolean {
    return this.#flow.idleChecks >= slowChecks;
  }

  get allocatedBytes(): number {
    return this.#bytes.buffer.byteLength;
  }

  /** Called from other requests: the memory is released immediately, and the next check ends the stream. */
  giveUp(): void {
    this.#isGivenUp = true;
    this.#bytes.buffer.transfer(0);
  }

  async leave(): Promise<boolean> {
    const stopped = new Promise<void>((resolve) => {
      this.#stop = resolve;
    });
    const timer = setInterval(() => this.#check(), checkInterval);
    try {
      await Promise.race([this.#write(), stopped]);
    } catch {
      // the client has gone, or the response never began
    } finally {
      clearInterval(timer);
      // Not left to garbage collection, because the ledger now gives the memory to others.
      if (!this.#bytes.buffer.detached) this.#bytes.buffer.transfer(0);
      this.#hold.release();
    }
    return this.#hasBegun;
  }

  async #write(): Promise<void> {
    // A client that has left during the work becomes visible only now.
    await scheduler.wait(0);
    if (this.#client.aborted) return this.#abort();
    const { length } = this.#bytes;
    for (let at = 0; at < length && !this.#isGivenUp; at += chunkBytes) {
      const chunk = this.#bytes.subarray(at, at + chunkBytes);
      const size = chunk.length;
      await this.#writer.write(chunk);
      // The runtime takes chunks for clients that had gone before, too.
      this.#hasBegun ||= !this.#client.aborted;
      this.#flow.add(size);
      this.#hold.touch();
      turns.chunkTaken();
    }
    if (this.#isGivenUp) return this.#abort();
    await this.#writer.close();
  }

  #check(): void {
    this.#flow.check();
    const { idleChecks, recent } = this.#flow;
    const isTooSlow = recent !== null && recent < minBytesInWindow;
    if (this.#isGivenUp || idleChecks >= maxIdleChecks || isTooSlow) this.#abort();
  }

  /** The client sees that the response is incomplete, because its length was announced. */
  #abort(): void {
    this.#writer.abort().catch(() => {});
    this.#stop();
  }
}
