/**
 * The service on Node in a process of its own, for tests: the server that was built, with the settings of the environment.
 * It does what `ServerCalls` lists, and passes on what is logged.
 */
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { inspect } from 'node:util';
import workerThreads, { Worker } from 'node:worker_threads';
import { root } from '../../../scripts/local/root.ts';
import { hourlyWork } from '../../../src/hourly.ts';
import type { startServer } from '../../../src/node/server.ts';
import type {
  KVNamespace,
  Platform,
  R2Bucket,
  R2Listed,
  R2Object,
  SendEmail,
} from '../../../src/platform.ts';
import type { Call, Message, ServerCalls, StoreName } from './calls.ts';

const tell = (message: Message) => {
  if (process.connected) process.send?.(message);
};

for (const level of ['log', 'info', 'warn', 'error'] as const) {
  const print = console[level];
  console[level] = (...values: unknown[]) => {
    print(...values);
    const words = values.map((it) =>
      typeof it === 'string' ? it : inspect(it, { compact: false, breakLength: 80 }),
    );
    tell({ kind: 'logged', level, message: words.join(' ') });
  };
}

/** The clock of the system, and how far ahead this process believes it to be. */
const SystemDate = Date;
let ahead = 0;
globalThis.Date = class extends SystemDate {
  constructor(...values: []) {
    super(...((values.length === 0 ? [SystemDate.now() + ahead] : values) as []));
  }

  static override now(): number {
    return SystemDate.now() + ahead;
  }
} as DateConstructor;

/** Threads that the server has started. */
const threads = new Set<Worker>();
workerThreads.Worker = class extends Worker {
  constructor(...values: ConstructorParameters<typeof Worker>) {
    super(...values);
    threads.add(this);
    this.once('exit', () => threads.delete(this));
  }
};
syncBuiltinESMExports();

type Started = Awaited<ReturnType<typeof startServer>>;

const built = (await import(join(root, 'dist/node/server.js'))) as {
  startServer: typeof startServer;
};
const server: Started = await built
  .startServer(process.env, { show: (text) => process.stdout.write(text), ask: null })
  .catch((error: Error) => {
    console.error(error.message);
    process.exit(1);
  });
const platform = server.platform as { -readonly [Name in keyof Platform]: Platform[Name] };

/** The code with which mails are refused; null if they are sent. */
let refusal: string | null = null;
/** Keys that were written since KV began to lag; null if it does not. */
let unseen: Set<string> | null = null;

platform.EMAIL = refusable(platform.EMAIL);
const kv = platform.KV;
platform.KV = lagging(kv);

function refusable(own: SendEmail): SendEmail {
  return {
    send(message) {
      if (refusal === null) return own.send(message);
      throw Object.assign(new Error('The mail provider refuses.'), { code: refusal });
    },
  };
}

/** As KV is for a minute in locations where a key was looked up before it was written. */
function lagging(own: KVNamespace): KVNamespace {
  return {
    get: async (key: string, ...form: []) => (unseen?.has(key) ? null : own.get(key, ...form)),
    put: async (key, value, expiry) => {
      unseen?.add(key);
      await own.put(key, value, expiry);
    },
    delete: async (key) => {
      if (unseen === null) await own.delete(key);
    },
  } as KVNamespace;
}

/** Longer than any test. */
const aDay = 86_400;

const calls: ServerCalls = {
  async batch(statements) {
    const bound = statements.map(([sql, values]) => platform.DB.prepare(sql).bind(...values));
    return (await platform.DB.batch(bound)) as D1Result[];
  },
  async get(store, key) {
    if (store === 'KV') {
      const body = await kv.get(key, 'stream');
      return body && { ...described({ key }), bytes: await bytesOf(body) };
    }
    const object = await bucket(store).get(key);
    return object && { ...described(object), bytes: await bytesOf(object.body) };
  },
  async put(store, key, value, { customMetadata, expirationTtl = aDay }) {
    const body = new Blob([new Uint8Array(value)]).stream();
    if (store === 'KV') await kv.put(key, body, { expirationTtl });
    else await bucket(store).put(key, body, customMetadata ? { customMetadata } : {});
  },
  async delete(store, keys) {
    if (store === 'KV') await Promise.all(keys.map((key) => kv.delete(key)));
    else await bucket(store).delete(keys);
  },
  async list(store, prefix) {
    if (store === 'KV') {
      const sql = `
        SELECT key, expires_at / 1000 AS expiration FROM kv
        WHERE substr(key, 1, length(?1)) = ?1 AND expires_at > ?2 ORDER BY key`;
      const found = platform.DB.prepare(sql).bind(prefix, Date.now());
      const { results } = await found.all<{ key: string; expiration: number }>();
      return results.map(({ key, expiration }) => ({ ...described({ key }), expiration }));
    }
    const objects: R2Listed[] = [];
    for (let cursor: string | undefined, isMore = true; isMore; ) {
      const page = await bucket(store).list({ prefix, limit: 1000, ...(cursor && { cursor }) });
      objects.push(...page.objects);
      isMore = page.truncated;
      cursor = page.truncated ? page.cursor : undefined;
    }
    return objects.map(described);
  },
  async callNamed(binding, name, method, values) {
    const named = platform[binding].getByName(name) as Record<
      string,
      (...values: unknown[]) => unknown
    >;
    return named[method]?.(...values);
  },
  hourly: (now) => hourlyWork(platform, now),
  async refuseMails(code) {
    refusal = code;
  },
  async lagKv(isLagging) {
    unseen = isLagging ? new Set() : null;
  },
  async dropBucket(name) {
    delete platform[name];
  },
  async setClockAhead(milliseconds) {
    ahead = milliseconds;
  },
  async killThread() {
    const [thread] = threads;
    if (!thread) throw new Error('there is no thread');
    await thread.terminate();
  },
  async heldBytes() {
    for (let i = 0; i < 3; i += 1) {
      globalThis.gc?.();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const { heapUsed, external, arrayBuffers } = process.memoryUsage();
    return heapUsed + external + arrayBuffers;
  },
  async stop() {
    await server.stop(0);
    setImmediate(() => process.exit(0));
  },
};

function bucket(store: Exclude<StoreName, 'KV'>): R2Bucket {
  const found = platform[store];
  if (!found) throw new Error(`no bucket ${store}`);
  return found;
}

function described({
  key,
  size = 0,
  uploaded = new Date(0),
  customMetadata = {},
}: Partial<R2Object>) {
  return { key: key ?? '', size, uploaded, customMetadata };
}

async function bytesOf(body: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(body as never).arrayBuffer());
}

process.on('message', async ({ id, method, values }: Call) => {
  try {
    const work = calls[method] as (...values: readonly unknown[]) => Promise<unknown>;
    tell({ kind: 'answer', id, result: await work(...values) });
  } catch (error) {
    tell({ kind: 'failure', id, error: error instanceof Error ? error.message : String(error) });
  }
});
// Whoever has started it is gone.
process.on('disconnect', () => process.exit(1));
tell({ kind: 'listening', origin: server.origin });
