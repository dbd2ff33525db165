import { randomUUID } from 'node:crypto';
import { makeLocalKey } from '../../scripts/local/database.ts';
import { pseudonym } from '../../src/access/hashing.ts';
import { Client, Inbox } from './client.ts';
import { type Home, type HomeSettings, isOnNode } from './home.ts';
import { Meters } from './meters.ts';
import { startOnNode } from './node/node-home.ts';
import { checkedFetch } from './openapi-checker.ts';
import { secretText, tokenSecrets } from './tokens.ts';
import { startInWorkerd } from './workerd-home.ts';

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
  /** The log of the service. */
  logs(): string;
  /** Stops the service, and fails if its log contains anything private: no test may cause that. */
  close(): Promise<void>;
}

/** Starts the service with its own database, in workerd or with `TARGET=node` on Node. */
export async function startTestService(
  vars: Record<string, string> = {},
  secrets: Record<string, string> = {},
): Promise<TestService> {
  return serviceIn(await start({ vars, secrets }));
}

/** By their settings, in JSON. */
const shared = new Map<string, Promise<Home>>();

/**
 * A service that the test files of one worker share with those that have the same settings, because to start one takes
 * two seconds of computing. So each file needs email addresses of its own, and what it counts in the database has to be
 * its own.
 */
export async function sharedTestService(vars: Record<string, string> = {}): Promise<TestService> {
  const settings = JSON.stringify(vars);
  const started = shared.get(settings) ?? start({ vars });
  shared.set(settings, started);
  const home = await started;
  home.clearLogs();
  const tester = `tester-${randomUUID()}@example.com`;
  return { ...(await serviceOf(home, tester)), close: async () => demandCleanLogs(home) };
}

/** The service with a bucket for uploads and results of Tinify's clients. */
export async function startServiceWithBucket(
  vars: Record<string, string> = {},
): Promise<TestService & { readonly bucket: R2Bucket }> {
  const home = await start({ vars, hasOutputs: true });
  // The types have only what every deployment has.
  const { OUTPUTS } = home.env as Env & { readonly OUTPUTS: R2Bucket };
  return { ...(await serviceIn(home)), bucket: OUTPUTS };
}

export interface ServiceWithMailStandIn extends TestService {
  /** Makes the mail provider refuse all mails with this error code; null ends that. */
  refuseMails(code: string | null): Promise<void>;
}

/** The service with a mail provider that can be made to refuse mails. */
export async function startServiceWithMailStandIn(
  vars: Record<string, string> = {},
): Promise<ServiceWithMailStandIn> {
  const home = await start({ vars, standIn: 'EMAIL' });
  return { ...(await serviceIn(home)), refuseMails: (code) => home.refuseMails(code) };
}

export interface ServiceWithLaggingKv extends TestService {
  /** With true, KV responds in all locations with the data at the time of this call; false ends that. */
  lag(isLagging: boolean): Promise<void>;
}

/** The service with a KV namespace that can be made to lag. */
export async function startServiceWithLaggingKv(): Promise<ServiceWithLaggingKv> {
  const home = await start({ standIn: 'KV' });
  return { ...(await serviceIn(home)), lag: (isLagging) => home.lagKv(isLagging) };
}

function start({ vars = {}, secrets = {}, ...others }: HomeSettings = {}): Promise<Home> {
  const settings = {
    ...others,
    vars: {
      FREE_FILES_PER_MONTH: '100000',
      ALLOWED_EMAIL_DOMAINS: 'gmail.com, example.com, münchen.example, *.campus.example',
      ...vars,
    },
    secrets: {
      CODE_SECRET: codeSecret.toString('base64'),
      KEY_SECRETS: keySecrets,
      TOKEN_SECRETS: tokenSecrets,
      ...secrets,
    },
  };
  return isOnNode ? startOnNode(settings) : startInWorkerd(settings);
}

async function serviceIn(home: Home): Promise<TestService> {
  const service = await serviceOf(home, 'tester@example.com');
  const close = async () => {
    try {
      demandCleanLogs(home);
    } finally {
      await home.close();
    }
  };
  return { ...service, close };
}

/** @param tester whose key `optimize` sends */
async function serviceOf(home: Home, tester: string): Promise<Omit<TestService, 'close'>> {
  const { url, env } = home;
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
      await home.hourly(scheduledTime);
    },
    logs: () => home.logs(),
  };
}

/** @throws Error if anything private was logged */
function demandCleanLogs(home: Home): void {
  const [leak] = secretPattern.exec(home.logs()) ?? [];
  if (leak !== undefined) throw new Error(`in the log of the service: ${leak}`);
}

/** Text that no log may contain: an API key or the beginning of one, an email address, the token of a cookie. */
export const secretPattern =
  /(?:sid|dev)_[0-9A-Za-z]{20}|fewer_[0-9A-Za-z]|[^\s"']+@(?:gmail|example)\.com|(?<![\w-])[\w-]{43}(?![\w-])/;
