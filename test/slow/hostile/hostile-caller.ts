import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { expect } from 'vitest';
import { type Client, codeIn, comingFrom, createKey, someIp } from '../../support/client.ts';
import { checkedFetch, isObject, type Schema } from '../../support/openapi-checker.ts';
import { type ApiOperation, anyText } from '../../support/operations.ts';
import { keySecrets, type TestService } from '../../support/service.ts';
import { signed, webhookSecret } from '../../support/stripe.ts';

/** What fills the places of a request; what is not named is as it should be. */
interface Filling {
  /** By the names of parameters, as they stand in a URL. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Null: no body. */
  readonly body?: { readonly content: BodyInit; readonly type: string | null } | null;
  readonly credentials?: 'good' | 'none' | 'bad';
}

/** Sends requests to any operation of the document, as a user who is there again when it was deleted. */
export class HostileCaller {
  readonly #service: TestService;
  readonly #pictureUrl: string;
  #session: { client: Client; email: string; keyId: string; site: ListedSite } | undefined;
  #users = 0;
  #sites = 0;
  /** Whether the last request cannot have ended the session, the user, the key or the site. */
  #isCertain = false;

  /** @param pictureUrl where the service may fetch one */
  constructor(service: TestService, pictureUrl: string) {
    this.#service = service;
    this.#pictureUrl = pictureUrl;
  }

