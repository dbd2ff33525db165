import { ApiError } from '../../errors.ts';
import { bodyLimits } from '../../policy/limits.ts';

/**
 * A body is looked at once in so many milliseconds, and its patience counted in
 * looks. While a picture is worked on nothing is read; by the clock every body
 * would have stalled then.
 */
const lookInterval = 500;

/** Looks without a byte until a body is given up. */
const stallLooks = bodyLimits.stallTimeout / lookInterval;

/** Looks over which the pace is taken: two seconds, longer than most hiccups of a line. */
const paceLooks = 4;

/** A body that brings less than this in that time, in bytes, is slow. */
const slowPace = 64 * 1024;

type Read<Value> = { value?: Value | undefined; done: boolean };

/** Watches one body come in: how fast it is, and whether it has to be given up. */
export class BodyWatch {
  /** Bytes that came between the last looks, the newest first. */
  #paces: readonly number[] = [];
  #sinceLook = 0;
  #idleLooks = 0;
  #deadline = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #reason: ApiError | undefined;
  #reject: (reason: ApiError) => void = () => {};

  /**
   * Whether the body hardly moves. One that takes more room has to be faster:
   * at the pace at which that room fills in the time that a body may take.
   * @param room in bytes
   */
  isSlow(room: number): boolean {
    if (this.#paces.length < paceLooks) return false;
    const recent = this.#paces.reduce((sum, bytes) => sum + bytes, this.#sinceLook);
    return recent < Math.max(slowPace, (room * paceLooks * lookInterval) / bodyLimits.totalTimeout);
  }

  /** From now on time counts. */
  start(): void {
    this.#deadline = Date.now() + bodyLimits.totalTimeout;
    this.#timer = setTimeout(() => this.#look(), lookInterval);
  }

  /** The body is complete or given up, in any case not slow any more. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#paces = [];
  }

  /** Ends the reading with an error, not at once but in its own request's time. */
  giveUp(reason: ApiError): void {
    this.#reason = reason;
  }

  /** @throws ApiError `request_timeout`; `invalid_request` when the body breaks off; what `giveUp` was told */
  async next<Bytes extends Uint8Array>(read: Promise<Read<Bytes>>): Promise<Read<Bytes>> {
    const result = await new Promise<Read<Bytes>>((resolve, reject) => {
      this.#reject = reject;
      read.then(resolve, () => reject(endedEarly()));
    });
    if (this.#reason) throw this.#reason;
    this.#sinceLook += result.value?.length ?? 0;
    return result;
  }

  #look(): void {
    this.#idleLooks = this.#sinceLook > 0 ? 0 : this.#idleLooks + 1;
    this.#paces = [this.#sinceLook, ...this.#paces].slice(0, paceLooks);
    this.#sinceLook = 0;
    const isLate = this.#idleLooks >= stallLooks || Date.now() >= this.#deadline;
    if (isLate) this.#reason ??= tooSlow();
    if (this.#reason) this.#reject(this.#reason);
    this.#timer = setTimeout(() => this.#look(), lookInterval);
  }
}

/** The chunks of a body as they come. What is left of it stays in the stream. */
export async function* chunksOf(
  body: ReadableStream<Uint8Array>,
  watch = new BodyWatch(),
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  yield* watched(reader, () => reader.read(), watch);
}

/**
 * The same through one small buffer that is used over and over: what came is
 * there until the next is asked for.
 * @param size of that buffer in bytes
 * @param isFree whether the last sip is not needed any more; else the next one comes in a buffer of its own
 */
export async function* sipsOf(
  body: ReadableStream<Uint8Array>,
  size: number,
  watch: BodyWatch,
  isFree = () => true,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader({ mode: 'byob' });
  let buffer = new ArrayBuffer(size);
  const read = async () => {
    if (!isFree()) buffer = new ArrayBuffer(size);
    const sip = await reader.read(new Uint8Array(buffer));
    // It changes hands with every read.
    if (sip.value) buffer = sip.value.buffer as ArrayBuffer;
    return sip;
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
    // A reader that still waits for a stalled client cannot let go.
    if (!isReading) reader.releaseLock();
  }
}

export function endedEarly(): ApiError {
  return new ApiError('invalid_request', 'The body ended before it was complete: send it again.');
}

function tooSlow(): ApiError {
  return new ApiError('request_timeout');
}
