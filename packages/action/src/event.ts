import { readFile } from 'node:fs/promises';

/** A pull request, as far as it matters here. */
export interface PullRequest {
  readonly number: number;
  /** Commit that it starts from. */
  readonly base: string;
  /** Its newest commit. */
  readonly head: string;
  /** Its branch. */
  readonly branch: string;
  /** Whether the branch is in another repository, whose pull requests get no secrets and may not be pushed to. */
  readonly isFork: boolean;
}

/** What the workflow runs for. */
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

/** Before the first commit of a branch there is none. */
const noCommit = /^0+$/;

/** Reads what the runner says about the event. */
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
