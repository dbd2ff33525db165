import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { freePort } from '../../scripts/local/free-port.ts';
import type { ErrorCode } from '../../src/errors.ts';
import { expectProblem, type Problem } from './answers.ts';
import { Client, createKey, keyOf as keyIn } from './client.ts';
import { startLocalService } from './local-service.ts';
import { checkedFetch } from './openapi-checker.ts';
import { secretPattern } from './service.ts';

export interface FetchingService {
  readonly origin: string;
  /** A server from which the service may fetch images. */
  readonly foreign: ForeignServer;
  /** An allowed URL at which nobody listens. */
  readonly nobody: string;
  /** POST /v1/optimize with JSON. */
  optimize(body: unknown, init?: { key?: string; signal?: AbortSignal }): Promise<Response>;
  /** The error for an image URL, after checking that it reveals nothing about the URL or its response. */
  failure(url: string, code: ErrorCode, key?: string): Promise<Problem>;
  /** POST /v1/optimize with bytes, as another user. */
  upload(body: Uint8Array<ArrayBuffer>): Promise<Response>;
  /** Another user's key. */
  keyOf(email: string): Promise<string>;
  /** Gives its bindings to work in this process. */
  bindings<Result>(work: (env: Env) => Promise<Result>): Promise<Result>;
  /** Runs the scheduled work, as if it were the given time. */
  tidy(at: Date): Promise<void>;
  /** Stops everything, and fails if its log contains anything private, or a URL. */
  close(): Promise<void>;
}

/**
 * The service in a process of its own, and a server from which it fetches. The harness of the other tests fetches in its
 * own process on the Worker's behalf, and follows redirects there.
 */
export async function startFetchingService(
  vars: Readonly<Record<string, string>> = {},
): Promise<FetchingService> {
  const stateDirectory = await mkdtemp(join(tmpdir(), 'fewerbytes-fetching-'));
  const foreign = new ForeignServer();
  await foreign.start();
  const deadPort = await freePort();
  const privateSources = [
    `127.0.0.1:${foreign.port}`,
    `localhost:${foreign.port}`,
    `127.0.0.1:${deadPort}`,
  ];
  const service = await startLocalService({
    stateDirectory,
    vars: {
      PRIVATE_SOURCES: privateSources.join(),
      ALLOWED_EMAIL_DOMAINS: 'gmail.com, example.com',
      ...vars,
    },
  });
  const { origin, bindings } = service;
  const keyOf = async (email: string) => {
    const client = new Client(origin);
    await client.signIn(email);
    return keyIn(await createKey(client, { name: 'a' }));
  };
  const ownKey = await keyOf('tester@example.com');
  const otherKey = await keyOf('other@example.com');
  const optimize: FetchingService['optimize'] = (body, { key = ownKey, signal } = {}) =>
    checkedFetch(new URL('/v1/optimize', origin), {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
  return {
    origin,
    foreign,
    nobody: `http://127.0.0.1:${deadPort}/photo.jpg`,
    keyOf,
    bindings,
    tidy: (at) => service.hourly(at),
    optimize,
    failure: async (url, code, key) => {
      const response = await optimize({ url: `${url}?token=hidden` }, key ? { key } : {});
      const problem = await expectProblem(response, code);
      const said = JSON.stringify(problem).replace(origin, '');
      expect(said).not.toMatch(/hidden|foreign words|127\.|localhost/);
      return problem;
    },
    upload: (body) =>
      checkedFetch(new URL('/v1/optimize', origin), {
        method: 'POST',
        headers: { Authorization: `Bearer ${otherKey}` },
        body,
      }),
    close: async () => {
      await service.stop();
      await foreign.stop();
      await rm(stateDirectory, { recursive: true, maxRetries: 5 });
      const [leak] =
        new RegExp(`${secretPattern.source}|127\\.0\\.0\\.1:${foreign.port}`).exec(
          service.output(),
        ) ?? [];
      if (leak !== undefined) throw new Error(`in the log of the service: ${leak}`);
    },
  };
}

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** A foreign web server, with images and all kinds of faults. */
export class ForeignServer {
  readonly #answers = new Map<string, Answer>();
  /** Every request received. */
  readonly asked: IncomingMessage[] = [];
  readonly #server = createServer((request, response) => {
    this.asked.push(request);
    const path = request.url?.split('?', 1)[0] ?? '';
    const answer = this.#answers.get(path);
    if (answer) answer(response, request);
    else response.writeHead(404).end('no-such-image');
  });
  #port = 0;

  async start(): Promise<void> {
    this.#server.listen(0);
    await once(this.#server, 'listening');
    const address = this.#server.address();
    if (address !== null && typeof address === 'object') this.#port = address.port;
  }

  get port(): number {
    return this.#port;
  }

  /** The URL of a path of this server. */
  at(path: string): string {
    return `http://127.0.0.1:${this.#port}${path}`;
  }

  /** Sets the handler of a path. */
  on(path: string, answer: Answer): string {
    this.#answers.set(path, answer);
    return this.at(path);
  }

  /** A response in one piece. */
  serve(path: string, body: Uint8Array, headers: Record<string, string> = {}): string {
    return this.on(path, (response) => response.writeHead(200, headers).end(body));
  }

  redirect(path: string, location: string, status = 302): string {
    return this.on(path, (response) => {
      response.writeHead(status, { Location: location }).end('moved');
    });
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
