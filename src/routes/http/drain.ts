import type { MiddlewareHandler } from 'hono';
import { bodyPool, type PoolHold } from './body-pool.ts';
import type { AppEnv } from './context.ts';

/** Of the buffer, in bytes: small, so that many bodies can be drained at once. */
const bufferBytes = 2 * 1024;

/** Of the buffer for a body that fills the small one again and again, in bytes: each read costs memory, too. */
const fastBufferBytes = 64 * 1024;

/** Bytes after which a body is worth that. */
const fastBytes = 64 * 1024;

/** How often draining looks at a body, in milliseconds. */
const checkInterval = 1000;

/** A body that brings less than this between two checks, in bytes, is slow. */
const slowBytes = 32 * 1024;

/** Slow checks in a row until draining ends. One may be due to a busy isolate, which is not the client's fault. */
const maxSlowChecks = 2;

/** Checks until draining ends, however fast the body is: a minute. */
const maxChecks = 60;

/**
 * Drains what is left of a refused body before the answer is sent, through one
 * small buffer. A connection that is closed while the client still writes is
 * reset, and the reset may overtake the answer (RFC 9112 §9.6); which is put up
 * with where the pool has no room for the buffer.
 */
export const drainBody: MiddlewareHandler<AppEnv> = async function drainBody(c, next) {
  const { body } = c.req.raw;
  await next();
  if (!body || body.locked) return;
  const hold = bodyPool.hold(bufferBytes, 'draining');
  try {
    await (hold ? drain(body, hold) : body.cancel());
  } catch {
    // the client has gone; nobody waits for the answer any more
  } finally {
    hold?.release();
  }
};

/** Ends with the body, or when that is too slow or takes too long. */
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
  // one timer for the whole body: a client can have it read in a great many pieces
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
