import type { MiddlewareHandler } from 'hono';
import type { AppEnv } from './context.ts';

const sipBytes = 64 * 1024;

/** How long, in milliseconds, an answer waits for so many bytes more of a body that nobody wants. */
const patience = 2000;

/** How long at most for all of them. */
const longest = 60_000;

/**
 * Lets the rest of a refused body run off before the answer goes out, through
 * one small buffer that is used over and over. A connection that is closed
 * while the client still writes is reset, and the reset may overtake the answer
 * (RFC 9112 §9.6).
 */
export const lingering: MiddlewareHandler<AppEnv> = async (c, next) => {
  const { body } = c.req.raw;
  await next();
  if (body && !body.locked) await runOff(body);
};

/** Bytes that come, in pieces of whatever size, renew patience: a busy isolate is not the client's fault. */
async function runOff(body: ReadableStream<Uint8Array>): Promise<void> {
  try {
    const reader = body.getReader({ mode: 'byob' });
    let buffer = new ArrayBuffer(sipBytes);
    let [began, sipped] = [Date.now(), 0];
    const end = began + longest;
    for (let left = patience; left > 0 && Date.now() < end; left = began + patience - Date.now()) {
      const sip = reader.read(new Uint8Array(buffer));
      const taken = (await within(sip, left)) ?? (await within(sip, 1));
      if (!taken || taken.done) return;
      buffer = taken.value.buffer as ArrayBuffer;
      sipped += taken.value.length;
      if (sipped >= sipBytes) [began, sipped] = [Date.now(), 0];
    }
  } catch {
    // the client has gone; nobody waits for the answer any more
  }
}

/** What comes within so many milliseconds; null: nothing did. */
function within<Result>(work: Promise<Result>, milliseconds: number): Promise<Result | null> {
  return Promise.race([work, scheduler.wait(milliseconds).then(() => null)]);
}
