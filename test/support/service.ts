import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTestHarness, experimental_readRawConfig, type TestHarness } from 'wrangler';
import { makeLocalKey } from '../../scripts/local/database.ts';
import { pseudonym } from '../../src/access/hashing.ts';
import { bundleFolder } from './bundled-worker.ts';
import { Client, Inbox } from './client.ts';
import { Meters } from './meters.ts';
import { checkedFetch } from './openapi-checker.ts';
import { secretText, tokenSecrets } from './tokens.ts';

const root = join(import.meta.dirname, '../..');

/** Two versions, because secrets are rotated: the second one only decrypts. */
export const keySecrets = secretText(['2', 2], ['1', 1]);

const codeSecret = Buffer.alloc(32, 5);

/** The pseudonym under which an address is counted. */
export function addressOf(email: string): Promise<string> {
  return pseudonym('address', email, Uint8Array.from(codeSecret));
}

export interface TestService {
  /** Fails if the response does not match the OpenAPI document; so do requests of `client`. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** POST /v1/optimize with the service's default key. */
  optimize(body: BodyInit, query?: string, headers?: Record<string, string>): Promise<Response>;
  /** The API key that `optimize` sends. */
  readonly key: string;
  readonly url: URL;
  readonly database: D1Database;
  readonly kv: KVNamespace;
  /** The meters, which keep quota and counts. */
  readonly meters: Meters;
  /** The mails that the service has sent. */
  readonly inbox: Inbox;
  /** A new visitor. */
  client(ip?: string): Client;
  /** A new visitor who has signed in with this normalized address. */
  signedIn(email: string): Promise<Client>;
  /** Another key, of the user with this normalized address. */
  keyOf(email: string): Promise<string>;
  /** Shifts all code requests and tries for this normalized address into the past. */
  age(email: string, milliseconds: number): Promise<void>;
  /** Runs the scheduled work, as if it were the given time. */
  tidy(at?: Date): Promise<void>;
  /** The log of the Worker. */
  logs(): string;
  /** Stops the service, and fails if its log contains anything private: no test may cause that. */
  close(): Promise<void>;
}

/** Starts the bundle in workerd, with its own database. */
export async function startTestService(
  vars: Record<string, string> = {},
  secrets: Record<string, string> = {},
): Promise<TestService> {
  return serviceIn(createTestHarness({ workers: [serviceWorker(vars, secrets)] }));
}

let shared: Promise<TestHarness> | undefined;

/**
 * A service with default settings that the test files of one worker share, because to start one takes two seconds of
 * computing. So each file needs e-mail addresses of its own, and what it counts in the database has to be its own.
 */
export async function sharedTestService(): Promise<TestService> {
  shared ??= started(createTestHarness({ workers: [serviceWorker()] }));
  const harness = await shared;
  harness.clearLogs();
  const tester = `tester-${randomUUID()}@example.com`;
  return { ...(await serviceOf(harness, tester)), close: async () => demandCleanLogs(harness) };
}

/** The service with a bucket for uploads and results of Tinify's clients. */
export async function startServiceWithBucket(
  vars: Record<string, string> = {},
): Promise<TestService & { readonly bucket: R2Bucket }> {
  const worker = { ...serviceWorker(vars), configPath: configWithBucket() };
  const harness = createTestHarness({ workers: [worker] });
  const service = await serviceIn(harness);
  const { OUTPUTS } = await harness.getWorker<{ OUTPUTS: R2Bucket }>().getEnv();
  return { ...service, bucket: OUTPUTS };
}

/** The path of a wrangler.toml with a bucket; next to the original, because its paths are relative. */
function configWithBucket(): string {
  const { rawConfig } = experimental_readRawConfig({ config: join(root, 'wrangler.toml') });
  const outputs = { binding: 'OUTPUTS', bucket_name: 'outputs' };
  const r2_buckets = [...(rawConfig.r2_buckets ?? []), outputs];
  const path = join(root, 'wrangler.bucket.json');
  writeFileSync(path, JSON.stringify({ ...rawConfig, r2_buckets }));
  return path;
}

export interface ServiceWithMailStandIn extends TestService {
  /** Makes the mail provider refuse all mails with this error code; null ends that. */
  refuseMails(code: string | null): Promise<void>;
}

/** The service with a mail provider that can be made to refuse mails. */
export async function startServiceWithMailStandIn(
  vars: Record<string, string> = {},
): Promise<ServiceWithMailStandIn> {
  const harness = harnessWithStandIn('EMAIL', 'mail-stand-in', vars, {
    send_email: [{ name: 'EMAIL' }],
  });
  const service = await serviceIn(harness);
  const provider = await harness
    .getWorker<Record<string, unknown>, typeof import('./mail-stand-in.ts')>('mail-stand-in')
    .getExport();
  return {
    ...service,
    refuseMails: async (code) => {
      await provider.refuse(code);
    },
  };
}

export interface ServiceWithLaggingKv extends TestService {
  /** With true, KV responds in all locations with the data at the time of this call; false ends that. */
  lag(isLagging: boolean): Promise<void>;
}

