import type { NamedBinding, Statement, StoreName } from './calls.ts';
import type { NodeServer } from './node-server.ts';

/**
 * The bindings of a service on Node, as far as tests use them, under the types of Workers: what is asked of them is done in
 * the server's process.
 * @param texts the variables and secrets of the service
 */
export function remoteBindings(server: NodeServer, texts: Readonly<Record<string, string>>): Env {
  const named = (binding: NamedBinding) => ({ getByName: objectOf(server, binding) });
  return {
    ...texts,
    DB: new RemoteDatabase(server),
    KV: remoteStore(server, 'KV'),
    RESULTS: remoteStore(server, 'RESULTS'),
    OUTPUTS: remoteStore(server, 'OUTPUTS'),
    METER: named('METER'),
    KEY_LOGS: named('KEY_LOGS'),
    RESULT_LEASES: named('RESULT_LEASES'),
  } as unknown as Env;
}

/** An object whose methods are called in the server. */
function objectOf(server: NodeServer, binding: NamedBinding) {
  return (name: string) =>
    new Proxy(
      {},
      {
        get: (_, method) =>
          // A promise would be asked for `then`.
          typeof method === 'string' && method !== 'then'
            ? (...values: unknown[]) => server.call('callNamed', binding, name, method, values)
            : undefined,
      },
    );
}

class RemoteDatabase {
  readonly #server: NodeServer;

  constructor(server: NodeServer) {
    this.#server = server;
  }

  prepare(sql: string): RemoteStatement {
    return new RemoteStatement(this, [sql, []]);
  }

  batch(statements: readonly RemoteStatement[]): Promise<D1Result[]> {
    return this.#server.call(
      'batch',
      statements.map(({ statement }) => statement),
    );
  }
}

class RemoteStatement {
  readonly statement: Statement;
  readonly #database: RemoteDatabase;

  constructor(database: RemoteDatabase, statement: Statement) {
    this.#database = database;
    this.statement = statement;
  }

  bind(...values: unknown[]): RemoteStatement {
    return new RemoteStatement(this.#database, [this.statement[0], values]);
  }

  async run(): Promise<D1Result> {
    const [result] = await this.#database.batch([this]);
    if (!result) throw new Error('a statement without a result');
    return result;
  }

  all(): Promise<D1Result> {
    return this.run();
  }

  async first(column?: string): Promise<unknown> {
    const { results } = await this.run();
    const row = (results[0] ?? null) as Record<string, unknown> | null;
    return column === undefined || row === null ? row : row[column];
  }
}

type Value = string | ArrayBuffer | Uint8Array;

interface ListOptions {
  readonly prefix?: string;
}

/** KV, or a bucket. */
function remoteStore(server: NodeServer, store: StoreName) {
  const isKv = store === 'KV';
  return {
    async get(key: string, form: 'text' | 'json' | 'arrayBuffer' = 'text') {
      const stored = await server.call('get', store, key);
      if (stored === null) return null;
      const { bytes, ...facts } = stored;
      const read = readable(bytes);
      return isKv
        ? read[form]()
        : { ...facts, ...read, body: new Blob([new Uint8Array(bytes)]).stream() };
    },
    put: (key: string, value: Value, options = {}) =>
      server.call('put', store, key, bytesOf(value), options),
    delete: (keys: string | string[]) => server.call('delete', store, [keys].flat()),
    async list({ prefix = '' }: ListOptions = {}) {
      const found = await server.call('list', store, prefix);
      return isKv
        ? { keys: found.map(({ key, expiration }) => ({ name: key, expiration })) }
        : { objects: found };
    },
  };
}

function readable(bytes: Uint8Array) {
  const text = async () => Buffer.from(bytes).toString();
  return {
    text,
    json: async () => JSON.parse(await text()) as unknown,
    arrayBuffer: async () => Uint8Array.from(bytes).buffer,
  };
}

function bytesOf(value: Value): Uint8Array {
  if (typeof value === 'string') return Buffer.from(value);
  return value instanceof Uint8Array ? value : new Uint8Array(value);
}
