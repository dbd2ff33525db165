import { ApiError } from '../../errors.ts';
import { bodyLimits } from '../../policy/limits.ts';
import { checkInterval, FlowMeter } from './flow-meter.ts';

/** Checks without a byte until a body is given up. */
const maxIdleChecks = bodyLimits.stallTimeout / checkInterval;

/** Checks that the rate of a body is measured over: two seconds, longer than most hiccups of a connection. */
const rateChecks = 4;

/** A body that brings less than this within those checks, in bytes, is slow. */
const slowBytes = 64 * 1024;

type Read<Value> = { value?: Value | undefined; done: boolean };

/** Stall detection for one body: how fast it arrives, and whether it has to be given up. */
export class BodyWatch {
  readonly #flow = new FlowMeter(rateChecks);
  #deadline = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #reason: ApiError | undefined;
  #reject: (reason: ApiError) => void = () => {};

  /**
   * Whether the body hardly moves. A body that holds more memory has to be
   * faster: it has to fill that memory within the time that a body may take.
   * @param heldBytes memory that the body holds
   */
  isSlow(heldBytes: number): boolean {
    const { recent } = this.#flow;
    if (recent === null) return false;
    const expected = (heldBytes * rateChecks * checkInterval) / bodyLimits.totalTimeout;
    return recent < Math.max(slowBytes, expected);
  }

  /** Starts the time-outs. */
  start(): void {
    this.#deadline = Date.now() + bodyLimits.totalTimeout;
    this.#timer = setTimeout(() => this.#check(), checkInterval);
  }

  /** Ends them: the body is complete or given up, and not slow any more. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#flow.restart();
  }

  /** Ends the reading with an error, with the next read or check: not from within another request. */
  giveUp(reason: ApiError): void {
    this.#reason = reason;
  }

  /**
   * Waits for a read.
   * @throws ApiError `request_timeout`; `invalid_request` when the body breaks off; the error that `giveUp` was given
   */
  async next<Bytes extends Uint8Array>(read: Promise<Read<Bytes>>): Promise<Read<Bytes>> {
    const result = await new Promise<Read<Bytes>>((resolve, reject) => {
      this.#reject = reject;
      read.then(resolve, () => reject(endedEarly()));
    });
    if (this.#reason) throw this.#reason;
    this.#flow.add(result.value?.length ?? 0);
    return result;
  }

  #check(): void {
    this.#flow.check();
    const isLate = this.#flow.idleChecks >= maxIdleChecks || Date.now() >= this.#deadline;
    if (isLate) this.#reason ??= new ApiError('request_timeout');
    if (this.#reason) this.#reject(this.#reason);
    this.#timer = setTimeout(() => this.#check(), checkInterval);
  }
}

/**
 * The chunks of a body, each in one buffer that is reused: the bytes of a chunk
 * are valid until the next one is asked for.
 * @param size of that buffer in bytes
 * @param isReusable whether the last chunk is no longer needed; otherwise the next one gets a buffer of its own
 */
export async function* reusedChunksOf(
  body: ReadableStream<Uint8Array>,
  size: number,
  watch: BodyWatch,
  isReusable = () => true,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader({ mode: 'byob' });
  let buffer = new ArrayBuffer(size);
  const read = async () => {
    if (!isReusable()) buffer = new ArrayBuffer(size);
    const chunk = await reader.read(new Uint8Array(buffer));
    // the buffer is transferred with every read
    if (chunk.value) buffer = chunk.value.buffer as ArrayBuffer;
    return chunk;
  };
  try {
    yield* watched(reader, read, watch);
  } finally {
    if (!buffer.detached) buffer.transfer(0);
  }
}

async function* watched(
  reader: { releaseLock(): void },
  read: () => Promise<Read<Uint8Array>>,
  watch: BodyWatch,
): AsyncGenerator<Uint8Array> {
  let isReading = false;
  watch.start();
  try {
    for (;;) {
      isReading = true;
      const reading = read().finally(() => {
        isReading = false;
      });
      const { value, done } = await watch.next(reading);
      if (done || !value) return;
      yield value;
    }
  } finally {
    watch.stop();
    // the lock cannot be released while a read of a stalled client is pending
    if (!isReading) reader.releaseLock();
  }
}

export function endedEarly(): ApiError {
  return new ApiError('invalid_request', 'The body ended before it was complete: send it again.');
}
