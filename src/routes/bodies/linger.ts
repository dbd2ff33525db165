import type { MiddlewareHandler } from 'hono';
import type { AppEnv } from '../../context.ts';

const sipBytes = 64 * 1024;

/** How long an answer waits, in milliseconds, for a body that nobody wants. */
const patience = 2000;

/**
 * Lets the rest of a refused body run off before the answer goes out, through
 * one small buffer that is used over and over. A connection that is closed
 * while the client still writes is reset, and the reset may overtake the answer
 * (RFC 9112 §9.6).
 */
export const lingering: MiddlewareHandler<AppEnv> = async (c, next) => {
  const { body } = c.req.raw;
  await next();
  if (body && !body.locked) await Promise.race([runOff(body), scheduler.wait(patience)]);
};

async function runOff(body: ReadableStream<Uint8Array>): Promise<void> {
  try {
    const reader = body.getReader({ mode: 'byob' });
    for (let buffer = new ArrayBuffer(sipBytes); ; ) {
      const { value, done } = await reader.read(new Uint8Array(buffer));
      if (done) return;
      buffer = value.buffer as ArrayBuffer;
    }
  } catch {
    // the client has gone; nobody waits for the answer any more
  }
}
