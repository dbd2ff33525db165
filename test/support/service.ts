import { join } from 'node:path';
import { createTestHarness, type TestHarness } from 'wrangler';
import { makeLocalKey } from '../../scripts/local/key.ts';

const root = join(import.meta.dirname, '../..');

export interface TestService {
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** POST /v1/optimize with the service's default key. */
  optimize(body: BodyInit, query?: string, headers?: Record<string, string>): Promise<Response>;
  /** The API key that `optimize` sends. */
  readonly key: string;
  readonly url: URL;
  readonly database: D1Database;
  /** Another key, of the user with this normalized address. */
  keyOf(email: string): Promise<string>;
  /** What the Worker has logged. */
  logs(): string;
  close(): Promise<void>;
}

/** The true bundle in workerd, with a database of its own. */
export async function startTestService(vars: Record<string, string> = {}): Promise<TestService> {
  const harness: TestHarness = createTestHarness({
    workers: [
      {
        configPath: join(root, 'wrangler.toml'),
        vars: { FREE_FILES_PER_MONTH: '100000', ...vars },
        secrets: { KEY_SECRETS: `1:${Buffer.alloc(32, 7).toString('base64')}` },
      },
    ],
  });
  const { url } = await harness.listen();
  const worker = harness.getWorker<Env>();
  await worker.applyD1Migrations('DB');
  const env = await worker.getEnv();
  const key = await makeLocalKey(env, 'tester@example.com');
  const request = async (path: string, init: RequestInit = {}) => fetch(new URL(path, url), init);
  return {
    url,
    key,
    database: env.DB,
    fetch: request,
    optimize: (body, query = '', headers = {}) =>
      request(`/v1/optimize${query}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, ...headers },
        body,
      }),
    keyOf: (email) => makeLocalKey(env, email),
    logs: () => JSON.stringify(harness.getLogs()),
    close: () => harness.close(),
  };
}
