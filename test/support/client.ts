import { createHash, randomInt } from 'node:crypto';
import { CookieJar } from './cookies.ts';
import { codeIn, Inbox } from './inbox.ts';
import { checkedFetch } from './openapi-fetch.ts';

type HeaderFields = Readonly<Record<string, string>>;

/**
 * A visitor with a cookie jar and an IP address of its own, since limits are
 * counted by that. It sends no `Origin` unless told to.
 */
export class Client {
  readonly #origin: URL;
  readonly #inbox: Inbox;
  readonly #jar: CookieJar;
  readonly ip: string;

  constructor(origin: URL | string, ip: string = someIp(), jar: CookieJar = new CookieJar()) {
    this.#origin = new URL(origin);
    this.#inbox = new Inbox(origin);
    this.#jar = jar;
    this.ip = ip;
  }

  /** The same visitor, where the service is to be found now. */
  at(origin: string): Client {
    return new Client(origin, this.ip, this.#jar);
  }

  /** A visitor with the same cookies at another place. */
  movedTo(ip: string = someIp()): Client {
    return new Client(this.#origin, ip, this.#jar.copy());
  }

  /** The value of a cookie that must be there. */
  cookie(name: string): string {
    const value = this.#jar.value(name);
    if (value === undefined) throw new Error(`no cookie "${name}"`);
    return value;
  }

  hasCookie(name: string): boolean {
    return this.#jar.value(name) !== undefined;
  }

  setCookie(name: string, value: string): void {
    this.#jar.set(name, value);
  }

  removeCookie(name: string): void {
    this.#jar.remove(name);
  }

  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const url = new URL(path, this.#origin);
    const headers = new Headers(init.headers);
    headers.set('CF-Connecting-IP', this.ip);
    const cookies = this.#jar.header(url.pathname);
    if (cookies !== null) headers.set('Cookie', cookies);
    const response = await checkedFetch(url, { ...init, headers });
    this.#jar.receive(response, url.pathname);
    return response;
  }

  get(path: string, headers: HeaderFields = {}): Promise<Response> {
    return this.fetch(path, { headers });
  }

  post(path: string, body: unknown = {}, headers: HeaderFields = {}): Promise<Response> {
    return this.#send('POST', path, body, headers);
  }

  patch(path: string, body: unknown, headers: HeaderFields = {}): Promise<Response> {
    return this.#send('PATCH', path, body, headers);
  }

  delete(path: string, body: unknown, headers: HeaderFields = {}): Promise<Response> {
    return this.#send('DELETE', path, body, headers);
  }

  /** Asks for a code and reads it in the mail, for a normalized address. */
  async requestCode(email: string): Promise<string> {
    const response = await this.post('/v1/auth/request-code', { email });
    if (response.status !== 200) throw new Error(`no code: ${await response.text()}`);
    return codeIn(await this.#inbox.latest(email));
  }

  verify(email: string, code: string): Promise<Response> {
    return this.post('/v1/auth/verify-code', { email, code });
  }

  /** The whole way in, for a normalized address; the id of the user. */
  async signIn(email: string): Promise<string> {
    const response = await this.verify(email, await this.requestCode(email));
    const answer = (await response.json()) as { user_id?: string };
    if (answer.user_id === undefined) throw new Error(`no sign-in: ${JSON.stringify(answer)}`);
    return answer.user_id;
  }

  #send(method: string, path: string, body: unknown, headers: HeaderFields): Promise<Response> {
    return this.fetch(path, {
      method,
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  }
}

/** What the service keeps in the place of a cookie's value. */
export function tokenHash(value: string): string {
  return createHash('sha256').update(value).digest('hex');
}

/** One of 16 million addresses, so that no test meets another's limits. */
export function someIp(): string {
  return `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`;
}
