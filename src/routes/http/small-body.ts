import { ApiError } from '../../errors.ts';
import { bodyLimits } from '../../policy/limits.ts';
import { bodyPool, type PoolHold } from './body-pool.ts';
import { endedEarly } from './body-reader.ts';
import { overloaded } from './rate-limit.ts';

/**
 * What a body gets to begin with, in bytes: most JSON is smaller. It grows with
 * what has come, since a length that is announced costs its sender nothing.
 */
const firstBytes = 1024;

/**
 * The time-out is counted in checks this many milliseconds apart, not by the
 * clock: while an image is worked on nothing is read, and every body would seem
 * to be late.
 */
const checkInterval = 1000;

/** Seconds after which a body that found the pool full may find room. */
const poolRetry = 2;

interface Limit {
  readonly maxBytes: number;
  /** Makes the error for a body of more than `maxBytes`. */
  readonly tooLarge: () => ApiError;
}

/**
 * Reads the whole of a small body as text, and holds it in the pool until `use`
 * has ended. What is made of the text in one go, such as parsing it, is counted
 * with what serving takes: it is gone before another body is worked on.
 * @param use what is done with it: the exact text, a byte order mark included; null for what is not UTF-8
 * @throws ApiError that of `tooLarge`; `overloaded` when the pool is full, `request_timeout`, `invalid_request`
 *   when the body breaks off; whatever `use` throws
 */
export async function withText<Result>(
  { body, headers }: Pick<Request, 'body' | 'headers'>,
  { maxBytes, tooLarge }: Limit,
  use: (text: string | null) => Result | Promise<Result>,
): Promise<Result> {
  // compared as a number: what is no length is found out by reading
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

/** The bytes of a body. What is not read stays in the stream. */
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
      const { value, done } = await read.catch(() => Promise.reject(endedEarly()));
      if (!value) throw endedEarly(); // the body was cancelled
      // the buffer is transferred with every read
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
 * Waits for a body to be read. A read that is pending when it is given up stays
 * so, and the stream locked: nothing more is expected of that client.
 * @throws ApiError `request_timeout`
 */
async function inTime<Bytes>(reading: Promise<Bytes>, hold: PoolHold): Promise<Bytes> {
  let checks = bodyLimits.smallTimeout / checkInterval;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const check = () => {
      hold.renew();
      checks -= 1;
      if (checks === 0) reject(new ApiError('request_timeout'));
      else timer = setTimeout(check, checkInterval);
    };
    timer = setTimeout(check, checkInterval);
  });
  try {
    return await Promise.race([reading, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** What a text takes: two bytes for each character where one of them is beyond Latin-1. */
function textBytes(text: string): number {
  return /[^\0-\xff]/.test(text) ? 2 * text.length : text.length;
}

/** Null for what is not UTF-8. */
function exactText(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
