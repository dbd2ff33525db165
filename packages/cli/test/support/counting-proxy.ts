import { once } from 'node:events';
import { createServer, request } from 'node:http';

/** Stands before the service and counts what is sent to it. */
export class CountingProxy {
  readonly queries: string[] = [];
  readonly #server;

  constructor(target: URL) {
    this.#server = createServer((incoming, response) => {
      const url = new URL(incoming.url ?? '', target);
      this.queries.push(url.search);
      const { method = 'GET', headers } = incoming;
      const options = { method, headers: { ...headers, host: target.host } };
      const outgoing = request(url.href, options, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      outgoing.on('error', () => response.destroy());
      incoming.pipe(outgoing);
    });
  }

  async start(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  get requests(): number {
    return this.queries.length;
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('not started');
    return `http://127.0.0.1:${address.port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
