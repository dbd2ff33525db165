import type { MiddlewareHandler } from 'hono';
import type { AppEnv } from './context.ts';

const chunkBytes = 64 * 1024;

/** How long draining waits for another `chunkBytes`, in milliseconds. */
const chunkTimeout = 2000;

/** How long draining may take in all, in milliseconds. */
const totalTimeout = 60_000;

/**
 * Drains what is left of a refused body before the answer is sent, through one
 * small buffer. A connection that is closed while the client still writes is
 * reset, and the reset may overtake the answer (RFC 9112 §9.6).
 */
export const drainBody: MiddlewareHandler<AppEnv> = async function drainBody(c, next) {
  const { body } = c.req.raw;
  await next();
  if (body && !body.locked) await drain(body);
};

/** Time counts from the last full chunk, in reads of whatever size: a busy isolate is not the client's fault. */
async function drain(body: ReadableStream<Uint8Array>): Promise<void> {
  try {
    const reader = body.getReader({ mode: 'byob' });
    let buffer = new ArrayBuffer(chunkBytes);
    let [began, received] = [Date.now(), 0];
    const end = began + totalTimeout;
    const remaining = () => began + chunkTimeout - Date.now();
    for (let left = chunkTimeout; left > 0 && Date.now() < end; left = remaining()) {
      const read = reader.read(new Uint8Array(buffer));
      const chunk = (await within(read, left)) ?? (await within(read, 1));
      if (!chunk || chunk.done) return;
      buffer = chunk.value.buffer as ArrayBuffer;
      received += chunk.value.length;
      if (received >= chunkBytes) [began, received] = [Date.now(), 0];
    }
  } catch {
    // the client has gone; nobody waits for the answer any more
  }
}

/** What arrives within so many milliseconds; null: nothing did. */
function within<Result>(work: Promise<Result>, milliseconds: number): Promise<Result | null> {
  return Promise.race([work, scheduler.wait(milliseconds).then(() => null)]);
}
