import { resolve } from 'node:path';
import { serviceUrl } from '../../fewerbytes/src/client/client.ts';
import { printable } from '../../fewerbytes/src/command/texts.ts';
import type { FileResult, Summary } from '../../fewerbytes/src/files/report.ts';
import { optimizeFiles } from '../../fewerbytes/src/files/run.ts';
import { type OptionTexts, readOptions } from '../../fewerbytes/src/options.ts';
import { Comments } from './comments.ts';
import { Repository } from './git.ts';
import { nothingText, reportText, savedBytes, smallerFiles } from './report.ts';
import {
  addSummary,
  annotate,
  input,
  mask,
  type PullRequest,
  readTrigger,
  setOutput,
  switchInput,
  type Trigger,
} from './runner.ts';

try {
  await main();
} catch (error) {
  fail(messageOf(error));
}

async function main(): Promise<void> {
  const trigger = await readTrigger(process.env);
  if (trigger.kind === 'refused') return fail(trigger.reason);
  const settings = readSettings();
  const repository = new Repository(settings.folder);
  const images = await repository.images(trigger, settings.paths);
  if (images.length === 0) {
    outputs(0, []);
    return publish(trigger, settings, nothingText, false);
  }
  const pullRequest = settings.isCommitting ? demandOwnBranch(trigger) : null;
  if (pullRequest) await repository.demandBranch(pullRequest);
  const summary = await optimizeFiles(images, {
    service: settings.service !== null,
    ...settings.service,
    options: settings.options,
    cwd: settings.folder,
    ...(settings.isCommitting ? { inPlace: true } : { write: false }),
    ...(settings.cache !== '' && { cache: settings.cache }),
    onEvent: (event) => {
      if (event.type === 'file')
        console.log(`${event.file.status.padEnd(9)} ${printable(event.file.path)}`);
    },
  });
  const smaller = smallerFiles(summary);
  if (pullRequest && smaller.length > 0) {
    const names = smaller.map(({ path }) => path);
    await repository.commit(names, `Smaller images: ${names.length}`, pullRequest);
  }
  outputs(images.length, smaller);
  report(summary, smaller, settings);
  await publish(trigger, settings, reportText(summary, pullRequest !== null), true);
}

interface Settings {
  readonly folder: string;
  /** Null: the runner does the work. */
  readonly service: { readonly url: string; readonly key: string } | null;
  readonly token: string;
  readonly options: ReturnType<typeof readOptions>;
  readonly paths: readonly string[];
  /** Percent; null: never fail. */
  readonly failAbove: number | null;
  readonly isCommitting: boolean;
  readonly isCommenting: boolean;
  readonly cache: string;
}

/** @throws RangeError that names the invalid input */
function readSettings(): Settings {
  const [url, key, token] = [input('url'), input('key'), input('token')];
  mask(key);
  if (url !== '' && key === '') {
    annotate('notice', 'No API key, as in pull requests from forks: the runner does the work.');
  }
  const names = ['target', 'quality', 'metadata', 'width'] as const;
  const texts = names.flatMap((name) => (input(name) === '' ? [] : [[name, input(name)]]));
  return {
    folder: resolve(process.env.GITHUB_WORKSPACE ?? '.'),
    service: key === '' ? null : { url: serviceUrl(url), key },
    token,
    options: readOptions(Object.fromEntries(texts) as OptionTexts),
    paths: input('paths')
      .split(/\s*\n\s*/)
      .filter((glob) => glob !== ''),
    failAbove: readPercent(input('fail-above')),
    isCommitting: switchInput('commit'),
    isCommenting: switchInput('comment'),
    cache: input('cache'),
  };
}

function readPercent(text: string): number | null {
  if (text === '') return null;
  const percent = Number(text.replace(/\s*%$/, ''));
  if (percent >= 0 && percent < 100) return percent;
  throw new RangeError(`"fail-above" cannot be "${text}", but: 0 to 99.`);
}

/** @throws Error if there is no branch to commit to */
function demandOwnBranch(trigger: Trigger): PullRequest {
  if (trigger.kind === 'pull-request' && !trigger.pullRequest.isFork) return trigger.pullRequest;
  throw new Error('"commit" works for pull requests from branches of the repository itself only.');
}

function outputs(images: number, smaller: readonly FileResult[]): void {
  setOutput('images', images);
  setOutput('smaller', smaller.length);
  setOutput('saved-bytes', savedBytes(smaller));
}

/**
 * Annotates files that failed or are too large. Fails the job for a bad key, and for large images if `fail-above` is
 * set.
 */
function report(
  { files, stop }: Summary,
  smaller: readonly FileResult[],
  { failAbove, isCommitting }: Settings,
): void {
  for (const { path, error } of files) {
    if (error && !error.stop) annotate('warning', `${error.code}: ${error.message}`, path);
  }
  const [first] = files.flatMap(({ error }) => (error?.stop ? [error] : []));
  if (first && stop === 'key') fail(`${first.code}: ${first.message}`);
  else if (first) annotate('warning', `${first.code}: ${first.message}`);
  if (failAbove === null || isCommitting) return;
  const tooLarge = smaller.filter((file) => percentSaved(file) > failAbove);
  for (const file of tooLarge) {
    const text = `This image could be smaller by ${Math.round(percentSaved(file))}%.`;
    annotate('error', text, file.path);
  }
  if (tooLarge.length > 0) {
    fail(
      `${tooLarge.length} of ${files.length} images could be smaller by more than ${failAbove}%.`,
    );
  }
}

function percentSaved({ inputBytes, outputBytes }: FileResult): number {
  return (1 - outputBytes / inputBytes) * 100;
}

/** Writes the text to the job summary and, for a pull request, to its comment. */
async function publish(
  trigger: Trigger,
  { isCommenting, token }: Settings,
  text: string,
  isWorthStarting: boolean,
): Promise<void> {
  addSummary(text);
  if (trigger.kind !== 'pull-request' || !isCommenting || token === '') return;
  const comments = new Comments(process.env, trigger.pullRequest.number, token);
  const same = 'The summary of the job says the same.';
  try {
    const refusal = await comments.write(text, isWorthStarting);
    if (refusal === null) return;
    // in pull requests from forks, the token is read-only
    const advice = refusal === 403 ? ' The job needs "permissions: pull-requests: write".' : '';
    annotate('notice', `GitHub has refused the comment (${refusal}).${advice} ${same}`);
  } catch (error) {
    // of the network, or of an answer that is no JSON
    annotate('notice', `The comment could not be written (${messageOf(error)}). ${same}`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function fail(text: string): void {
  annotate('error', text);
  process.exitCode = 1;
}