/** The service with a KV namespace that can be made to lag. */
export async function startServiceWithLaggingKv(): Promise<ServiceWithLaggingKv> {
  const harness = harnessWithStandIn(
    'KV',
    'lagging-kv',
    {},
    {
      kv_namespaces: [{ binding: 'KV' }],
    },
  );
  const service = await serviceIn(harness);
  const kv = await harness
    .getWorker<Record<string, unknown>, typeof import('./lagging-kv.ts')>('lagging-kv')
    .getExport();
  return {
    ...service,
    lag: async (isLagging) => {
      await kv.lag(isLagging);
    },
  };
}

/**
 * The service with a Worker of this folder in place of a binding.
 * @param bindings bindings of that Worker
 */
function harnessWithStandIn(
  binding: string,
  name: string,
  vars: Record<string, string>,
  bindings: object,
): TestHarness {
  const main = join(import.meta.dirname, `${name}.ts`);
  return createTestHarness({
    workers: [
      { ...serviceWorker(vars), bindingOverrides: { [binding]: name } },
      { config: { name, main, compatibility_date: '2026-11-01', ...bindings } },
    ],
  });
}

function serviceWorker(vars: Record<string, string> = {}, secrets: Record<string, string> = {}) {
  return {
    configPath: join(root, 'wrangler.toml'),
    prebuiltWorkerDir: bundleFolder,
    vars: {
      FREE_FILES_PER_MONTH: '100000',
      ALLOWED_EMAIL_DOMAINS: 'gmail.com, example.com, münchen.example',
      ...vars,
    },
    secrets: {
      CODE_SECRET: codeSecret.toString('base64'),
      KEY_SECRETS: keySecrets,
      TOKEN_SECRETS: tokenSecrets,
      ...secrets,
    },
  };
}

async function serviceIn(harness: TestHarness): Promise<TestService> {
  const service = await serviceOf(await started(harness), 'tester@example.com');
  const close = async () => {
    try {
      demandCleanLogs(harness);
    } finally {
      await harness.close();
    }
  };
  return { ...service, close };
}

/** Starts its Workers with an empty database. */
async function started(harness: TestHarness): Promise<TestHarness> {
  // By default, wrangler would print every mail, and request the machine's location from an external server.
  process.env.WRANGLER_LOG ??= 'error';
  process.env.CLOUDFLARE_CF_FETCH_ENABLED ??= 'false';
  await harness.listen();
  await harness.getWorker<Env>().applyD1Migrations('DB');
  return harness;
}

/** @param tester whose key `optimize` sends */
async function serviceOf(
  harness: TestHarness,
  tester: string,
): Promise<Omit<TestService, 'close'>> {
  const { url } = await harness.listen();
  const worker = harness.getWorker<Env>();
  const env = await worker.getEnv();
  const key = await makeLocalKey(env, tester);
  const request = (path: string, init?: RequestInit) => checkedFetch(new URL(path, url), init);
  const client = (ip?: string) => new Client(url, ip);
  return {
    url,
    key,
    database: env.DB,
    kv: env.KV,
    meters: new Meters(env),
    inbox: new Inbox(url),
    client,
    fetch: request,
    optimize: (body, query = '', headers = {}) =>
      request(`/v1/optimize${query}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, ...headers },
        body,
      }),
    signedIn: async (email) => {
      const visitor = client();
      await visitor.signIn(email);
      return visitor;
    },
    keyOf: (email) => makeLocalKey(env, email),
    age: async (email, milliseconds) => {
      const statements = [
        `UPDATE challenges SET created_at = created_at - ?2, expires_at = expires_at - ?2,
           sent_at = sent_at - ?2, ended_at = ended_at - ?2
         WHERE address = ?1`,
        `UPDATE code_tries SET tried_at = tried_at - ?2
         WHERE challenge_id IN (SELECT id FROM challenges WHERE address = ?1)`,
      ];
      const address = await addressOf(email);
      await env.DB.batch(statements.map((sql) => env.DB.prepare(sql).bind(address, milliseconds)));
    },
    tidy: async (scheduledTime = new Date()) => {
      await worker.scheduled({ cron: '17 * * * *', scheduledTime });
    },
    logs: () => logsOf(harness),
  };
}

function logsOf(harness: TestHarness): string {
  return JSON.stringify(harness.getLogs());
}

/** @throws Error if anything private was logged */
function demandCleanLogs(harness: TestHarness): void {
  const [leak] = secretPattern.exec(logsOf(harness)) ?? [];
  if (leak !== undefined) throw new Error(`in the log of the Worker: ${leak}`);
}

/** Text that no log may contain: an API key or the beginning of one, an e-mail address, the token of a cookie. */
export const secretPattern =
  /(?:sid|dev)_[0-9A-Za-z]{20}|fewer_[0-9A-Za-z]|[^\s"']+@(?:gmail|example)\.com|(?<![\w-])[\w-]{43}(?![\w-])/;
