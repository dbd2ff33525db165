import { type Client, someIp } from './client.ts';
import { codeIn } from './inbox.ts';
import { createKey } from './key-record.ts';
import { isObject } from './openapi-document.ts';
import { checkedFetch } from './openapi-fetch.ts';
import type { ApiOperation } from './operations.ts';
import type { TestService } from './service.ts';
import { signed } from './stripe-events.ts';

/** Whether a body is believed for its signature, whatever it is. */
export function isVouchedFor({ parameters }: ApiOperation): boolean {
  return parameters.some(({ name }) => name === 'Stripe-Signature');
}

/** What fills the places of a request; what is not named is as it should be. */
export interface Filling {
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
  #session: { client: Client; email: string; keyId: string } | undefined;
  #users = 0;
  /** Whether the last request cannot have ended the session, the user or the key. */
  #isCertain = false;

  /** @param pictureUrl where the service may fetch one */
  constructor(service: TestService, pictureUrl: string) {
    this.#service = service;
    this.#pictureUrl = pictureUrl;
  }

  /** The answer, which is one that the document has. */
  async send(operation: ApiOperation, filling: Filling = {}): Promise<Response> {
    const { parameters = {}, body = null, credentials = 'good' } = filling;
    const headers: Record<string, string> = { 'CF-Connecting-IP': someIp() };
    if (body?.type) headers['Content-Type'] = body.type;
    if (credentials === 'good') Object.assign(headers, await this.#credentials(operation));
    if (credentials === 'bad') {
      Object.assign(headers, { Cookie: 'sid=\'"; challenge=%00', Authorization: 'Bearer imgo_x' });
    }
    const isSigned = credentials === 'good' && isVouchedFor(operation);
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
      ...('width' in bodyExample && { width: 20, height: 20, background: '#ffffff', quality: 60 }),
    };
    const entries = Object.entries(bodyExample);
    return Object.fromEntries(entries.map(([name, value]) => [name, named[name] ?? value]));
  }

  /** What has no place in the path becomes a query. */
  async #path({ path }: ApiOperation, given: Readonly<Record<string, string>>): Promise<string> {
    const { keyId } = await this.#present();
    const query = Object.entries(given)
      .filter(([name]) => !path.includes(`{${name}}`))
      .map(([name, value]) => `${name}=${value}`);
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => given[name] ?? keyId);
    return query.length > 0 ? `${filled}?${query.join('&')}` : filled;
  }

  async #credentials({ credential }: ApiOperation): Promise<Record<string, string>> {
    if (credential === 'apiKey') return { Authorization: `Bearer ${this.#service.key}` };
    if (credential === null) return {};
    const { client } = await this.#present();
    return { Cookie: `sid=${client.cookie('sid')}` };
  }

  /** The user, who may have been signed out or deleted by the last request, with an active key. */
  async #present() {
    if (this.#session && this.#isCertain) return this.#session;
    this.#isCertain = true;
    const alive = await this.#session?.client.get('/v1/keys');
    const listed = alive?.ok ? ((await alive.json()) as { items: Listed[] }).items : null;
    const active = listed?.filter(({ status }) => status === 'active') ?? [];
    if (this.#session && listed && listed.length < 40) {
      const keyId = active[0]?.id ?? (await createKey(this.#session.client, { name: 'next' })).id;
      this.#session = { ...this.#session, keyId };
      return this.#session;
    }
    const email = this.#newAddress();
    const client = await this.#service.signedIn(email);
    const keyId = (await createKey(client, { name: 'first' })).id;
    this.#session = { client, email, keyId };
    return this.#session;
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
