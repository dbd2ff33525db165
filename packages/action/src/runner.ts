import { appendFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/**
 * The interface between GitHub's runner and an action: environment variables, files and workflow commands on stdout.
 */

type Environment = Readonly<Record<string, string | undefined>>;

/** An input from action.yml; empty if it is not set. */
export function input(name: string, environment: Environment = process.env): string {
  return (environment[`INPUT_${name.replaceAll(' ', '_').toUpperCase()}`] ?? '').trim();
}

/**
 * A boolean input.
 * @throws RangeError unless it is true, false or empty
 */
export function switchInput(name: string, environment: Environment = process.env): boolean {
  const text = input(name, environment).toLowerCase();
  if (text === 'true') return true;
  if (text === 'false' || text === '') return false;
  throw new RangeError(`"${name}" cannot be "${text}", but: true, false.`);
}

export function setOutput(name: string, value: string | number): void {
  appendTo('GITHUB_OUTPUT', `${name}=${value}\n`);
}

/** Appends Markdown to the job summary. */
export function addSummary(markdown: string): void {
  appendTo('GITHUB_STEP_SUMMARY', `${markdown}\n`);
}

function appendTo(variable: string, text: string): void {
  const path = process.env[variable];
  if (path) appendFileSync(path, text);
}

/** Masks a value in the log. */
export function mask(secret: string): void {
  if (secret !== '') process.stdout.write(`::add-mask::${escapeData(secret)}\n`);
}

type Level = 'notice' | 'warning' | 'error';

/** Writes an annotation to the log and, with a file, next to that file in the pull request. */
export function annotate(level: Level, text: string, file?: string): void {
  const place = file === undefined ? '' : ` file=${escapeProperty(file)}`;
  process.stdout.write(`::${level}${place}::${escapeData(text)}\n`);
}

/** Escapes text so that it cannot contain workflow commands. */
function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

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
