import { execFile } from 'node:child_process';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hasImageExtension } from '../../fewerbytes/src/images.ts';
import type { PullRequest, Trigger } from './runner.ts';

const run = promisify(execFile);

/** The repository that the workflow has checked out. */
export class Repository {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * The images that the event changes, relative to the repository; all images if the event is no change, or a forced
   * push that has removed the commit before it.
   * @param globs patterns to include, or to exclude if they begin with `!`; empty: all
   */
  async images(trigger: Trigger, globs: readonly string[]): Promise<string[]> {
    const paths = ['--', ...pathspecs(globs)];
    const base = await this.#baseOf(trigger);
    const isKnown = base !== null && (await this.#fetchCommit(base));
    if (!isKnown && trigger.kind === 'pull-request') {
      throw new Error(`The base commit ${base} is neither checked out nor on the remote.`);
    }
    const names =
      base === null || !isKnown
        ? await this.#list('ls-files', '-z', ...paths)
        : await this.#changed(base, paths);
    const images: string[] = [];
    for (const name of names.filter(hasImageExtension)) {
      // a symbolic link may lead anywhere on the runner
      const stats = await lstat(join(this.#folder, name)).catch(() => null);
      if (stats?.isFile()) images.push(name);
    }
    return images;
  }

  /**
   * The commit to compare with; null for events without a change. actions/checkout checks out a merge commit whose
   * first parent is the newest commit of the base branch; the one in the event may be older.
   */
  async #baseOf(trigger: Trigger): Promise<string | null> {
    if (trigger.kind === 'push') return trigger.before;
    if (trigger.kind !== 'pull-request') return null;
    const { base, head } = trigger.pullRequest;
    // from the commit object itself: in a shallow checkout, git hides the parents
    const commit = await this.#git('cat-file', 'commit', 'HEAD');
    const [first, second] = Array.from(commit.matchAll(/^parent (\w+)$/gm), ([, hash]) => hash);
    return first !== undefined && second === head ? first : base;
  }

  /** Files added or modified since a commit, or put in place of a link (T). */
  async #changed(base: string, paths: readonly string[]): Promise<string[]> {
    const fork = await this.#git('merge-base', base, 'HEAD').catch(() => base);
    return this.#list(
      ...['diff', '--name-only', '-z', '--no-renames', '--diff-filter=AMT', fork.trim(), 'HEAD'],
      ...paths,
    );
  }

  /** Fetches a commit if the checkout is too shallow. Fails if it is gone, as after a forced push. */
  async #fetchCommit(commit: string): Promise<boolean> {
    const succeeds = (...args: readonly string[]) =>
      this.#git(...args).then(
        () => true,
        () => false,
      );
    if (await succeeds('cat-file', '-e', `${commit}^{commit}`)) return true;
    return succeeds('fetch', '--no-tags', '--depth=1', 'origin', commit);
  }

  /** @throws Error if the branch of the pull request is not what is checked out */
  async demandBranch({ head }: PullRequest): Promise<void> {
    const commit = await this.#git('rev-parse', 'HEAD');
    if (commit.trim() === head) return;
    throw new Error(
      'To commit, check out the branch itself: actions/checkout with github.head_ref as its ref.',
    );
  }

  /** Commits files to the branch of a pull request, which must be what is checked out. */
  async commit(files: readonly string[], message: string, request: PullRequest): Promise<void> {
    // file names may look like patterns
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

/** Converts globs into git's pathspecs (see gitglossary). */
function pathspecs(globs: readonly string[]): string[] {
  return globs.map((glob) =>
    glob.startsWith('!') ? `:(exclude,glob)${glob.slice(1)}` : `:(glob)${glob}`,
  );
}
