import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';

const inspectorMessage = z.object({
  id: z.number(),
  result: z
    .object({
      usedSize: z.number().default(0),
      embedderHeapUsedSize: z.number().default(0),
      backingStorageSize: z.number().default(0),
    })
    .optional(),
});

type InspectorMessage = z.infer<typeof inspectorMessage>;

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
  readonly #waiting = new Map<number, (value: InspectorMessage) => void>();
  #asked = 0;

  private constructor(socket: WebSocket, origin: string) {
    this.#socket = socket;
    this.#health = new URL('/v1/health', origin);
    socket.addEventListener('message', ({ data }) => {
      const message = inspectorMessage.safeParse(JSON.parse(String(data)));
      if (!message.success) return; // an event
      this.#waiting.get(message.data.id)?.(message.data);
      this.#waiting.delete(message.data.id);
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
   * Bytes still held after garbage collection: objects, the runtime's data for them, and array buffers. The WebAssembly
   * memory of the codecs is not included; the ledger bounds that.
   */
  async held(): Promise<number> {
    await this.#ask('HeapProfiler.enable');
    for (let i = 0; i < collectionCount; i += 1) await this.#collect();
    const { result } = await this.#ask('Runtime.getHeapUsage');
    if (!result) throw new Error('The inspector does not tell the size of the heap.');
    return result.usedSize + result.embedderHeapUsedSize + result.backingStorageSize;
  }

  close(): void {
    this.#socket.close();
  }

  #ask(method: string): Promise<InspectorMessage> {
    this.#asked += 1;
    const id = this.#asked;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${method} was not answered.`)), 30_000);
      this.#waiting.set(id, (value) => {
        clearTimeout(timer);
        resolve(value);
      });
      this.#socket.send(JSON.stringify({ id, method, params: {} }));
    });
  }

  /**
   * V8 schedules collection as a task, and workerd runs tasks only with the next request, so requests are sent until it
   * is done.
   */
  async #collect(): Promise<void> {
    let isDone = false;
    const collected = this.#ask('HeapProfiler.collectGarbage').finally(() => {
      isDone = true;
    });
    const requests = async () => {
      for (; !isDone; await pause(20)) await (await fetch(this.#health)).arrayBuffer();
    };
    await Promise.all([collected, requests()]);
  }
}
