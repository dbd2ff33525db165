import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { comingFrom, someIp } from './client.ts';
import { type ApiOperation, operationsOf } from './operations.ts';

/** A request whose body does not arrive, or arrives slowly. */
export interface SlowRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The beginning of the body. */
  readonly start: string;
}

/** One connection with such a request; each comes from a separate network. */
export class TricklingBody {
  readonly #socket: Socket;
  readonly #began = Date.now();
  #text = '';
  #ended: number | null = null;

  constructor(url: URL, { method, path, headers, start }: SlowRequest) {
    this.#socket = connect(Number(url.port), url.hostname);
    this.#socket.on('data', (chunk) => {
      this.#text += chunk;
    });
    this.#socket.on('error', () => {}); // it was hung up on
    this.#socket.on('close', () => {
      this.#ended ??= Date.now();
    });
    const fields = { Host: url.host, ...comingFrom(someIp()), ...headers };
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
    this.#socket.write([`${method} ${path} HTTP/1.1`, ...lines, '', start].join('\r\n'));
  }

  /** Sends one more byte, white space that JSON allows. */
  trickle(): void {
    if (this.#ended === null) this.#socket.write(' ');
  }

  /** Everything received so far. */
  get answer(): string {
    return this.#text;
  }

  /** Status of the response; null if there is none yet. */
  get status(): number | null {
    const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(this.#text) ?? [];
    return status === undefined ? null : Number(status);
  }

  get hasEnded(): boolean {
    return this.#ended !== null;
  }

  /** Milliseconds until the service ended the connection, or until now. */
  get duration(): number {
    return (this.#ended ?? Date.now()) - this.#began;
  }

  hangUp(): void {
    this.#socket.destroy();
  }
}

/** Lets bodies trickle until the service has ended all their connections, or for the given number of milliseconds. */
export async function trickle(
  bodies: readonly TricklingBody[],
  patience: number,
  meanwhile: () => Promise<void> = () => pause(500),
): Promise<void> {
  const end = Date.now() + patience;
  while (Date.now() < end && bodies.some(({ hasEnded }) => !hasEnded)) {
    for (const body of bodies) body.trickle();
    await meanwhile();
  }
  for (const body of bodies) body.hangUp();
}

/** What callers of each kind of route send in their headers. */
export interface Credentials {
  readonly sid: string;
  readonly key: string;
  /** A `Stripe-Signature` header. */
  readonly signature: string;
}

/** A request for each route of an OpenAPI document that takes JSON, with an announced body of this length. */
export function slowRequests(
  document: unknown,
  { sid, key, signature }: Credentials,
  length = 60_000,
): readonly SlowRequest[] {
  const headersOf = ({ credential, isSigned }: ApiOperation): Record<string, string> => ({
    'Content-Type': 'application/json',
    'Content-Length': String(length),
    ...(credential === 'session' && { Cookie: `sid=${sid}` }),
    ...(credential === 'apiKey' && { Authorization: `Bearer ${key}` }),
    ...(isSigned && { 'Stripe-Signature': signature }),
  });
  return operationsOf(document)
    .filter(({ body }) => body !== null)
    .map((operation) => ({
      method: operation.method,
      path: operation.path.replaceAll(/\{\w+\}/g, 'key_0123456789abcdef'),
      headers: headersOf(operation),
      start: '{"name":"',
    }));
}

/** A header in the format of a current Stripe signature that is not valid. */
export function forgedSignature(age = 0): string {
  return `t=${Math.floor(Date.now() / 1000) - age},v1=${'0'.repeat(64)}`;
}
