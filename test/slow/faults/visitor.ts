import { CookieJar, comingFrom, someIp } from '../../support/client.ts';

/** Someone with a cookie jar and an address of their own, who may or may not be answered. */
export class Visitor {
  readonly #origin: string;
  readonly #tally: Tally;
  readonly #ip = someIp();
  readonly #jar: CookieJar;

  constructor(origin: string, tally: Tally, jar = new CookieJar()) {
    this.#origin = origin;
    this.#tally = tally;
    this.#jar = jar;
  }

  /** The same visitor as it is now; the two go on apart. */
  copy(): Visitor {
    return new Visitor(this.#origin, this.#tally, this.#jar.copy());
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer | null> {
    return this.#send(path, { headers });
  }

  /** With a JSON body. */
  post(path: string, body: unknown = {}): Promise<Answer | null> {
    const headers = { 'Content-Type': 'application/json' };
    return this.#send(path, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  /** With bytes; the key is that of a program, without it the cookie counts. */
  upload(path: string, body: Uint8Array<ArrayBuffer>, key?: string): Promise<Answer | null> {
    const headers: Record<string, string> = key ? { Authorization: `Bearer ${key}` } : {};
    return this.#send(path, { method: 'POST', headers, body });
  }

  async #send(path: string, init: RequestInit): Promise<Answer | null> {
    const url = new URL(path, this.#origin);
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(comingFrom(this.#ip))) headers.set(name, value);
    const cookies = this.#jar.header(url.pathname);
    if (cookies !== null) headers.set('Cookie', cookies);
    return this.#tally.answerTo(async () => {
      const response = await fetch(url, { ...init, headers });
      this.#jar.receive(response, url.pathname);
      return response;
    });
  }
}

/** An answer that has come whole. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

/** Counts what has come whole, and what has not. */
export class Tally {
  answers = 0;
  lost = 0;

  /**
   * The answer to a request; null if none has come, or half of one, or one that only says to try again: then nothing is
   * known for certain. What has no `Request-Id` comes from what stands in front of the service.
   */
  async answerTo(ask: () => Promise<Response>): Promise<Answer | null> {
    const answer = await whole(ask);
    if (answer) this.answers += 1;
    else this.lost += 1;
    const isRefusal = answer?.status === 503 && answer.headers.has('Retry-After');
    return isRefusal ? null : answer;
  }
}

async function whole(ask: () => Promise<Response>): Promise<Answer | null> {
  try {
    const { status, headers, ...response } = await parts(await ask());
    return headers.has('Request-Id') ? { status, headers, ...response } : null;
  } catch (error) {
    if (error instanceof TypeError) return null; // how fetch tells that a connection was lost
    throw error;
  }
}

async function parts(response: Response): Promise<Answer> {
  const body = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, body };
}

/** The body of an answer in JSON. */
export function jsonOf<Shape>({ body }: Answer): Shape {
  return JSON.parse(body.toString()) as Shape;
}

/** Words for an answer that should have been another one. */
export function unexpected(what: string, answer: Answer | null): string {
  if (!answer) return `${what}: no answer`;
  return `${what}: ${answer.status} ${answer.body.subarray(0, 300).toString()}`;
}
