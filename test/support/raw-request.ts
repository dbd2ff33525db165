import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** What was received over one connection. */
export interface RawAnswer {
  /** Status of the first response; null if the connection ended, or stayed open, without one. */
  readonly status: number | null;
  /** Status line and headers of the first response. */
  readonly head: string;
  /** Everything that was received, heads and bodies of all responses. */
  readonly text: string;
}

interface ExchangeOptions {
  /** Number of responses to wait for. */
  readonly answers?: number;
  /** Timeout in milliseconds. */
  readonly patience?: number;
  /** When the client disconnects, in milliseconds after it has sent everything; never if absent. */
  readonly hangUpAfter?: number;
}

/** Sends bytes verbatim, and receives until the responses are complete. */
export async function rawRequest(
  { hostname, port }: URL,
  bytes: string | Uint8Array,
  { answers = 1, patience = 10_000, hangUpAfter = Number.POSITIVE_INFINITY }: ExchangeOptions = {},
): Promise<RawAnswer> {
  const socket = connect(Number(port), hostname);
  let text = '';
  let isOver = false;
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
  });
  socket.on('error', () => {}); // it was hung up on
  socket.on('close', () => {
    isOver = true;
  });
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  const started = Date.now();
  const end = started + Math.min(patience, hangUpAfter);
  while (!isOver && Date.now() < end && completeResponses(text) < answers) await pause(5);
  socket.destroy();
  const final = text.replace(/^(?:HTTP\/1\.1 100 [\s\S]*?\r\n\r\n)+/, '');
  const [head = ''] = final.split('\r\n\r\n', 1);
  const [, status] = /^HTTP\/1\.\d (\d{3})/.exec(head) ?? [];
  return { status: status === undefined ? null : Number(status), head, text: final };
}

/** Number of complete responses (RFC 9112 §6.3); a 100 does not count. */
function completeResponses(text: string): number {
  let count = 0;
  for (let at = 0; ; ) {
    const bodyStart = text.indexOf('\r\n\r\n', at) + 4;
    if (bodyStart < 4) return count;
    const head = text.slice(at, bodyStart);
    const length = /\r\nContent-Length: *(\d+)/i.exec(head)?.[1];
    const isChunked = /\r\nTransfer-Encoding: *chunked/i.test(head);
    const last = text.indexOf('0\r\n\r\n', bodyStart);
    const bodyEnd = isChunked
      ? last < 0
        ? Number.POSITIVE_INFINITY
        : last + 5
      : bodyStart + Number(length ?? 0);
    if (bodyEnd > text.length) return count;
    if (!/^HTTP\/1\.1 1\d\d/.test(head)) count += 1;
    at = bodyEnd;
  }
}
