import { expect } from 'vitest';

/** An error as clients of Tinify read it. */
interface WireError {
  readonly error: string;
  readonly message: string;
}

/** A minimal client of Tinify's wire format, with one key. */
export class WireClient {
  readonly #origin: string;
  readonly authorization: string;

  constructor(origin: URL | string, key: string) {
    this.#origin = new URL(origin).origin;
    this.authorization = `Basic ${Buffer.from(`api:${key}`).toString('base64')}`;
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(new URL(path, this.#origin), {
      redirect: 'manual',
      ...init,
      headers: { Authorization: this.authorization, ...init.headers },
    });
  }

  shrink(body: BodyInit, headers: Record<string, string> = {}): Promise<Response> {
    return this.fetch('/shrink', { method: 'POST', body, headers });
  }

  /** Sends an image; returns the URL of its result. */
  async upload(body: BodyInit): Promise<string> {
    const response = await this.shrink(body);
    expect(response.status, await response.clone().text()).toBe(201);
    return response.headers.get('Location') ?? '';
  }

  /** Fetches a result: the immediate one, or one with commands. */
  output(location: string, commands?: object): Promise<Response> {
    const body = commands && JSON.stringify(commands);
    return this.fetch(location, body === undefined ? {} : { method: 'POST', body });
  }

  /** The bytes of a result. */
  async result(location: string, commands?: object): Promise<Uint8Array<ArrayBuffer>> {
    const response = await this.output(location, commands);
    expect(response.status).toBe(200);
    return new Uint8Array(await response.arrayBuffer());
  }
}

/** Checks the status and the name of an error, and returns its message. */
export async function expectWireError(
  response: Response,
  status: number,
  error: string,
): Promise<string> {
  const text = await response.text();
  expect([response.status, response.headers.get('Content-Type')], text).toEqual([
    status,
    'application/json',
  ]);
  const body: WireError = JSON.parse(text);
  expect(Object.keys(body).sort()).toEqual(['error', 'message']);
  expect(body.error).toBe(error);
  expect(body.message).not.toBe('');
  return body.message;
}
