import { readFile } from 'node:fs/promises';

/** The parts of a pull request that matter here. */
export interface PullRequest {
  readonly number: number;
  /** SHA of the base branch's commit. */
  readonly base: string;
  /** SHA of the pull request's newest commit. */
  readonly head: string;
  /** Name of the pull request's branch. */
  readonly branch: string;
  /** Whether the branch is in another repository: then there are no secrets, and it cannot be pushed to. */
  readonly isFork: boolean;
}

/** The event that started the workflow. */
export type Trigger =
  | { readonly kind: 'pull-request'; readonly pullRequest: PullRequest }
  | { readonly kind: 'push'; readonly before: string | null }
  | { readonly kind: 'other' }
  | { readonly kind: 'refused'; readonly reason: string };

interface Payload {
  readonly before?: string;
  readonly pull_request?: {
    readonly number: number;
    readonly base: { readonly sha: string };
    readonly head: {
      readonly sha: string;
      readonly ref: string;
      readonly repo: { readonly full_name: string } | null;
    };
  };
}

/** `before` of the push that creates a branch. */
const noCommit = /^0+$/;

/** Reads the event from the runner's environment. */
export async function readTrigger(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Trigger> {
  const { GITHUB_EVENT_NAME: name, GITHUB_EVENT_PATH: path, GITHUB_REPOSITORY } = environment;
  if (name === 'pull_request_target') {
    const reason =
      'This action does not run on pull_request_target, where secrets meet the files of strangers: use pull_request.';
    return { kind: 'refused', reason };
  }
  const payload: Payload = path ? JSON.parse(await readFile(path, 'utf8')) : {};
  const { pull_request: request, before } = payload;
  if (request) {
    const { number, base, head } = request;
    const isFork = head.repo?.full_name !== GITHUB_REPOSITORY;
    const commits = { base: base.sha, head: head.sha };
    return {
      kind: 'pull-request',
      pullRequest: { number, ...commits, branch: head.ref, isFork },
    };
  }
  if (name !== 'push') return { kind: 'other' };
  return { kind: 'push', before: before && !noCommit.test(before) ? before : null };
}
