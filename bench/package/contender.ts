import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { ConverterName } from './converters.ts';
import type { Order, Report } from './process.ts';

/** The number of libuv's threads unless told otherwise, which a machine with more cores should be. */
const usualThreads = 4;

/** A converter in a process of its own, which ends with this object. */
export class Contender implements AsyncDisposable {
  readonly name: ConverterName;
  readonly #process: ChildProcess;

  private constructor(name: ConverterName, child: ChildProcess) {
    this.name = name;
    this.#process = child;
  }

  static async start(name: ConverterName): Promise<Contender> {
    const threads = Math.max(usualThreads, availableParallelism());
    const child = fork(join(import.meta.dirname, 'process.ts'), [name], {
      execArgv: [],
      env: { ...process.env, UV_THREADPOOL_SIZE: String(threads) },
    });
    const contender = new Contender(name, child);
    await contender.#answer();
    return contender;
  }

  /** @throws Error if a photo fails; nothing more can be ordered after that */
  async carryOut(order: Order): Promise<Report> {
    this.#process.send(order);
    return (await this.#answer()) as Report;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { exitCode, signalCode } = this.#process;
    if (exitCode !== null || signalCode !== null) return;
    const ended = once(this.#process, 'exit');
    this.#process.kill();
    await ended;
  }

  async #answer(): Promise<unknown> {
    const waiting = new AbortController();
    const { signal } = waiting;
    const failure = once(this.#process, 'exit', { signal }).then(() => {
      throw new Error(`the process of ${this.name} has ended`);
    });
    try {
      const [answer] = await Promise.race([once(this.#process, 'message', { signal }), failure]);
      return answer;
    } finally {
      failure.catch(() => {});
      waiting.abort();
    }
  }
}
