import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { delimiter, join, sep } from 'node:path';

/** The command as it was built. */
export const bin = join(import.meta.dirname, '../../dist/bin.js');

/** The Node that this machine has beside the pinned one, if there is one: the package must run there. */
export const systemNode = findSystemNode();

function findSystemNode(): string {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const nodes = folders
    .filter((folder) => !folder.includes(`node_modules${sep}`))
    .map((folder) => join(folder, process.platform === 'win32' ? 'node.exe' : 'node'))
    .filter((path) => existsSync(path));
  const isEnough = (path: string) => {
    const [major = 0, minor = 0] = execFileSync(path, ['-p', 'process.versions.node'])
      .toString()
      .split('.')
      .map(Number);
    return major > 20 || (major === 20 && minor >= 12);
  };
  return nodes.find(isEnough) ?? process.execPath;
}

/** A user other than root who can run the command; null if there is none, as where the tests are not run by root. */
export const ordinaryUser = findOrdinaryUser();

function findOrdinaryUser(): number | null {
  if (process.getuid?.() !== 0) return null;
  const nobody = 65_534;
  const { status } = spawnSync(systemNode, [bin, '--version'], { uid: nobody, gid: nobody });
  return status === 0 ? nobody : null;
}

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Setting {
  readonly cwd: string;
  readonly url?: string;
  readonly key?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** The user to run as. Default: the one of the tests. */
  readonly uid?: number;
}

/** Nothing of the environment of the tests: the generated types of the Worker claim that its variables are there. */
export const blank = {} as NodeJS.ProcessEnv;

/** A script of Node as a child process, with what it prints. */
export class Running {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
  out = '';
  err = '';

  constructor(args: readonly string[], { cwd, url, key, environment = {}, uid }: Setting) {
    const { PATH = '', HOME = '' } = process.env;
    this.process = spawn(systemNode, args, {
      cwd,
      ...(uid !== undefined && { uid, gid: uid }),
      env: {
        ...blank,
        PATH,
        HOME,
        ...(url !== undefined && { FEWERBYTES_URL: url }),
        ...(key !== undefined && { FEWERBYTES_KEY: key }),
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.process.stdout?.on('data', (chunk: Buffer) => {
      this.out += chunk.toString();
    });
    this.process.stderr?.on('data', (chunk: Buffer) => {
      this.err += chunk.toString();
    });
    this.ended = once(this.process, 'close').then(([code]) => ({
      code,
      out: this.out,
      err: this.err,
    }));
  }

  kill(signal: NodeJS.Signals): void {
    this.process.kill(signal);
  }
}

const placed = new Set(['--out', '-o', '--dry-run', '--widths']);

/** Starts the command, with a cache in the working directory, and in place unless the arguments say otherwise. */
export function start(args: readonly string[], setting: Setting): Running {
  const environment = { FEWERBYTES_CACHE: join(setting.cwd, '.cache'), ...setting.environment };
  const place = args.some((arg) => placed.has(arg)) ? [] : ['--in-place'];
  return new Running([bin, ...place, ...args], { ...setting, environment });
}

/** Runs the command to its end. */
export function command(args: readonly string[], setting: Setting): Promise<Ended> {
  return start(args, setting).ended;
}

/** The objects that `--json` prints. */
export function linesOf(out: string): Record<string, unknown>[] {
  return out
    .trimEnd()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
