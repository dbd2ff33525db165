import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { LocalServer } from '../../../../test/support/local-server.ts';

/** Stands before the service and counts what is sent to it. */
export class CountingProxy extends LocalServer {
  readonly queries: string[] = [];
  readonly paths: string[] = [];
  readonly #target: URL;

  constructor(target: URL) {
    super();
    this.#target = target;
  }

  get requests(): number {
    return this.queries.length;
  }

  protected override serve(incoming: IncomingMessage, response: ServerResponse): void {
    const url = new URL(incoming.url ?? '', this.#target);
    this.queries.push(url.search);
    this.paths.push(url.pathname);
    const { method = 'GET', headers } = incoming;
    const options = { method, headers: { ...headers, host: this.#target.host } };
    const outgoing = request(url.href, options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    incoming.pipe(outgoing);
  }
}
