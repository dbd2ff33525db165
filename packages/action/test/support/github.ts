import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { LocalServer } from '../../../../test/support/local-server.ts';

interface Comment {
  readonly id: number;
  body: string;
  readonly user: { readonly login: string; readonly type: string };
}

/** GitHub's REST API, as far as comments go. */
export class GitHub extends LocalServer {
  readonly comments: Comment[] = [];
  /** Of what was asked for: method and path. */
  readonly calls: string[] = [];
  /** Whether the token may write, which that of a fork's pull request may not. */
  mayWrite = true;
  /** The user whose token it is; null: it is that of the workflow. */
  owner: string | null = null;

  add(body: string, type: 'Bot' | 'User', login = 'somebody'): void {
    this.comments.push({ id: this.comments.length + 1, body, user: { login, type } });
  }

  protected override async serve(
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', this.origin);
    this.calls.push(`${request.method} ${pathname}`);
    const send = (status: number, body: unknown) => {
      response.writeHead(status, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    if (request.headers.authorization !== 'Bearer token of the job') return send(401, {});
    if (pathname === '/user') {
      return this.owner === null ? send(403, {}) : send(200, { login: this.owner });
    }
    if (request.method === 'GET') {
      const [size, page] = ['per_page', 'page'].map((name) => Number(searchParams.get(name)));
      const start = (Number(page) - 1) * Number(size);
      return send(200, this.comments.slice(start, start + Number(size)));
    }
    const { body } = (await json(request)) as { body: string };
    if (!this.mayWrite) return send(403, { message: 'Resource not accessible by integration' });
    if (request.method === 'POST') {
      this.add(body, this.owner === null ? 'Bot' : 'User', this.owner ?? 'github-actions[bot]');
      return send(201, {});
    }
    const comment = this.comments.find(({ id }) => pathname.endsWith(`/issues/comments/${id}`));
    if (!comment) return send(404, {});
    comment.body = body;
    return send(200, {});
  }
}
