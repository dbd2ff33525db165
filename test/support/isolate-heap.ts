import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';

const reply = z.object({
  id: z.number(),
  result: z
    .object({
      usedSize: z.number().default(0),
      embedderHeapUsedSize: z.number().default(0),
      backingStorageSize: z.number().default(0),
    })
    .optional(),
});

type Reply = z.infer<typeof reply>;

const snapshotChunk = z.object({
  method: z.literal('HeapProfiler.addHeapSnapshotChunk'),
  params: z.object({ chunk: z.string() }),
});

/** What is read of a heap snapshot: `nodes` holds the fields of one node after those of another. */
const heapSnapshot = z.object({
  snapshot: z.object({
    meta: z.object({
      node_fields: z.array(z.string()),
      node_types: z.tuple([z.array(z.string())]).rest(z.unknown()),
    }),
  }),
  nodes: z.array(z.number()),
});

/** Node's WebSockets also accept headers (undici); wrangler requires a user agent. */
const Socket = WebSocket as unknown as new (
  url: string,
  settings: { readonly headers: Record<string, string> },
) => WebSocket;

/** The origins of a service and of its inspector. */
interface Inspected {
  readonly origin: string;
  readonly inspectorPort: number;
}

/** A single collection leaves objects that only it makes unreachable, and recently used code. */
const collectionCount = 4;

/**
 * The heap of the Worker's own isolate, seen through the inspector of `wrangler dev`. The memory of the process does
 * not show what a Worker retains: the local runtime itself retains some ten KiB per request, even for requests that
 * only pass through wrangler's own proxy.
 */
export class IsolateHeap {
  readonly #socket: WebSocket;
  readonly #health: URL;
  readonly #waiting = new Map<number, (value: Reply) => void>();
  #chunks: string[] = [];
  #asked = 0;

  private constructor(socket: WebSocket, origin: string) {
    this.#socket = socket;
    this.#health = new URL('/v1/health', origin);
    socket.addEventListener('message', ({ data }) => {
      const message = z.union([reply, snapshotChunk]).safeParse(JSON.parse(String(data)));
      if (!message.success) return; // another event
      if ('method' in message.data) {
        this.#chunks.push(message.data.params.chunk);
      } else {
        this.#waiting.get(message.data.id)?.(message.data);
        this.#waiting.delete(message.data.id);
      }
    });
  }

  static async connect({ origin, inspectorPort }: Inspected): Promise<IsolateHeap> {
    const headers = { Origin: `http://localhost:${inspectorPort}` };
    const socket = new Socket(`ws://localhost:${inspectorPort}/ws`, { headers });
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener('open', () => resolve());
      socket.addEventListener('error', () => reject(new Error('The inspector does not answer.')));
    });
    return new IsolateHeap(socket, origin);
  }

  /**
   * Bytes still held after garbage collection: objects, the runtime's data for them, and array buffers. Compiled code is
   * not included: it grows until all functions have run often, and there is an end to that. Neither is the WebAssembly
   * memory of the codecs; the ledger bounds that.
   */
  async held(): Promise<number> {
    await this.#ask('HeapProfiler.enable');
    for (let i = 0; i < collectionCount; i += 1) await this.#ask('HeapProfiler.collectGarbage');
    this.#chunks = [];
    await this.#ask('HeapProfiler.takeHeapSnapshot');
    const code = codeBytes(this.#chunks.join(''));
    const { result } = await this.#ask('Runtime.getHeapUsage');
    if (!result) throw new Error('The inspector does not tell the size of the heap.');
    return result.usedSize + result.embedderHeapUsedSize + result.backingStorageSize - code;
  }

  close(): void {
    this.#socket.close();
  }

  /**
   * V8 schedules some of what it is asked for as a task, and workerd runs tasks only with the next request, so requests
   * are sent until it is done.
   */
  async #ask(method: string): Promise<Reply> {
    this.#asked += 1;
    const id = this.#asked;
    let isDone = false;
    const answered = new Promise<Reply>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${method} was not answered.`)), 30_000);
      this.#waiting.set(id, (value) => {
        clearTimeout(timer);
        resolve(value);
      });
      this.#socket.send(JSON.stringify({ id, method, params: {} }));
    }).finally(() => {
      isDone = true;
    });
    const requests = async () => {
      for (; !isDone; await pause(20)) await (await fetch(this.#health)).arrayBuffer();
    };
    const [value] = await Promise.all([answered, requests()]);
    return value;
  }
}

/** The sizes of all nodes of code in a heap snapshot. */
function codeBytes(json: string): number {
  const { snapshot, nodes } = heapSnapshot.parse(JSON.parse(json));
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const type = fields.indexOf('type');
  const size = fields.indexOf('self_size');
  const code = types[0].indexOf('code');
  let bytes = 0;
  for (let node = 0; node < nodes.length; node += fields.length) {
    if (nodes[node + type] === code) bytes += nodes[node + size] ?? 0;
  }
  return bytes;
}
