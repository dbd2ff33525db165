import { ApiError } from '../../errors.ts';

/** How long a body may stall, and how long it may take in all, in milliseconds. */
const stallLimit = 10_000;
const totalLimit = 120_000;

type Read<Value> = { value?: Value | undefined; done: boolean };

/**
 * Makes reads of one body that give up on clients who stall, trickle or leave.
 * @throws ApiError `request_timeout`; `invalid_request` when the body breaks off
 */
export function patientReader(): <Value>(read: Promise<Read<Value>>) => Promise<Read<Value>> {
  const deadline = Date.now() + totalLimit;
  return async (read) => {
    const timer = new AbortController();
    const patience = Math.min(stallLimit, deadline - Date.now());
    const late = scheduler.wait(Math.max(0, patience), { signal: timer.signal }).then(() => {
      throw new ApiError('request_timeout', 'The body came too slowly: send it again.');
    });
    late.catch(() => {}); // also when it has lost the race
    try {
      return await Promise.race([read.catch(brokeOff), late]);
    } finally {
      timer.abort();
    }
  };
}

/** The chunks of a body as they come. What is left of it stays in the stream. */
export async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const patiently = patientReader();
  const reader = body.getReader();
  let isReading = false;
  try {
    for (;;) {
      isReading = true;
      const { value, done } = await patiently(reader.read());
      isReading = false;
      if (done || !value) return;
      yield value;
    }
  } finally {
    // A reader that still waits for a stalled client cannot let go.
    if (!isReading) reader.releaseLock();
  }
}

export function endedEarly(): ApiError {
  return new ApiError('invalid_request', 'The body ended before it was complete: send it again.');
}

function brokeOff(): never {
  throw endedEarly();
}
