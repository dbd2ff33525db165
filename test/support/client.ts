import { createHash, randomInt } from 'node:crypto';
import { expect } from 'vitest';
import type { KeyRecord } from '../../src/cabinet/browser/api/wire.ts';
import { isOnNode } from './home.ts';
import { LocalMailStore } from './local-mail-store.ts';
import { mailServerOf } from './node/mail-server.ts';
import { checkedFetch } from './openapi-checker.ts';

type HeaderFields = Readonly<Record<string, string>>;

/**
 * A visitor with its own cookie jar and IP address, because limits are counted by address. Sends no `Origin` unless
 * specified.
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

  /** The same visitor, for a service at another origin. */
  at(origin: string): Client {
    return new Client(origin, this.ip, this.#jar);
  }

  /** A visitor with the same cookies at another IP address. */
  movedTo(ip: string = someIp()): Client {
    return new Client(this.#origin, ip, this.#jar.copy());
  }

  /** The value of a cookie, which must exist. */
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
    for (const [name, value] of Object.entries(comingFrom(this.ip))) headers.set(name, value);
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

  /** Requests a code for a normalized address, and reads it from the mail. */
  async requestCode(email: string): Promise<string> {
    const response = await this.post('/v1/auth/request-code', { email });
    if (response.status !== 200) throw new Error(`no code: ${await response.text()}`);
    return codeIn(await this.#inbox.latest(email));
  }

  verify(email: string, code: string): Promise<Response> {
    return this.post('/v1/auth/verify-code', { email, code });
  }

  /** Signs in with a normalized address; returns the id of the user. */
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

/** The hash that the service stores instead of a cookie's value. */
export function tokenHash(value: string): string {
  return createHash('sha256').update(value).digest('hex');
}

/**
 * Headers that name the address of a visitor: as Cloudflare tells it, and as a proxy that the service on Node trusts does.
 */
export function comingFrom(ip: string): Record<string, string> {
  return { 'CF-Connecting-IP': ip, 'X-Forwarded-For': ip };
}

/** One of 16 million addresses, so that tests do not affect each other's limits. */
export function someIp(): string {
  return `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`;
}

export async function createKey(client: Client, body: unknown): Promise<KeyRecord> {
  return recordIn(await client.post('/v1/keys', body), 201);
}

export async function listKeys(client: Client): Promise<readonly KeyRecord[]> {
  const response = await client.get('/v1/keys');
  expect(response.status).toBe(200);
  const { items } = (await response.json()) as { items: KeyRecord[] };
  return items;
}

/** The record in a successful response. */
export async function recordIn(response: Response, status: 200 | 201): Promise<KeyRecord> {
  const text = await response.text();
  expect(response.status, text).toBe(status);
  expect(response.headers.get('Content-Type')).toContain('application/json');
  expect(response.headers.get('Cache-Control')).toBe('no-store');
  return JSON.parse(text) as KeyRecord;
}

/** The key of a record that must contain one. */
export function keyOf({ key }: KeyRecord): string {
  if (key === undefined) throw new Error('the record has no key');
  return key;
}

interface SetCookie {
  readonly name: string;
  readonly value: string;
  /** Names in lower case; an attribute without a value is empty. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** The only cookie of this name that a response sets. */
export function cookieSetBy(response: Response, name: string): SetCookie {
  const cookies = response.headers.getSetCookie().map(parseSetCookie);
  const [found, ...more] = cookies.filter((cookie) => cookie.name === name);
  if (!found || more.length > 0) throw new Error(`not one cookie "${name}" but ${cookies.length}`);
  return found;
}

interface StoredCookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
}

/** Cookies of one origin, stored and sent as browsers do (RFC 6265, section 5). */
export class CookieJar {
  #kept: readonly StoredCookie[];

  constructor(kept: readonly StoredCookie[] = []) {
    this.#kept = kept;
  }

  copy(): CookieJar {
    return new CookieJar(this.#kept);
  }

  value(name: string): string | undefined {
    return this.#kept.find((cookie) => cookie.name === name)?.value;
  }

  /** Adds a cookie for all paths to the jar. */
  set(name: string, value: string): void {
    this.remove(name);
    this.#kept = [...this.#kept, { name, value, path: '/' }];
  }

  remove(name: string): void {
    this.#kept = this.#kept.filter((cookie) => cookie.name !== name);
  }

  /** The header for a request to `path`; null if no cookie applies. */
  header(path: string): string | null {
    const sent = this.#kept.filter((cookie) => isWithin(path, cookie.path));
    return sent.length === 0 ? null : sent.map(({ name, value }) => `${name}=${value}`).join('; ');
  }

  /** Stores the cookies that the response to a request to `requestPath` sets. */
  receive(response: Response, requestPath: string): void {
    for (const line of response.headers.getSetCookie()) {
      const { name, value, attributes } = parseSetCookie(line);
      const { path = defaultPath(requestPath), expires = '', 'max-age': maxAge } = attributes;
      const hasEnded = maxAge === undefined ? Date.parse(expires) <= Date.now() : +maxAge <= 0;
      // Cookies with the same name but different paths are different cookies.
      const others = this.#kept.filter((cookie) => cookie.name !== name || cookie.path !== path);
      this.#kept = hasEnded ? others : [...others, { name, value, path }];
    }
  }
}

function parseSetCookie(line: string): SetCookie {
  const [[name = '', value = ''] = [], ...rest] = line.split(/;\s*/).map(splitAtEquals);
  const attributes = rest.map(([key = '', text = '']) => [key.toLowerCase(), text]);
  return { name, value, attributes: Object.fromEntries(attributes) };
}

function splitAtEquals(text: string): string[] {
  const at = text.indexOf('=');
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function defaultPath(requestPath: string): string {
  return requestPath.slice(0, Math.max(1, requestPath.lastIndexOf('/')));
}

function isWithin(path: string, cookiePath: string): boolean {
  return path === cookiePath || path.startsWith(cookiePath.replace(/\/?$/, '/'));
}

/** One mail that the service has sent. */
export interface Mail {
  readonly from: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** What a service has sent. */
export interface MailStore {
  /** Mails to this address, newest first. */
  sentTo(address: string): AsyncGenerator<Mail>;
}

/** The mails that a service has sent: services that run in parallel do not see each other's mail. */
export class Inbox {
  readonly #store: MailStore;

  constructor(origin: URL | string) {
    this.#store = isOnNode ? mailServerOf(new URL(origin).port) : new LocalMailStore(origin);
  }

  /** Number of mails sent to this address. */
  async count(address: string): Promise<number> {
    return (await this.subjects(address)).length;
  }

  /** Subjects of all mails to this address, newest first. */
  async subjects(address: string): Promise<string[]> {
    const subjects: string[] = [];
    for await (const { subject } of this.#store.sentTo(address)) subjects.push(subject);
    return subjects;
  }

  /** The latest mail to this address. */
  async latest(address: string): Promise<Mail> {
    for await (const mail of this.#store.sentTo(address)) return mail;
    throw new Error(`no mail to ${address}`);
  }
}

/** The sign-in code in the subject of a mail, without its separators. */
export function codeIn({ subject }: Mail): string {
  const [code] = /\d[\d -]{4,}\d/.exec(subject) ?? [];
  if (code === undefined) throw new Error(`no code in "${subject}"`);
  return code.replaceAll(/\D/g, '');
}
