import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** A web server that is not ours, with images and everything that can be wrong with them. */
export class ForeignServer {
  readonly #answers = new Map<string, Answer>();
  /** Every request that has come, by its path and query. */
  readonly asked: IncomingMessage[] = [];
  readonly #server = createServer((request, response) => {
    this.asked.push(request);
    const path = request.url?.split('?', 1)[0] ?? '';
    const answer = this.#answers.get(path);
    if (answer) answer(response, request);
    else response.writeHead(404).end('no-such-image');
  });
  #port = 0;

  async start(): Promise<void> {
    this.#server.listen(0);
    await once(this.#server, 'listening');
    const address = this.#server.address();
    if (address !== null && typeof address === 'object') this.#port = address.port;
  }

  get port(): number {
    return this.#port;
  }

  /** The URL of a path of this server. */
  at(path: string): string {
    return `http://127.0.0.1:${this.#port}${path}`;
  }

  /** What a path answers from now on. */
  on(path: string, answer: Answer): string {
    this.#answers.set(path, answer);
    return this.at(path);
  }

  /** An answer in one piece. */
  serve(path: string, body: Uint8Array, headers: Record<string, string> = {}): string {
    return this.on(path, (response) => response.writeHead(200, headers).end(body));
  }

  redirect(path: string, location: string, status = 302): string {
    return this.on(path, (response) => {
      response.writeHead(status, { Location: location }).end('moved');
    });
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
