import { someIp } from '../../support/client.ts';
import { CookieJar } from '../../support/cookies.ts';
import type { Answer, Tally } from './answers.ts';

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
    headers.set('CF-Connecting-IP', this.#ip);
    const cookies = this.#jar.header(url.pathname);
    if (cookies !== null) headers.set('Cookie', cookies);
    return this.#tally.answerTo(async () => {
      const response = await fetch(url, { ...init, headers });
      this.#jar.receive(response, url.pathname);
      return response;
    });
  }
}
