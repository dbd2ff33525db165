import { type Hold, type Holder, ledger } from '../../image/wasm/memory-ledger.ts';
import { answerLimits } from '../../policy/limits.ts';
import { checkInterval, FlowMeter } from '../http/flow-meter.ts';
import { turns } from './scheduler.ts';

/**
 * The runtime copies each piece that is written, and keeps the copy until it has left. A piece has left when its
 * write is settled, or never will.
 */
const pieceBytes = 64 * 1024;

const maxIdleChecks = answerLimits.stallTimeout / checkInterval;
const rateChecks = answerLimits.rateWindow / checkInterval;
const minBytesInWindow = (answerLimits.minBytesPerSecond * answerLimits.rateWindow) / 1000;

/** Checks without a piece taken until the answer makes way for others who need its memory: five seconds. */
const slowChecks = 10;

/** A response body, and when it has left. */
export interface Sending {
  readonly body: ReadableStream;
  /** Settles when the client has taken it all, has gone, or was given up; never rejects. */
  readonly sent: Promise<void>;
}

/**
 * Sends the result of work, counted in the memory ledger until its last byte has left. A client that stops taking it
 * is given up; the memory of `bytes` is released however it ends. Never refused: called synchronously after the work,
 * whose memory it takes over.
 * @param owner whose request it is
 */
export function send(bytes: Uint8Array<ArrayBuffer>, owner: string): Sending {
  const { readable, writable } = new FixedLengthStream(bytes.length);
  const answer = new Answer(bytes, writable.getWriter(), owner);
  return { body: readable, sent: answer.leave() };
}

class Answer implements Holder {
  readonly owner: string;
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #hold: Hold;
  readonly #flow = new FlowMeter(rateChecks);
  #isGivenUp = false;
  #stop: () => void = () => {};

  constructor(
    bytes: Uint8Array<ArrayBuffer>,
    writer: WritableStreamDefaultWriter<Uint8Array>,
    owner: string,
  ) {
    this.owner = owner;
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

  /** Called from within other requests: the next check ends the stream, the memory is free at once. */
  giveUp(): void {
    this.#isGivenUp = true;
    this.#bytes.buffer.transfer(0);
  }

  async leave(): Promise<void> {
    const stopped = new Promise<void>((resolve) => {
      this.#stop = resolve;
    });
    const timer = setInterval(() => this.#check(), checkInterval);
    try {
      await Promise.race([this.#write(), stopped]);
    } catch {
      // the client went away
    } finally {
      clearInterval(timer);
      // not left to the garbage collector: the ledger gives the memory to others now
      if (!this.#bytes.buffer.detached) this.#bytes.buffer.transfer(0);
      this.#hold.release();
    }
  }

  async #write(): Promise<void> {
    const { length } = this.#bytes;
    for (let at = 0; at < length && !this.#isGivenUp; at += pieceBytes) {
      const piece = this.#bytes.subarray(at, at + pieceBytes);
      const size = piece.length;
      await this.#writer.write(piece);
      this.#flow.add(size);
      this.#hold.touch();
      turns.pieceTaken();
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

  /** The client sees its answer break off, as its length was announced. */
  #abort(): void {
    this.#writer.abort().catch(() => {});
    this.#stop();
  }
}
