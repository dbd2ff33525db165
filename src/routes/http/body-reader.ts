import { ApiError } from '../../errors.ts';
import { bodyLimits } from '../../policy/limits.ts';

/**
 * Interval of stall detection for bodies and responses, in milliseconds. Stalls are counted in checks, not by the
 * clock: nothing moves while an image is being processed, and every client would appear to have stalled.
 */
export const checkInterval = 500;

/** Measures how fast bytes move between the service and one client, in checks. */
export class FlowMeter {
  readonly #windowChecks: number;
  /** Bytes that moved between consecutive checks, newest first. */
  #rates: readonly number[] = [];
  #sinceCheck = 0;
  #idleChecks = 0;

  /** @param window length of the measuring window, in checks */
  constructor(window: number) {
    this.#windowChecks = window;
  }

  /** Counts moved bytes. */
  add(bytes: number): void {
    this.#sinceCheck += bytes;
  }

  /** Must be called once per `checkInterval`. */
  check(): void {
    this.#idleChecks = this.#sinceCheck > 0 ? 0 : this.#idleChecks + 1;
    this.#rates = [this.#sinceCheck, ...this.#rates].slice(0, this.#windowChecks);
    this.#sinceCheck = 0;
  }

  /** Number of consecutive checks without any movement. */
  get idleChecks(): number {
    return this.#idleChecks;
  }

  /** Bytes of the last window and since its last check; null until a full window has passed. */
  get recent(): number | null {
    if (this.#rates.length < this.#windowChecks) return null;
    return this.#rates.reduce((sum, bytes) => sum + bytes, this.#sinceCheck);
  }

  /** Discards the rates: a new window begins. */
  restart(): void {
    this.#rates = [];
  }
}

/** Number of consecutive checks without a byte after which a body is given up. */
const maxIdleChecks = bodyLimits.stallTimeout / checkInterval;

/**
 * Number of checks over which the rate of a body is measured: two seconds, longer than most hiccups of a connection.
 */
const rateChecks = 4;

/** A body that delivers fewer bytes than this within `rateChecks` is slow. */
const slowBytes = 64 * 1024;

type Read<Value> = { value?: Value | undefined; done: boolean };

/** Stall detection for one body: measures how fast it arrives, and gives it up if necessary. */
export class BodyWatch {
  readonly #flow = new FlowMeter(rateChecks);
  readonly #renew: () => void;
  #deadline = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #reason: ApiError | undefined;
  #reject: (reason: ApiError) => void = () => {};

  /** @param renew called at each check: the request that reads the body is still running */
  constructor(renew: () => void = () => {}) {
    this.#renew = renew;
  }

  /**
   * Whether the body hardly moves. The more memory a body holds, the faster it has to be: it must fill that memory
   * within the maximum duration of a body.
   * @param heldBytes memory that the body holds
   */
  isSlow(heldBytes: number): boolean {
    const { recent } = this.#flow;
    if (recent === null) return false;
    const expected = (heldBytes * rateChecks * checkInterval) / bodyLimits.totalTimeout;
    return recent < Math.max(slowBytes, expected);
  }

  /** Starts the timeouts. */
  start(): void {
    this.#deadline = Date.now() + bodyLimits.totalTimeout;
    this.#timer = setTimeout(() => this.#check(), checkInterval);
  }

  /** Stops the timeouts: the body is complete or given up, and no longer counts as slow. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#flow.restart();
  }

  /**
   * Makes the next read or check fail with this error. Reading does not end immediately, because the caller is another
   * request.
   */
  giveUp(reason: ApiError): void {
    this.#reason = reason;
  }

  /**
   * Waits for a read.
   * @throws ApiError `request_timeout`; `invalid_request` if the body ends early; the error passed to `giveUp`; Error if
   *   reading fails for another reason
   */
  async next<Bytes extends Uint8Array>(read: Promise<Read<Bytes>>): Promise<Read<Bytes>> {
    const result = await new Promise<Read<Bytes>>((resolve, reject) => {
      this.#reject = reject;
      read.then(resolve, (error: unknown) => reject(readError(error)));
    });
    if (this.#reason) throw this.#reason;
    this.#flow.add(result.value?.length ?? 0);
    return result;
  }

  #check(): void {
    this.#renew();
    this.#flow.check();
    const isLate = this.#flow.idleChecks >= maxIdleChecks || Date.now() >= this.#deadline;
    if (isLate) this.#reason ??= new ApiError('request_timeout');
    if (this.#reason) this.#reject(this.#reason);
    this.#timer = setTimeout(() => this.#check(), checkInterval);
  }
}

/**
 * Yields the chunks of a body through one reused buffer: the bytes of a chunk are valid until the next chunk is
 * requested.
 * @param size of that buffer in bytes
 * @param isReusable whether the last chunk is no longer needed; otherwise the next chunk gets a new buffer
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
    // Each read transfers the buffer.
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
    // The lock cannot be released while a read from a stalled client is pending.
    if (!isReading) reader.releaseLock();
  }
}

/**
 * The error for a failed read. The runtime marks the loss of a connection as retryable; any other failure is not the
 * client's.
 */
export function readError(error: unknown): unknown {
  const isLost = error instanceof Error && 'retryable' in error && error.retryable === true;
  return isLost ? endedEarly() : error;
}

export function endedEarly(): ApiError {
  return new ApiError('invalid_request', 'The body ended before it was complete: send it again.');
}