  /** The answer, which is one that the document has. */
  async send(operation: ApiOperation, filling: Filling = {}): Promise<Response> {
    const { parameters = {}, body = null, credentials = 'good' } = filling;
    const headers = comingFrom(someIp());
    if (body?.type) headers['Content-Type'] = body.type;
    if (credentials === 'good') Object.assign(headers, await this.#credentials(operation));
    if (credentials === 'bad') {
      Object.assign(headers, { Cookie: 'sid=\'"; challenge=%00', Authorization: 'Bearer fewer_x' });
    }
    const isSigned = credentials === 'good' && operation.isSigned;
    if (isSigned && typeof body?.content === 'string') {
      Object.assign(headers, signed(body.content).headers);
    }
    const init = { method: operation.method, headers, ...(body && { body: body.content }) };
    const url = new URL(await this.#path(operation, parameters), this.#service.url);
    this.#isCertain = operation.method === 'GET' || operation.credential !== 'session';
    return checkedFetch(url, init);
  }

  /** A body in JSON that the operation is content with: its example, with what is there in its places. */
  async goodBody({ bodyExample }: ApiOperation): Promise<Record<string, unknown>> {
    if (!isObject(bodyExample)) return {};
    const { email, keyId } = await this.#present();
    const visitor = this.#newAddress();
    const named: Record<string, unknown> = {
      ...{ email: visitor, confirm: email, url: this.#pictureUrl, id: keyId },
      ...('code' in bodyExample && { code: await this.#codeFor(visitor) }),
      ...('slug' in bodyExample && this.#newSite()),
      ...('path' in bodyExample && { path: 'picture.jpg' }),
      ...('width' in bodyExample && { width: 20, height: 20, background: '#ffffff', quality: 60 }),
    };
    const entries = Object.entries(bodyExample);
    return Object.fromEntries(entries.map(([name, value]) => [name, named[name] ?? value]));
  }

  /** What has no place in the path becomes a query. */
  async #path({ path }: ApiOperation, given: Readonly<Record<string, string>>): Promise<string> {
    const { keyId, site } = await this.#present();
    const id = path.startsWith('/v1/sites/') ? site.id : keyId;
    const present: Record<string, string> = {
      id,
      slug: site.slug,
      options: '_',
      path: 'picture.jpg',
    };
    const query = Object.entries(given)
      .filter(([name]) => !path.includes(`{${name}}`))
      .map(([name, value]) => `${name}=${value}`);
    const filled = path.replace(
      /\{(\w+)\}/g,
      (_, name: string) => given[name] ?? present[name] ?? '',
    );
    return query.length > 0 ? `${filled}?${query.join('&')}` : filled;
  }

  async #credentials({ credential }: ApiOperation): Promise<Record<string, string>> {
    if (credential === 'apiKey') return { Authorization: `Bearer ${this.#service.key}` };
    if (credential === null) return {};
    const { client } = await this.#present();
    return { Cookie: `sid=${client.cookie('sid')}` };
  }

  /** The user, who may have been signed out or deleted by the last request, with an active key and a site. */
  async #present() {
    if (this.#session && this.#isCertain) return this.#session;
    this.#isCertain = true;
    const keys = await this.#listed('/v1/keys');
    const sites = await this.#listed<ListedSite>('/v1/sites');
    if (this.#session && keys && sites && keys.length < 40 && sites.length < 15) {
      const { client } = this.#session;
      const active = keys.find(({ status }) => status === 'active');
      const keyId = active?.id ?? (await createKey(client, { name: 'next' })).id;
      const site = sites.find((each) => this.#answers(each)) ?? (await this.#createSite(client));
      this.#session = { ...this.#session, keyId, site };
      return this.#session;
    }
    const email = this.#newAddress();
    const client = await this.#service.signedIn(email);
    const keyId = (await createKey(client, { name: 'first' })).id;
    this.#session = { client, email, keyId, site: await this.#createSite(client) };
    return this.#session;
  }

  /** What the user has; null if there is no user any more. */
  async #listed<Item extends Listed>(path: string): Promise<readonly Item[] | null> {
    const response = await this.#session?.client.get(path);
    return response?.ok ? ((await response.json()) as { items: Item[] }).items : null;
  }

  /** Whether a site, as earlier requests have left it, has the picture for everyone. */
  #answers({ status, source, signed, presets_only }: ListedSite): boolean {
    return status === 'active' && source === this.#source && !signed && !presets_only;
  }

  async #createSite(client: Client): Promise<ListedSite> {
    const response = await client.post('/v1/sites', { name: 'first', ...this.#newSite() });
    return (await response.json()) as ListedSite;
  }

  #newSite() {
    this.#sites += 1;
    return { slug: `hostile-${this.#sites}`, source: this.#source };
  }

  get #source(): string {
    return new URL('/', this.#pictureUrl).href;
  }

  #newAddress(): string {
    this.#users += 1;
    return `hostile${this.#users}@example.com`;
  }

  async #codeFor(email: string): Promise<string> {
    await this.#service.client().post('/v1/auth/request-code', { email });
    return codeIn(await this.#service.inbox.latest(email));
  }
}

interface Listed {
  readonly id: string;
  readonly status: string;
}

interface ListedSite extends Listed {
  readonly slug: string;
  readonly source: string;
  readonly signed: boolean;
  readonly presets_only: boolean;
}

/** A body and the type that it says to be of; null: it does not say. */
interface HostileBody {
  readonly what: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string | null;
}

const json = 'application/json';
const limit = 64 * 1024;

const ajv = new Ajv2020({ strict: false });
addFormats(ajv);

/** Text in the place of a value, so that what no serializer writes can be sent too. */
const hostileValues: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('null', 'true', '0', '-0', '1e400', '-1e400', '5e-324', '9007199254740993', '[]'),
  fc.constantFrom('{}', '""', '[[]]', '{"__proto__":{"a":1}}', '{"constructor":{"prototype":1}}'),
  fc.constantFrom('"\\ud800"', '"\\udc00\\ud800"', '"\\u0000"', '"\\u202e"', '"\\uffff"', '1.5'),
  fc.constant(JSON.stringify('x'.repeat(60_000))),
  fc.constant(`${'['.repeat(9000)}${']'.repeat(9000)}`),
  fc.constant(`${'{"a":'.repeat(9000)}1${'}'.repeat(9000)}`),
  fc.jsonValue().map((value) => JSON.stringify(value)),
  anyText.map((text) => JSON.stringify(text)),
);

const otherTypes = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/jsonp',
  'application/merge-patch+json',
  'json',
  '*/*',
  'multipart/form-data',
  `multipart/form-data; boundary=${'b'.repeat(5000)}`,
];

/**
 * Bodies that are wrong in some way, or look so.
 * @param example an object that is right
 */
export function hostileBodies(
  example: Readonly<Record<string, unknown>>,
): fc.Arbitrary<HostileBody> {
  const right = JSON.stringify(example);
  const names = [...Object.keys(example), '__proto__', 'constructor', 'toString', ''];
  const inJson = (what: string, bytes: Uint8Array | string): HostileBody => ({
    ...{ what, bytes: bytesOf(bytes), type: json },
  });
  return fc.oneof(
    // values of any kind for members known and unknown, given once or twice
    fc
      .array(fc.tuple(fc.constantFrom(...names), hostileValues), { minLength: 1, maxLength: 3 })
      .map((members) => {
        const added = members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join();
        const text = right === '{}' ? `{${added}}` : `${right.slice(0, -1)},${added}}`;
        return inJson('hostile members', text);
      }),
    fc.constantFrom(...names).map((missing) => {
      const left = Object.entries(example).filter(([name]) => name !== missing);
      return inJson(`without "${missing}"`, JSON.stringify(Object.fromEntries(left)));
    }),
    hostileValues.map((text) => inJson('no object', text)),
    fc.constant(inJson('in an array', `[${right}]`)),
    fc.nat({ max: right.length }).map((end) => inJson('cut short', right.slice(0, end))),
    fc.uint8Array({ maxLength: 40 }).map((noise) => inJson('noise', noise)),
    fc.nat({ max: right.length }).map((at) => {
      const bytes = [Buffer.from(right.slice(0, at)), [0xc3, 0x28], Buffer.from(right.slice(at))];
      return inJson('not UTF-8', Uint8Array.from(bytes.flatMap((part) => [...part])));
    }),
    fc.constant(inJson('with a byte order mark', `\ufeff${right}`)),
    fc.constant(inJson('UTF-16', Buffer.from(right, 'utf16le'))),
    fc.constantFrom(-1, 0, 1, limit).map((more) => inJson('near the limit', padded(right, more))),
    fc
      .constantFrom(null, ...otherTypes)
      .map((type) => ({ what: 'typed', bytes: bytesOf(right), type })),
  );
}

/** Whether a body is one that the document allows: then it may still be refused, otherwise it must. */
export function isAllowed(schema: Schema, { bytes, type }: HostileBody): boolean {
  if (bytes.length > limit || (bytes.length > 0 && type !== json)) return false;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes);
    return ajv.validate(schema, bytes.length === 0 ? {} : JSON.parse(text));
  } catch {
    return false;
  }
}

