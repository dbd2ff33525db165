import type { IncomingMessage } from 'node:http';
import { clientAddress, isTrusted, type TrustedProxies } from './client-address.ts';

/** How requests arrive at this server. */
export interface Arrival {
  readonly proxies: TrustedProxies;
  /** The configured origin of links; null if there is none. */
  readonly publicOrigin: string | null;
}

/** More header fields than any client or chain of proxies sends. */
const maxHeaderFields = 200;

/** Methods that the Fetch standard forbids to requests (§2.2.1), which the service nevertheless refuses by name. */
const forbiddenMethods: ReadonlySet<string> = new Set(['CONNECT', 'TRACE', 'TRACK']);

/** A request that the app does not see: `status` is its answer. */
export interface Unreadable {
  readonly status: 400 | 431;
}

/**
 * Makes a request for the app of one that Node has parsed: the path as it was sent, a body that is read as fast as the
 * app reads it, and the address of the client in `CF-Connecting-IP`, where Cloudflare would put it. Headers of clients
 * that begin with `CF-` are discarded.
 * @param signal aborts when the client has gone
 */
export function requestOf(
  message: IncomingMessage,
  arrival: Arrival,
  signal: AbortSignal,
): Request | Unreadable {
  const { rawHeaders, method = 'GET' } = message;
  if (rawHeaders.length / 2 > maxHeaderFields) return { status: 431 };
  const url = urlOf(message, arrival);
  const headers = url && headersOf(message, arrival.proxies);
  if (!headers) return { status: 400 };
  const body = hasBody(message) ? { body: bodyOf(message), duplex: 'half' } : null;
  // Clients of Tinify send bodies with GET, which `Request` refuses, too.
  const isRefused =
    forbiddenMethods.has(method) || (body !== null && (method === 'GET' || method === 'HEAD'));
  const request = new Request(url, {
    ...{ method: isRefused ? 'POST' : method, headers, signal, redirect: 'manual', ...body },
  });
  if (isRefused) Object.defineProperty(request, 'method', { value: method });
  return request;
}

/**
 * The URL of a request; null if target or `Host` make none. With an origin of its own, the service is there, whatever host a
 * proxy names: nginx, for one, usually names its own address of the service.
 */
function urlOf(message: IncomingMessage, { proxies, publicOrigin }: Arrival): URL | null {
  const { url: target = '', rawHeaders, headers } = message;
  const hosts = rawHeaders.filter((name, i) => i % 2 === 0 && /^host$/i.test(name));
  // Only HTTP/1.0 knows requests without a host.
  const host = headers.host || 'localhost';
  if (hosts.length > 1 || /[\s/?#@\\]/.test(host)) return null;
  const isAbsolute = !target.startsWith('/');
  // An absolute form names the host that is meant (RFC 9112 §3.2.2).
  const named = URL.parse(isAbsolute ? target : `http://${host}${target}`);
  if (!named || !/^https?:$/.test(named.protocol)) return null;
  const path = isAbsolute ? `${named.pathname}${named.search}` : target;
  return URL.parse(
    `${publicOrigin ?? `${forwardedScheme(message, proxies)}//${named.host}`}${path}`,
  );
}

function forwardedScheme(message: IncomingMessage, proxies: TrustedProxies): 'http:' | 'https:' {
  const isOfProxy = isTrusted(message.socket.remoteAddress ?? '', proxies);
  const stated = isOfProxy ? message.headers['x-forwarded-proto'] : undefined;
  const [scheme = ''] = String(stated ?? '')
    .split(',')
    .slice(-1);
  return scheme.trim().toLowerCase() === 'https' ? 'https:' : 'http:';
}

/** Null if a header is malformed. */
function headersOf(message: IncomingMessage, proxies: TrustedProxies): Headers | null {
  const { rawHeaders, socket } = message;
  const headers = new Headers();
  try {
    for (let i = 0; i < rawHeaders.length; i += 2) {
      const [name = '', value = ''] = rawHeaders.slice(i, i + 2);
      if (!/^cf-/i.test(name)) headers.append(name, value);
    }
  } catch {
    return null;
  }
  const forwarded = headers.get('X-Forwarded-For') ?? undefined;
  const client = clientAddress(socket.remoteAddress, forwarded, proxies);
  if (client !== '') headers.set('CF-Connecting-IP', client);
  return headers;
}

/** Whether a request has a body (RFC 9112 §6.3). */
function hasBody({ headers }: IncomingMessage): boolean {
  return 'content-length' in headers || 'transfer-encoding' in headers;
}

/** The error of a body whose sender has gone; `readError` tells it from others by `retryable`, as on Workers. */
export function lostConnection(): Error {
  return Object.assign(new Error('The connection was lost.'), { retryable: true });
}

/**
 * The body of a request as a byte stream that takes from the socket only what is read. Bytes are copied, because Node
 * gives parts of buffers that it uses for others, too.
 */
function bodyOf(message: IncomingMessage): ReadableStream<Uint8Array> {
  // Whoever reads learns of it; without a listener, Node would end the process.
  message.on('error', () => {});
  return new ReadableStream({
    type: 'bytes',
    async pull(controller: ReadableByteStreamController) {
      const chunk = await nextChunk(message, controller.byobRequest?.view?.byteLength ?? maxChunk);
      if (chunk === null) {
        controller.close();
        controller.byobRequest?.respond(0);
        return;
      }
      const view = controller.byobRequest?.view;
      if (!view) return controller.enqueue(new Uint8Array(chunk));
      new Uint8Array(view.buffer, view.byteOffset, view.byteLength).set(chunk);
      controller.byobRequest?.respond(chunk.length);
    },
    cancel() {
      message.resume();
    },
  } as UnderlyingByteSource);
}

/** Bytes of a chunk for readers without a buffer of their own. */
const maxChunk = 64 * 1024;

/**
 * The next bytes of a body; null at its end.
 * @throws Error with `retryable` if the connection is lost before
 */
async function nextChunk(message: IncomingMessage, maxBytes: number): Promise<Uint8Array | null> {
  for (;;) {
    const available = Math.min(maxBytes, message.readableLength);
    const chunk: Buffer | null = message.read(available || undefined);
    if (chunk !== null) return chunk;
    if (message.readableEnded) return null;
    if (message.destroyed) throw lostConnection();
    await newsOf(message);
  }
}

const news = ['readable', 'end', 'error', 'close'] as const;

/** Waits until there is something to read, or nothing any more. */
function newsOf(message: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      for (const name of news) message.off(name, stop);
      resolve();
    };
    for (const name of news) message.on(name, stop);
  });
}
