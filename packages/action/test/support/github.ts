import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';

interface Comment {
  readonly id: number;
  body: string;
  readonly user: { readonly login: string; readonly type: string };
}

/** GitHub's REST API, as far as comments go. */
export class GitHub {
  readonly comments: Comment[] = [];
  /** Of what was asked for: method and path. */
  readonly calls: string[] = [];
  /** Whether the token may write, which that of a fork's pull request may not. */
  mayWrite = true;
  readonly #server = createServer((request, response) => {
    this.#answer(request, response).catch(() => response.destroy());
  });

  async start(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
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

  add(body: string, type: 'Bot' | 'User'): void {
    this.comments.push({ id: this.comments.length + 1, body, user: { login: 'somebody', type } });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', this.url);
    this.calls.push(`${request.method} ${pathname}`);
    const send = (status: number, body: unknown) => {
      response.writeHead(status, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    if (request.headers.authorization !== 'Bearer token of the job') return send(401, {});
    if (request.method === 'GET') {
      const [size, page] = ['per_page', 'page'].map((name) => Number(searchParams.get(name)));
      const start = (Number(page) - 1) * Number(size);
      return send(200, this.comments.slice(start, start + Number(size)));
    }
    const { body } = (await json(request)) as { body: string };
    if (!this.mayWrite) return send(403, { message: 'Resource not accessible by integration' });
    if (request.method === 'POST') {
      this.add(body, 'Bot');
      return send(201, {});
    }
    const comment = this.comments.find(({ id }) => pathname.endsWith(`/issues/comments/${id}`));
    if (!comment) return send(404, {});
    comment.body = body;
    return send(200, {});
  }
}
