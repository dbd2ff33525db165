import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { logFault, stackOf } from '../../telemetry/log.ts';
import { type Arrival, lostConnection, requestOf } from './requests.ts';
import { lingering, sendResponse } from './responses.ts';

// Built on `node:http` itself: Hono's server for Node gives bodies that cannot be read into buffers of one's own, takes
// more of them than is read, and has other errors for connections that were lost.

/** What answers requests: a Hono app with its bindings. */
export type Answer = (
  request: Request,
  waitUntil: (work: Promise<unknown>) => void,
) => Promise<Response>;

const second = 1000;

/** Limits of what a client may do before the app sees its request. */
const serverOptions = {
  // Request line and headers together, in bytes.
  maxHeaderSize: 32 * 1024,
  headersTimeout: 15 * second,
  // From the first byte to the last of a body. The app has shorter ones for what it reads, and waits for memory.
  requestTimeout: 600 * second,
  // Longer than proxies keep idle connections, so that they never send into one that is being closed: 2 minutes in Caddy, 1 in
  // nginx.
  keepAliveTimeout: 130 * second,
  connectionsCheckingInterval: 5 * second,
  insecureHTTPParser: false,
};

/** Requests that a client may send before it has got the answers to those before, which hardly any client does at all. */
const maxPipelined = 16;

/** Serves an app over HTTP/1. */
export class Listener {
  readonly #server: Server;
  readonly #answer: Answer;
  readonly #arrival: Arrival;
  readonly #pending = new Set<Promise<unknown>>();
  /** Of each open connection, how many requests have not been answered; infinitely many of one that sent too many. */
  readonly #unanswered = new Map<Socket, number>();
  #isStopping = false;

  constructor(answer: Answer, arrival: Arrival) {
    this.#answer = answer;
    this.#arrival = arrival;
    this.#server = createServer(serverOptions, (message, outgoing) => {
      outgoing.on('error', () => {});
      if (this.#isAccepted(message, outgoing)) this.#track(this.#serve(message, outgoing));
    });
    this.#server.on('connection', (socket: Socket) => {
      this.#unanswered.set(socket, 0);
      socket.once('close', () => this.#unanswered.delete(socket));
    });
    // Node would leave out those beyond a limit; requests count them, and refuse.
    this.#server.maxHeadersCount = 0;
    this.#server.on('clientError', refuseUnparsed);
  }

  /**
   * Starts to listen.
   * @returns the port, which is free choice of the system for port 0
   * @throws Error with the code of the system if it cannot
   */
  async listen(port: number, host: string): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, resolve);
    });
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : port;
  }

  /**
   * Takes no more connections, and waits until requests and what they have left to do have ended.
   * @param patience in milliseconds, after which connections are closed as they are
   */
  async stop(patience: number): Promise<void> {
    this.#isStopping = true;
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    let lastBusy = Date.now();
    const sweep = setInterval(() => {
      // Those that were busy until now, and would be kept for a next request.
      this.#server.closeIdleConnections();
      if ([...this.#unanswered.values()].some((count) => count > 0)) lastBusy = Date.now();
      // Those that have sent no whole request, and had time for it.
      if (Date.now() - lastBusy > lingering) this.#server.closeAllConnections();
    }, 100);
    const timer = setTimeout(() => this.#server.closeAllConnections(), patience);
    const late = new Promise<void>((resolve) => {
      setTimeout(resolve, patience + second).unref();
    });
    const settled = async () => {
      await closed;
      while (this.#pending.size > 0) await Promise.all(this.#pending);
    };
    await Promise.race([settled(), late]);
    clearTimeout(timer);
    clearInterval(sweep);
  }

  /**
   * Counts a request of a connection: Node would begin as many at once as a client sends. The first that is too many is
   * the last that is answered, after those before it.
   */
  #isAccepted({ socket }: IncomingMessage, outgoing: ServerResponse): boolean {
    const before = this.#unanswered.get(socket);
    if (before === undefined || socket.destroyed || before > maxPipelined) return false;
    if (before === maxPipelined) {
      this.#unanswered.set(socket, Number.POSITIVE_INFINITY);
      // Node reads on after each answer.
      socket.on('resume', () => socket.pause());
      socket.pause();
      outgoing.writeHead(503, { Connection: 'close' }).end();
      return false;
    }
    this.#unanswered.set(socket, before + 1);
    outgoing.once('close', () => {
      const count = this.#unanswered.get(socket);
      if (count !== undefined) this.#unanswered.set(socket, count - 1);
    });
    return true;
  }

  async #serve(message: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const gone = new AbortController();
    outgoing.once('close', () => {
      if (!outgoing.writableFinished) gone.abort(lostConnection());
    });
    const request = requestOf(message, this.#arrival, gone.signal);
    let response: Response;
    if ('url' in request) {
      try {
        response = await this.#answer(request, (work) => this.#track(work));
      } catch (error) {
        if (!gone.signal.aborted) logFault('not_answered', { error: stackOf(error) });
        response = new Response(null, { status: 500 });
      }
    } else {
      response = new Response(null, { status: request.status });
    }
    try {
      await sendResponse(response, { outgoing, message }, this.#isStopping);
    } catch (error) {
      // Such as a header that HTTP does not allow: the client would wait for ever.
      logFault('not_sent', { error: String(error) });
      outgoing.destroy();
    }
  }

  #track(work: Promise<unknown>): void {
    const done = work.catch(() => {}).finally(() => this.#pending.delete(done));
    this.#pending.add(done);
  }
}

const statusOf: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Answers what is no request, or not one in time, and closes the connection: nothing after it can be told apart. */
function refuseUnparsed(
  error: NodeJS.ErrnoException,
  socket: Socket & { _httpMessage?: ServerResponse | null },
): void {
  const answer = socket._httpMessage;
  // What came before it was a whole request, and is answered first.
  if (answer?.req.complete && !answer.writableFinished && error.code !== 'ECONNRESET') {
    answer.once('finish', () => refuseUnparsed(error, socket));
    return;
  }
  const isAnswering = answer?.headersSent === true && !answer.writableFinished;
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) {
    socket.destroy();
    return;
  }
  const status = statusOf[error.code ?? ''] ?? '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  // Otherwise, a client that does not close its side would keep it for ever.
  const timer = setTimeout(() => socket.destroy(), lingering);
  socket.once('close', () => clearTimeout(timer));
}
