import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { LocalService } from '../../../scripts/local/service.ts';
import type { Call, Message, ServerCalls } from './calls.ts';
import { mailServerOf } from './mail-server.ts';

interface Settings {
  readonly port: number;
  readonly stateDirectory: string;
  /** Variables and secrets; what is missing has its default, and secrets are made. */
  readonly texts: Readonly<Record<string, string>>;
}

interface Logged {
  readonly level: string;
  readonly message: string;
}

/** How long it may take to start, in milliseconds, on a busy machine. */
const startTimeout = 60_000;

/** How long it may take to stop. */
const stopTimeout = 35_000;

/** The service on Node, in a process of its own. Its mails come to `mailServerOf` its port. */
export class NodeServer implements LocalService {
  readonly origin: string;
  readonly pid: number;
  readonly ended: Promise<number>;
  readonly #process: ChildProcess;
  readonly #printed: string[] = [];
  readonly #waiting = new Map<number, (message: Message | null) => void>();
  #logged: Logged[] = [];
  #calls = 0;

  private constructor(server: ChildProcess, port: number) {
    this.#process = server;
    this.origin = `http://localhost:${port}`;
    this.pid = server.pid ?? 0;
    const print = (chunk: Buffer) => this.#printed.push(chunk.toString());
    server.stdout?.on('data', print);
    server.stderr?.on('data', print);
    server.on('message', (message: Message) => {
      if (message.kind === 'logged') this.#logged.push(message);
      else if (message.kind === 'answer' || message.kind === 'failure') {
        this.#waiting.get(message.id)?.(message);
      }
    });
    this.ended = once(server, 'exit').then(([code]) => {
      for (const settle of this.#waiting.values()) settle(null);
      return typeof code === 'number' ? code : 1;
    });
  }

  /** @throws Error with its output if it does not start */
  static async start({ port, stateDirectory, texts }: Settings): Promise<NodeServer> {
    const mails = await mailServerOf(String(port)).started();
    const server = fork(join(import.meta.dirname, 'server-process.ts'), {
      serialization: 'advanced',
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      execArgv: ['--expose-gc'],
      env: {
        ...process.env,
        STATE_DIR: stateDirectory,
        PORT: String(port),
        // Tests say from where a visitor comes.
        TRUSTED_PROXIES: '127.0.0.1, ::1',
        MAIL_URL: mails.url,
        // As much as on Workers: tests hold limits against that.
        MEMORY_MIB: '96',
        ...texts,
      },
    });
    const started = new NodeServer(server, port);
    const listening = new Promise<boolean>((resolve) => {
      server.on('message', ({ kind }: Message) => kind === 'listening' && resolve(true));
      void started.ended.then(() => resolve(false));
      setTimeout(() => resolve(false), startTimeout).unref();
    });
    if (await listening) return started;
    server.kill('SIGKILL');
    throw new Error(`The service did not start.\n${started.output()}`);
  }

  /** Everything that it has printed. */
  output(): string {
    return this.#printed.join('');
  }

  /** What it has logged, in JSON. */
  logs(): string {
    return JSON.stringify(this.#logged);
  }

  clearLogs(): void {
    this.#logged = [];
  }

  /** Has it do something. */
  async call<Method extends keyof ServerCalls>(
    method: Method,
    ...values: Parameters<ServerCalls[Method]>
  ): Promise<Awaited<ReturnType<ServerCalls[Method]>>> {
    this.#calls += 1;
    const id = this.#calls;
    const answer = new Promise<Message | null>((settle) => this.#waiting.set(id, settle));
    if (this.#process.connected) this.#process.send({ id, method, values } satisfies Call);
    else this.#waiting.get(id)?.(null);
    const message = await answer;
    this.#waiting.delete(id);
    if (message?.kind === 'answer') return message.result as never;
    throw new Error(message?.kind === 'failure' ? message.error : 'The service has ended.');
  }

  async stop(): Promise<void> {
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), stopTimeout);
    await this.call('stop').catch(() => {});
    await this.ended;
    clearTimeout(timer);
  }
}
