import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Whether curl is installed. */
export const hasCurl = (process.env.PATH ?? '')
  .split(':')
  .some((folder) => existsSync(join(folder, 'curl')));

export interface CurlAnswer {
  readonly status: number;
  readonly body: string;
}

/** Plain curl processes that share one cookie file. */
export class Curl {
  readonly #origin: URL;
  readonly #jar: string;

  constructor(origin: URL, jar: string) {
    this.#origin = origin;
    this.#jar = jar;
  }

  async request(path: string, ...args: readonly string[]): Promise<CurlAnswer> {
    const url = new URL(path, this.#origin).href;
    const fixed = ['-sS', '--max-time', '20', '-b', this.#jar, '-c', this.#jar];
    const { stdout } = await run('curl', [...fixed, '-w', '\n%{http_code}', ...args, url]);
    const end = stdout.lastIndexOf('\n');
    return { status: Number(stdout.slice(end + 1)), body: stdout.slice(0, end) };
  }

  json(method: string, path: string, body: unknown): Promise<CurlAnswer> {
    const data = ['-H', 'Content-Type: application/json', '-d', JSON.stringify(body)];
    return this.request(path, '-X', method, ...data);
  }
}
