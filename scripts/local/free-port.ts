import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the range from which systems take ports of outgoing connections and of servers that ask for any (RFC 6335 has
 * it begin at 49152, Linux at 32768): one of those can be taken by another process before the caller listens.
 */
const lowest = 10_000;
const highest = 32_767;

/** The only one of these that `fetch` and browsers refuse: https://fetch.spec.whatwg.org/#port-blocking */
const blocked = 10_080;

/** Returns a port that nothing listens on. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(lowest, highest + 1);
    if (port !== blocked && (await isFree(port))) return port;
  }
}

/** Whether a server could listen on all addresses. */
function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false);
      else reject(error);
    });
    server.listen(port, () => server.close(() => resolve(true)));
  });
}
