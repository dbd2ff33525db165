import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** An HTTP server of this machine that stands in for another one as long as a test needs it. */
export abstract class LocalServer {
  #port = 0;
  readonly #server = createServer((request, response) => {
    Promise.resolve(this.serve(request, response)).catch(() => response.destroy());
  });

  /** Answers a request; the connection breaks off where that fails. */
  protected abstract serve(
    request: IncomingMessage,
    response: ServerResponse,
  ): void | Promise<void>;

  /** Starts at a port: that which it had before it was stopped, or any, unless one is given. */
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

  /** Ends it, and every connection that is open. */
  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
