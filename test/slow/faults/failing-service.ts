import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { expectProblem } from '../../support/answers.ts';
import { Client, createKey, keyOf, listKeys } from '../../support/client.ts';
import { checkedFetch } from '../../support/openapi-checker.ts';
import { plainPicture } from '../../support/pictures.ts';
import { RestartableService } from '../../support/restartable-service.ts';
import { contradictions } from './contradictions.ts';

/** What the health check says when no part is away. */
export const isWell = { status: 200, body: { status: 'ok' } };

const email = 'patient@gmail.com';

/** A service whose parts are taken away, with one customer, who is signed in and has a key. */
export class FailingService {
  readonly email = email;
  readonly parts: RestartableService;
  readonly client: Client;
  /** A picture that is charged. */
  readonly photo: Uint8Array<ArrayBuffer>;
  readonly #key: string;

  private constructor(
    parts: RestartableService,
    client: Client,
    photo: Uint8Array<ArrayBuffer>,
    key: string,
  ) {
    this.parts = parts;
    this.client = client;
    this.photo = photo;
    this.#key = key;
  }

  /** @param place settings, and a folder for its data */
  static async start(
    ...place: Parameters<typeof RestartableService.start>
  ): Promise<FailingService> {
    const photo = await plainPicture(500, 400).jpeg({ quality: 97 }).toBuffer();
    const parts = await RestartableService.start(...place);
    const client = new Client(parts.origin);
    await client.signIn(email);
    const key = keyOf(await createKey(client, { name: 'a' }));
    return new FailingService(parts, client, Uint8Array.from(photo), key);
  }

  /** Whatever failed, the books have to agree at the end. */
  async close(): Promise<void> {
    expect(this.parts.database.open(contradictions)).toEqual([]);
    await this.parts.close();
  }

  /** Someone who has not signed in. */
  visitor(): Client {
    return new Client(this.parts.origin);
  }

  url(path: string): URL {
    return new URL(path, this.parts.origin);
  }

  fetchWithKey(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { Authorization: `Bearer ${this.#key}` };
    return checkedFetch(this.url(path), { ...init, headers });
  }

  optimize(): Promise<Response> {
    return this.fetchWithKey('/v1/optimize', { method: 'POST', body: this.photo });
  }

  /** Of the customer's only key. */
  async keyId(): Promise<string> {
    const [record] = await listKeys(this.client);
    return record?.id ?? '';
  }

  /** Free files that the customer has used, as the service says. */
  async used(): Promise<number> {
    const response = await this.client.get('/v1/me');
    expect(response.status).toBe(200);
    const { free_quota } = (await response.json()) as { free_quota: { used: number } };
    return free_quota.used;
  }

  /** What the health check says once it does not repeat what it had found before. */
  async health(): Promise<unknown> {
    await pause(5000);
    const response = await checkedFetch(this.url('/v1/health'));
    return { status: response.status, body: await response.json() };
  }
}

/** An answer that says what to do, and nothing of what is broken. */
export async function expectPartAway(response: Response): Promise<void> {
  const text = await response.clone().text();
  expect(text).not.toMatch(/SQL|D1_|\bKV\b|\btable\b|locked|busy|\bat \w+ \(/i);
  expect(response.headers.get('Retry-After')).toBe('2');
  await expectProblem(response, 'overloaded');
}
