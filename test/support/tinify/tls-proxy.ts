import { once } from 'node:events';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { makeTlsIdentity } from './certificates.ts';

/** A local port that speaks TLS, in front of a service that does not. */
export interface TlsProxy {
  /** Begins with `https://localhost:`. */
  readonly origin: string;
  /** The certificate that clients have to trust, in PEM. */
  readonly authority: string;
  /** Sets the origin to which requests are forwarded. */
  leadTo(origin: string): void;
  close(): Promise<void>;
}

/**
 * Starts a proxy that terminates TLS and streams in both directions. Headers keep their order, spelling and values,
 * including the requested host.
 */
export async function startTlsProxy(): Promise<TlsProxy> {
  const { key, certificate, authority } = makeTlsIdentity();
  let target: URL | null = null;
  const server = createServer({ key, cert: certificate }, (incoming, answer) => {
    if (target) forward(incoming, answer, target);
    else answer.destroy();
  });
  // The service has its own timeouts.
  server.requestTimeout = 0;
  server.listen(0, 'localhost');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port to be had');
  return {
    origin: `https://localhost:${address.port}`,
    authority,
    leadTo: (origin) => {
      target = new URL(origin);
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function forward(incoming: IncomingMessage, answer: ServerResponse, target: URL): void {
  const { method, url } = incoming;
  const { hostname, port } = target;
  const outgoing = request(
    { hostname, port, method, path: url, headers: headersOf(incoming), agent: false },
    (response) => {
      answer.writeHead(response.statusCode ?? 502, response.rawHeaders);
      response.pipe(answer);
      response.on('error', () => answer.destroy());
    },
  );
  outgoing.on('error', () => answer.destroy());
  answer.on('close', () => outgoing.destroy());
  incoming.pipe(outgoing);
}

/** Names and values alternating. */
function headersOf({ method, rawHeaders }: IncomingMessage): string[] {
  const headers = [...rawHeaders];
  const hasLength = isHeader(headers, 'content-length') || isHeader(headers, 'transfer-encoding');
  // Node would treat it as having unknown length.
  if (method === 'POST' && !hasLength) headers.push('Content-Length', '0');
  return headers;
}

function isHeader(rawHeaders: readonly string[], name: string): boolean {
  return rawHeaders.some((text, i) => i % 2 === 0 && text.toLowerCase() === name);
}
