import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { LocalServer } from '../../../../test/support/local-server.ts';
import { halved } from './folders.ts';

/** A request as the stand-in has seen it. */
export interface Seen {
  readonly query: string;
  readonly key: string;
  readonly body: Buffer;
  /** In milliseconds since 1970. */
  readonly at: number;
}

type Answer = (response: ServerResponse, seen: Seen) => void | Promise<void>;

/** Answers in the place of the service: half of each image, unless it is told otherwise. */
export class StandIn extends LocalServer {
  readonly seen: Seen[] = [];
  /** What the next requests get, one each, before all others get `answer`. */
  readonly next: Answer[] = [];
  answer: Answer = half;
  protected override async serve(
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const seen = {
      query: new URL(request.url ?? '', this.origin).search,
      key: request.headers.authorization?.replace('Bearer ', '') ?? '',
      body: await buffer(request),
      at: Date.now(),
    };
    this.seen.push(seen);
    await (this.next.shift() ?? this.answer)(response, seen);
  }
}

/** Half of what was sent, called a smaller image. */
export function half(response: ServerResponse, { body }: Seen): void {
  image(response, body, halved(body));
}

/** What was sent, called as small as it gets. */
export function same(response: ServerResponse, { body }: Seen): void {
  image(response, body, body, { 'Image-Optimized': 'false', 'Image-Reason': 'already-optimal' });
}

export function image(
  response: ServerResponse,
  before: Buffer,
  after: Buffer,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(200, {
    'Content-Type': 'image/jpeg',
    'Content-Length': after.length,
    'Image-Width': '1',
    'Image-Height': '1',
    'Image-Input-Type': 'image/jpeg',
    'Image-Input-Bytes': String(before.length),
    'Image-Output-Bytes': String(after.length),
    'Image-Quality': '77',
    'Image-Optimized': 'true',
    'Quota-Remaining': '400',
    'Request-Id': 'request-of-a-test',
    ...headers,
  });
  response.end(after);
}

/** An error of the service. */
export function problem(
  status: number,
  code: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return (response) => {
    response.writeHead(status, { 'Content-Type': 'application/problem+json', ...headers });
    const type = `https://images.example/docs/errors#${code}`;
    const title = 'Error of a test';
    const detail = `What to do about ${code}.`;
    response.end(JSON.stringify({ type, title, status, detail, code, request_id: 'r' }));
  };
}
