import { execFile, execFileSync } from 'node:child_process';
import { copyFile, glob, mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { root } from '../../../../scripts/local/root.ts';
import { blank, systemNode } from '../../../fewerbytes/test/support/command.ts';
import type { GitHub } from './github.ts';

const action = join(root, 'packages/action/dist/index.js');
const repository = 'somebody/photos';

interface Ended {
  readonly code: number;
  readonly log: string;
  readonly summary: string;
  readonly outputs: Readonly<Record<string, string>>;
}

interface Step {
  readonly inputs?: Readonly<Record<string, string>>;
  readonly event?: string;
  /** Full name of the repository that the pull request comes from. */
  readonly from?: string;
  /** For a push: the commit before it. */
  readonly before?: string;
}

/** A pull request in a repository of its own, and the runner that it is checked out on. */
export class Job {
  readonly #folder: string;
  readonly #github: GitHub;
  readonly #base: string;

  constructor(folder: string, github: GitHub) {
    this.#folder = folder;
    this.#github = github;
    this.#run('.', 'init', '--quiet', '--bare', '--initial-branch=main', 'origin.git');
    // GitHub gives out commits by their hash as well
    this.#run('origin.git', 'config', 'uploadpack.allowAnySHA1InWant', 'true');
    this.#run('.', 'clone', '--quiet', 'origin.git', 'author');
    this.#run('author', 'checkout', '--quiet', '-b', 'main');
    this.#run('author', 'commit', '--quiet', '--allow-empty', '-m', 'Start');
    this.#run('author', 'push', '--quiet', 'origin', 'main');
    this.#base = this.commitOf('author', 'HEAD');
    this.#run('author', 'checkout', '--quiet', '-b', 'change');
  }

  get checkout(): string {
    return join(this.#folder, 'checkout');
  }

  /** The files of the cache: one that is made again is another one. */
  async cached(): Promise<string[]> {
    const cwd = join(this.#folder, '.cache');
    const all: string[] = [];
    for await (const name of glob('**/*.{json,bin}', { cwd })) {
      all.push(`${name} ${(await stat(join(cwd, name))).ino}`);
    }
    return all.sort();
  }

  /** Puts files on a branch and pushes it: names with the sample that each is a copy of. */
  async push(files: Readonly<Record<string, string>>, branch = 'change'): Promise<void> {
    this.#run('author', 'checkout', '--quiet', branch);
    for (const [name, sample] of Object.entries(files)) {
      const path = join(this.#folder, 'author', name);
      await mkdir(dirname(path), { recursive: true });
      await rm(path, { force: true });
      await copyFile(join(root, 'test/support/samples', sample), path);
    }
    this.#run('author', 'add', '--all');
    this.#run('author', 'commit', '--quiet', '-m', 'Add files');
    this.#run('author', 'push', '--quiet', 'origin', branch);
  }

  /** Puts a symbolic link among what is pushed next. */
  async link(name: string, target: string): Promise<void> {
    const path = join(this.#folder, 'author', name);
    await mkdir(dirname(path), { recursive: true });
    await symlink(target, path);
  }

  /** What actions/checkout leaves on the runner: the newest commit alone, on the branch or merged into `main`. */
  async clone(what: 'branch' | 'merge' = 'branch'): Promise<void> {
    const url = `file://${join(this.#folder, 'origin.git')}`;
    if (what === 'merge') {
      this.#run('author', 'checkout', '--quiet', '-B', 'merged', 'main');
      this.#run('author', 'merge', '--quiet', '--no-ff', '-m', 'Merge', 'change');
      this.#run('author', 'push', '--quiet', '--force', 'origin', 'merged');
    }
    const branch = what === 'merge' ? 'merged' : 'change';
    this.#run('.', 'clone', '--quiet', '--depth=1', '--branch', branch, url, 'checkout');
  }

  commitOf(place: 'author' | 'checkout' | 'origin.git', name: string): string {
    return this.#run(place, 'rev-parse', name).trim();
  }

  /** Names and sizes of what is on the branch. */
  sizes(branch = 'change'): Map<string, number> {
    const lines = this.#run('origin.git', 'ls-tree', '-r', '-l', branch).trim().split('\n');
    return new Map(
      lines.map((line) => {
        const [facts = '', name = ''] = line.split('\t');
        return [name, Number(facts.split(/\s+/)[3])];
      }),
    );
  }

  /** Runs the action as a runner does. */
  async run({
    inputs = {},
    event = 'pull_request',
    from = repository,
    before,
  }: Step): Promise<Ended> {
    const [payload, output, summary] = ['event.json', 'output', 'summary'].map((name) =>
      join(this.#folder, name),
    ) as [string, string, string];
    const head = this.commitOf('author', 'change');
    const pull_request = {
      number: 7,
      base: { sha: this.#base },
      head: { sha: head, ref: 'change', repo: { full_name: from } },
    };
    await writeFile(payload, JSON.stringify(event === 'push' ? { before } : { pull_request }));
    for (const file of [output, summary]) await writeFile(file, '');
    const given = Object.entries({ token: 'token of the job', comment: 'true', ...inputs });
    const env = {
      ...blank,
      PATH: process.env.PATH ?? '',
      HOME: this.#folder,
      GITHUB_ACTIONS: 'true',
      GITHUB_API_URL: this.#github.origin,
      GITHUB_EVENT_NAME: event,
      GITHUB_EVENT_PATH: payload,
      GITHUB_OUTPUT: output,
      GITHUB_REPOSITORY: repository,
      GITHUB_STEP_SUMMARY: summary,
      GITHUB_WORKSPACE: this.checkout,
      ...Object.fromEntries(given.map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value])),
    };
    const [code, log] = await new Promise<[number, string]>((resolve) => {
      execFile(systemNode, [action], { cwd: this.checkout, env }, (error, stdout, stderr) => {
        resolve([error ? Number(error.code) : 0, stdout + stderr]);
      });
    });
    const lines = (await readFile(output, 'utf8')).trim().split('\n');
    const outputs = Object.fromEntries(lines.map((line) => line.split('=', 2)));
    return { code, log, outputs, summary: await readFile(summary, 'utf8') };
  }

  #run(place: string, ...args: readonly string[]): string {
    const identity = ['-c', 'user.name=Author', '-c', 'user.email=author@example.com'];
    return execFileSync('git', [...identity, ...args], {
      cwd: join(this.#folder, place),
      stdio: ['ignore', 'pipe', 'pipe'],
    }).toString();
  }
}