function padded(text: string, more: number): string {
  return text + ' '.repeat(limit + more - Buffer.byteLength(text));
}

function bytesOf(content: Uint8Array | string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(content));
}

/** Where the inside of a service shows, and what it must not let out. */
const leaks = [
  /\bat .*\.(?:ts|js):\d/,
  /\b(?:SQLITE|D1_ERROR|D1_EXEC|constraint failed)\b/,
  /\b(?:SELECT|INSERT INTO|UPDATE|DELETE FROM)\b .*\b(?:FROM|VALUES|SET|WHERE)\b/,
  /\b(?:TypeError|RangeError|SyntaxError|ZodError)\b/,
  /sk_test_|whsec_/,
];
const secrets = [...keySecrets.split(',').map((pair) => pair.split(':')[1] ?? ''), webhookSecret];

/**
 * Checks what every answer of the API has to have, whatever was asked; that it fits the document has
 * been checked where it came in. Returns its text.
 */
export async function expectSound(response: Response, operation: ApiOperation): Promise<string> {
  const text = Buffer.from(await response.arrayBuffer()).toString('latin1');
  const { status, headers } = response;
  const said = `${operation.name} ${status}: ${text.slice(0, 300)}`;
  expect(status, said).toBeLessThan(500);
  expect(headers.get('Request-Id'), said).toMatch(/^[0-9a-f-]{36}$/);
  expect(headers.get('X-Content-Type-Options'), said).toBe('nosniff');
  expect(headers.get('X-Frame-Options'), said).toBe('DENY');
  expect(headers.get('Content-Security-Policy'), said).toMatch(/default-src 'none'.*sandbox/);
  expect(headers.has('Server') || headers.has('X-Powered-By'), said).toBe(false);
  const isPersonal = operation.credential !== null || operation.path.startsWith('/v1/auth/');
  if (isPersonal || status >= 400) expect(headers.get('Cache-Control'), said).toBe('no-store');
  if (status >= 400) expect(headers.get('Content-Type'), said).toBe('application/problem+json');
  const all = `${JSON.stringify([...headers])}\n${text}`;
  for (const leak of leaks) expect(all).not.toMatch(leak);
  for (const secret of secrets) expect(all).not.toContain(secret);
  return text;
}
