import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import { lostConnection } from './requests.ts';
import { lengthOf } from './streams.ts';

/** A client that takes nothing of a response for this time is given up, in milliseconds. */
const stallTimeout = 60_000;

/** How long the rest of a body that nobody reads may still arrive after the response, in milliseconds. */
export const lingering = 2000;

/**
 * Sends a response as fast as the client takes it: the next part of the body is asked for when the one before has left
 * the process. If the client goes first, the body is cancelled; if the body fails, the connection is closed before its
 * end, so that the client sees that something is missing.
 * @param isLast whether the connection closes after it
 */
export async function sendResponse(
  response: Response,
  { outgoing, message }: { outgoing: ServerResponse; message: IncomingMessage },
  isLast: boolean,
): Promise<void> {
  const { body, status } = response;
  const isUnread = !message.complete;
  const headers = [...response.headers].flatMap(([name, value]) => [spelled(name), value]);
  if (isLast || isUnread) headers.push('Connection', 'close');
  if (isUnread) outgoing.once('finish', () => linger(message));
  const begin = (length: number | null) => {
    const isKnown = length !== null && !response.headers.has('Content-Length');
    if (isKnown) headers.push('Content-Length', String(length));
    outgoing.writeHead(status, headers);
  };
  if (body === null || message.method === 'HEAD') {
    await body?.cancel();
    outgoing.writeHead(status, headers);
    end(outgoing);
    return;
  }
  const reader = body.getReader();
  const gone = new Promise<never>((_, reject) => {
    outgoing.once('close', () => reject(lostConnection()));
    reader.closed.catch(reject);
  });
  gone.catch(() => {});
  try {
    const first = await Promise.race([reader.read(), gone]);
    if (first.done) {
      begin(lengthOf(body) ?? 0);
      end(outgoing);
      return;
    }
    // A body that is complete at once has a length, as on Workers.
    const second = reader.read();
    second.catch(() => {});
    const soon = await Promise.race([second, turnOfEventLoop(null)]);
    if (soon?.done) {
      begin(first.value.length);
      end(outgoing, first.value);
      return;
    }
    begin(lengthOf(body));
    await Promise.race([written(outgoing, first.value), gone]);
    for (let next = await Promise.race([second, gone]); !next.done; ) {
      await Promise.race([written(outgoing, next.value), gone]);
      next = await Promise.race([reader.read(), gone]);
    }
    end(outgoing);
  } catch (error) {
    reader.cancel(error).catch(() => {});
    outgoing.destroy();
  }
}

/** As everyone writes it: some clients, Tinify’s among them, look for names in these letters. */
function spelled(name: string): string {
  if (name === 'etag') return 'ETag';
  if (name === 'www-authenticate') return 'WWW-Authenticate';
  return name.replace(/(?<![a-z0-9])[a-z]/g, (letter) => letter.toUpperCase());
}

/** Ends a response, or the connection if the client does not take the rest. */
function end(outgoing: ServerResponse, bytes?: Uint8Array): void {
  const timer = setTimeout(() => outgoing.destroy(), stallTimeout);
  for (const event of ['finish', 'close']) outgoing.once(event, () => clearTimeout(timer));
  outgoing.end(bytes);
}

/** Settles when the bytes have left the process. */
function written(outgoing: ServerResponse, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => outgoing.destroy(), stallTimeout);
    outgoing.write(bytes, (error) => {
      clearTimeout(timer);
      if (error) reject(error);
      else resolve();
    });
  });
}

/**
 * Takes what still arrives of a body, for a while: closed at once, the connection would be reset, and the reset might
 * overtake the response (RFC 9112 §9.6).
 */
function linger(message: IncomingMessage): void {
  const { socket } = message;
  const timer = setTimeout(() => socket.destroy(), lingering);
  socket.once('close', () => clearTimeout(timer));
  message.resume();
}
