import type { MiddlewareHandler } from 'hono';
import { bodyPool, type PoolHold } from './body-pool.ts';
import type { AppEnv } from './context.ts';

/** Buffer size in bytes: small, so that many bodies can be drained at once. */
const bufferBytes = 2 * 1024;

/** Buffer size in bytes for a body that keeps filling the small buffer: each read takes time and memory, too. */
const fastBufferBytes = 16 * 1024;

/** Number of bytes after which a body gets the larger buffer. */
const fastBytes = 8 * 1024;

/** Interval between rate checks in milliseconds. */
const checkInterval = 1000;

/** A body that delivers fewer bytes than this between two checks is slow. */
const slowBytes = 32 * 1024;

/**
 * Number of consecutive slow checks that end draining. A single one may be due to a busy isolate rather than the
 * client.
 */
const maxSlowChecks = 2;

/** Number of checks that end draining, however fast the body is: one minute. */
const maxChecks = 60;

/**
 * Drains the rest of a refused body before the response is sent, through one small buffer. A connection that is closed
 * while the client is still writing is reset, and the reset may overtake the response (RFC 9112 §9.6). If the pool has
 * no room for the buffer, that risk is accepted.
 */
export const drainBody: MiddlewareHandler<AppEnv> = async function drainBody(c, next) {
  const { body } = c.req.raw;
  await next();
  if (!body || body.locked) return;
  const hold = bodyPool.hold(bufferBytes, 'draining');
  try {
    await (hold ? drain(body, hold) : body.cancel());
  } catch {
    // The client has gone; nobody is waiting for the response.
  } finally {
    hold?.release();
  }
};

/** Ends with the body, or if the body is too slow or takes too long. */
async function drain(body: ReadableStream<Uint8Array>, hold: PoolHold): Promise<void> {
  const reader = body.getReader({ mode: 'byob' });
  let received = 0;
  let isOver = false;
  const readAll = async () => {
    let buffer = new ArrayBuffer(bufferBytes);
    let total = 0;
    while (!isOver) {
      const { value, done } = await reader.read(new Uint8Array(buffer));
      if (done || !value) return;
      buffer = value.buffer as ArrayBuffer;
      received += value.length;
      total += value.length;
      const isFast = total >= fastBytes && buffer.byteLength < fastBufferBytes;
      if (isFast && hold.resizeTo(fastBufferBytes)) buffer = new ArrayBuffer(fastBufferBytes);
    }
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  // One timer for the whole body, because a client can split it into a great many chunks.
  const givenUp = new Promise<void>((resolve) => {
    let [checks, slowChecks] = [0, 0];
    const check = () => {
      checks += 1;
      slowChecks = received < slowBytes ? slowChecks + 1 : 0;
      received = 0;
      if (slowChecks === maxSlowChecks || checks === maxChecks) resolve();
      else timer = setTimeout(check, checkInterval);
    };
    timer = setTimeout(check, checkInterval);
  });
  try {
    await Promise.race([readAll(), givenUp]);
  } finally {
    isOver = true;
    clearTimeout(timer);
  }
}
