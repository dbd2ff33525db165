import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import type { TestService } from '../../../../test/support/service.ts';

// The places where the engine runs. Each makes the same of a picture.

/** What comes of a picture: the hash of the bytes, or code and detail of an `ImageError`. */
export interface Outcome {
  readonly sha256?: string;
  readonly refusal?: string;
}

/** A place where the engine runs. @throws Error if it fails without an `ImageError` */
export type Home = (file: Uint8Array, options: object) => Promise<Outcome>;

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The Worker. */
export function serviceHome(service: TestService): Home {
  return async (file, options) => {
    const query = new URLSearchParams(
      Object.entries(options).map(([name, value]) => [
        name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
        String(value),
      ]),
    );
    const response = await service.optimize(Uint8Array.from(file), `?${query}`);
    if (response.ok) return { sha256: sha256(await response.bytes()) };
    const { code, detail } = (await response.json()) as Record<'code' | 'detail', string>;
    if (response.status >= 500) throw new Error(`${response.status} ${code}`);
    return { refusal: `${code}: ${detail}` };
  };
}

const dist = pathToFileURL(join(import.meta.dirname, '../../dist/')).href;

/** Reads pictures and options by lines, and writes what comes of them. */
const program = `
  import { createHash } from 'node:crypto';
  import { createInterface } from 'node:readline';
  import { ImageError, optimize } from '${dist}index.js';
  for await (const line of createInterface({ input: process.stdin })) {
    const { file, options } = JSON.parse(line);
    const outcome = await optimize(Buffer.from(file, 'base64'), options).then(
      ({ bytes }) => ({ sha256: createHash('sha256').update(bytes).digest('hex') }),
      (error) => error instanceof ImageError ? { refusal: \`\${error.code}: \${error.detail}\` } : { error: error.stack },
    );
    console.log(JSON.stringify(outcome));
  }`;

/** The built package in a process of a Node. */
export class NodeHome {
  readonly #process: ChildProcess;
  readonly #lines: Interface;

  /** @param node path of the program */
  constructor(node: string) {
    this.#process = spawn(node, ['--input-type=module', '-e', program], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const { stdout } = this.#process;
    if (!stdout) throw new Error('there is no output');
    this.#lines = createInterface({ input: stdout });
  }

  readonly optimize: Home = async (file, options) => {
    const line = once(this.#lines, 'line');
    const order = { file: Buffer.from(file).toString('base64'), options };
    this.#process.stdin?.write(`${JSON.stringify(order)}\n`);
    const { error, ...outcome } = JSON.parse(String((await line)[0]));
    if (error) throw new Error(error);
    return outcome;
  };

  close(): void {
    this.#process.kill();
  }
}
