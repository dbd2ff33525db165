import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** A local HTTP server that stands in for another one during a test. */
export abstract class LocalServer {
  #port = 0;
  readonly #server = createServer((request, response) => {
    Promise.resolve(this.serve(request, response)).catch(() => response.destroy());
  });

  /** Handles a request; the connection is closed if that fails. */
  protected abstract serve(
    request: IncomingMessage,
    response: ServerResponse,
  ): void | Promise<void>;

  /** Starts at a port: by default its previous port, or else any free one. */
  async start(port: number = this.#port): Promise<this> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('no port to be had');
    this.#port = address.port;
    return this;
  }

  /** Without a trailing slash. */
  get origin(): string {
    if (this.#port === 0) throw new Error('not started');
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Stops the server and closes all open connections. */
  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
