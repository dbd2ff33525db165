import { ApiError } from '../../errors.ts';
import { bodyLimits } from '../../policy/limits.ts';
import { bodyPool, type PoolHold } from './body-pool.ts';
import { endedEarly, readError } from './body-reader.ts';
import { overloaded } from './rate-limit.ts';

/**
 * Initial buffer size in bytes; most JSON is smaller. The buffer grows with the bytes that arrive, because announcing a
 * length costs the sender nothing.
 */
const firstBytes = 1024;

/**
 * Interval in milliseconds of the checks in which the timeout is counted. The clock is not used because nothing is read
 * while an image is being processed, and every body would appear to be late.
 */
const checkInterval = 1000;

/** Seconds until a body that found the pool full may find room. */
const poolRetry = 2;

interface Limit {
  readonly maxBytes: number;
  /** Creates the error for a body of more than `maxBytes`. */
  readonly tooLarge: () => ApiError;
}

/**
 * Reads a small body completely as text, and holds it in the pool until `use` has ended. Temporary memory for
 * processing the text in one go, such as parsing, is accounted for as part of serving: it is freed before another body
 * is processed.
 * @param use receives the exact text, including a byte order mark; null if the body is not UTF-8
 * @throws ApiError that of `tooLarge`; `overloaded` if the pool is full, `request_timeout`, `invalid_request` if the
 *   body ends early; whatever `use` throws
 */
export async function withText<Result>(
  { body, headers }: Pick<Request, 'body' | 'headers'>,
  { maxBytes, tooLarge }: Limit,
  use: (text: string | null) => Result | Promise<Result>,
): Promise<Result> {
  // Compared as a number; a header that is not a valid length has no effect, as reading enforces the limit.
  if (Number(headers.get('Content-Length')) > maxBytes) throw tooLarge();
  if (!body) return use('');
  const hold = bodyPool.hold(firstBytes, 'reading');
  if (!hold) throw overloaded(poolRetry);
  try {
    const bytes = await inTime(readWhole(body, hold, { maxBytes, tooLarge }), hold);
    const text = exactText(bytes);
    bytes.buffer.transfer(0);
    resize(hold, textBytes(text ?? ''));
    return await use(text);
  } finally {
    hold.release();
  }
}

/** The bytes of a body. Unread bytes stay in the stream. */
async function readWhole(
  body: ReadableStream<Uint8Array>,
  hold: PoolHold,
  { maxBytes, tooLarge }: Limit,
): Promise<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader({ mode: 'byob' });
  let buffer = new ArrayBuffer(firstBytes);
  let size = 0;
  try {
    for (;;) {
      const read = reader.read(new Uint8Array(buffer, size));
      const { value, done } = await read.catch((error: unknown) =>
        Promise.reject(readError(error)),
      );
      if (!value) throw endedEarly(); // the body was cancelled
      // Each read transfers the buffer.
      buffer = value.buffer as ArrayBuffer;
      if (done) return new Uint8Array(buffer, 0, size);
      size += value.length;
      if (size > maxBytes) throw tooLarge();
      if (size === buffer.byteLength) {
        const capacity = Math.min(2 * size, maxBytes + 1);
        resize(hold, capacity);
        buffer = buffer.transfer(capacity);
      }
    }
  } catch (error) {
    if (!buffer.detached) buffer.transfer(0);
    throw error;
  } finally {
    reader.releaseLock();
  }
}

/** @throws ApiError `overloaded` */
function resize(hold: PoolHold, bytes: number): void {
  if (!hold.resizeTo(bytes)) throw overloaded(poolRetry);
}

/**
 * Waits for a body to be read. After a timeout, a pending read stays pending, and the stream locked: nothing more is
 * expected from that client.
 * @throws ApiError `request_timeout`
 */
async function inTime<Bytes>(reading: Promise<Bytes>, hold: PoolHold): Promise<Bytes> {
  let checks = bodyLimits.smallTimeout / checkInterval;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timedOut = new Promise<never>((_, reject) => {
    const check = () => {
      hold.renew();
      checks -= 1;
      if (checks === 0) reject(new ApiError('request_timeout'));
      else timer = setTimeout(check, checkInterval);
    };
    timer = setTimeout(check, checkInterval);
  });
  try {
    return await Promise.race([reading, timedOut]);
  } finally {
    clearTimeout(timer);
  }
}

/** Memory of a string in bytes: two per character if any is beyond Latin-1. */
function textBytes(text: string): number {
  return /[^\0-\xff]/.test(text) ? 2 * text.length : text.length;
}

/** The decoded text; null if the bytes are not UTF-8. */
function exactText(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
