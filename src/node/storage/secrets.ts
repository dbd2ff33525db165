import { randomBytes, randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { settings } from '../../settings.ts';
import type { Environment } from '../settings.ts';

/** What makes the secrets that the service cannot do without. */
export const secretMakers: Readonly<Record<string, () => string>> = {
  CODE_SECRET: secret,
  KEY_SECRETS: () => `1:${secret()}`,
  TOKEN_SECRETS: () => `1:${secret()}`,
};

function secret(): string {
  return randomBytes(32).toString('base64');
}

/** The names of all secrets, also of those that are not required. */
const secretNames = Object.entries(settings)
  .filter(([, { kind }]) => kind !== 'variable')
  .map(([name]) => name);

const texts = z.record(z.string(), z.string());

/** The secrets of a state folder, and texts of settings beside them, in a file that only its owner can read. */
export class SecretsFile {
  readonly #path: string;
  readonly #environment: Environment;
  #kept: Record<string, string>;

  /**
   * @param hasData whether the folder has data that depend on the secrets
   * @throws Error for the operator if they are missing, or the file is damaged
   */
  constructor(folder: string, environment: Environment, hasData: boolean) {
    this.#path = join(folder, 'secrets.json');
    this.#environment = environment;
    if (!existsSync(this.#path)) this.#make(hasData);
    this.#kept = this.#read();
  }

  /** The texts by the names of settings; what the environment has goes first, and empty ones are absent. */
  get texts(): Readonly<Record<string, string>> {
    const names = new Set([...Object.keys(this.#kept), ...secretNames]);
    const found = [...names].map((name) => [name, this.#environment[name] || this.#kept[name]]);
    return Object.fromEntries(found.filter(([, text]) => text));
  }

  /** Whether a text of a setting is kept, be it empty. */
  keeps(name: string): boolean {
    return Object.hasOwn(this.#kept, name);
  }

  /** Keeps the text of a setting for this and later starts. */
  keep(name: string, text: string): void {
    const kept = { ...this.#read(), [name]: text };
    const part = this.#written(kept);
    renameSync(part, this.#path);
    settle(dirname(this.#path));
    this.#kept = kept;
  }

  #make(hasData: boolean): void {
    const needed = Object.keys(secretMakers).filter((name) => !this.#environment[name]);
    if (hasData && needed.length > 0) {
      throw new Error(
        `${this.#path} is missing, and the data beside it cannot be read without: put it back, or set ${needed.join(', ')}.`,
      );
    }
    const made = needed.map((name) => [name, secretMakers[name]?.() ?? ''] as const);
    const part = this.#written(Object.fromEntries(made));
    try {
      // Unlike a renamed file, it replaces none.
      linkSync(part, this.#path);
      settle(dirname(this.#path));
    } catch (error) {
      // A process that started at the same time may have made it.
      if (!existsSync(this.#path)) throw error;
    } finally {
      rmSync(part, { force: true });
    }
  }

  #read(): Record<string, string> {
    const text = readFileSync(this.#path, 'utf8');
    try {
      return texts.parse(JSON.parse(text));
    } catch {
      // What is wrong would quote it.
      throw new Error(`${this.#path} is damaged: it should be an object of texts, in JSON.`);
    }
  }

  /** Writes a file beside it, onto the disk. */
  #written(kept: Readonly<Record<string, string>>): string {
    const part = `${this.#path}.${randomUUID()}.part`;
    const file = openSync(part, 'wx', 0o600);
    try {
      writeSync(file, `${JSON.stringify(kept, null, 2)}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    return part;
  }
}

/** Forces the names in a folder onto the disk. */
function settle(folder: string): void {
  const file = openSync(folder, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
