import { execFile } from 'node:child_process';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hasImageExtension } from '../../cli/src/images.ts';
import type { PullRequest, Trigger } from './event.ts';

const run = promisify(execFile);

/** The repository that the workflow has checked out. */
export class Repository {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Images that the event is about, relative to the repository; of events without a change, all.
   * @param globs which of them; those that begin with `!` are left out. Empty: all
   */
  async images(trigger: Trigger, globs: readonly string[]): Promise<string[]> {
    const paths = ['--', ...pathspecs(globs)];
    const base = await this.#baseOf(trigger);
    const names =
      base === null
        ? await this.#list('ls-files', '-z', ...paths)
        : await this.#changed(base, paths);
    const images: string[] = [];
    for (const name of names.filter(hasImageExtension)) {
      // a link may lead anywhere on the runner
      const stats = await lstat(join(this.#folder, name)).catch(() => null);
      if (stats?.isFile()) images.push(name);
    }
    return images;
  }

  /**
   * The commit that a change starts from. actions/checkout merges a pull request into its base, whose newest commit is then
   * the first parent of what is checked out; the one in the event may be older.
   */
  async #baseOf(trigger: Trigger): Promise<string | null> {
    if (trigger.kind === 'push') return trigger.before;
    if (trigger.kind !== 'pull-request') return null;
    const { base, head } = trigger.pullRequest;
    // as it is written in the commit: a shallow checkout knows no parents
    const commit = await this.#git('cat-file', 'commit', 'HEAD');
    const [first, second] = Array.from(commit.matchAll(/^parent (\w+)$/gm), ([, hash]) => hash);
    return first !== undefined && second === head ? first : base;
  }

  /** Files that differ from a commit, deleted ones left out; the commit is fetched if the checkout is too shallow for it. */
  async #changed(base: string, paths: readonly string[]): Promise<string[]> {
    if (!(await this.#has(base))) {
      await this.#git('fetch', '--no-tags', '--depth=1', 'origin', base);
    }
    const fork = await this.#git('merge-base', base, 'HEAD').catch(() => base);
    return this.#list(
      ...['diff', '--name-only', '-z', '--no-renames', '--diff-filter=AM', fork.trim(), 'HEAD'],
      ...paths,
    );
  }

  #has(commit: string): Promise<boolean> {
    return this.#git('cat-file', '-e', `${commit}^{commit}`).then(
      () => true,
      () => false,
    );
  }

  /** @throws Error when what is checked out is not the branch of the pull request */
  async demandBranch({ head }: PullRequest): Promise<void> {
    const commit = await this.#git('rev-parse', 'HEAD');
    if (commit.trim() === head) return;
    throw new Error(
      'To commit, check out the branch itself: actions/checkout with github.head_ref as its ref.',
    );
  }

  /** Commits files to the branch of a pull request, which must be what is checked out. */
  async commit(files: readonly string[], message: string, request: PullRequest): Promise<void> {
    // names are not patterns
    const names = files.map((name) => `:(literal)${name}`);
    await this.#git('add', '--', ...names);
    const author = 'github-actions[bot]';
    const email = '41898282+github-actions[bot]@users.noreply.github.com';
    const identity = ['-c', `user.name=${author}`, '-c', `user.email=${email}`];
    await this.#git(...identity, 'commit', '--quiet', '-m', message, '--', ...names);
    await this.#git('push', 'origin', `HEAD:refs/heads/${request.branch}`);
  }

  async #list(...args: readonly string[]): Promise<string[]> {
    return (await this.#git(...args)).split('\0').filter((name) => name !== '');
  }

  async #git(...args: readonly string[]): Promise<string> {
    const options = { cwd: this.#folder, maxBuffer: 64 * 2 ** 20 };
    const { stdout } = await run('git', args, options);
    return stdout;
  }
}

/** Globs as git understands them (gitglossary, pathspec). */
function pathspecs(globs: readonly string[]): string[] {
  return globs.map((glob) =>
    glob.startsWith('!') ? `:(exclude,glob)${glob.slice(1)}` : `:(glob)${glob}`,
  );
}
