import { appendFileSync } from 'node:fs';

/** What the runner tells an action, and what an action tells the runner: environment variables, files and lines on stdout. */

type Environment = Readonly<Record<string, string | undefined>>;

/** An input of action.yml; empty if it is not given. */
export function input(name: string, environment: Environment = process.env): string {
  return (environment[`INPUT_${name.replaceAll(' ', '_').toUpperCase()}`] ?? '').trim();
}

/**
 * An input that is on or off.
 * @throws RangeError for anything else
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

/** Adds Markdown to the summary of the job. */
export function addSummary(markdown: string): void {
  appendTo('GITHUB_STEP_SUMMARY', `${markdown}\n`);
}

function appendTo(variable: string, text: string): void {
  const path = process.env[variable];
  if (path) appendFileSync(path, text);
}

/** Keeps a value out of the log, whoever prints it. */
export function mask(secret: string): void {
  if (secret !== '') process.stdout.write(`::add-mask::${escapeData(secret)}\n`);
}

type Level = 'notice' | 'warning' | 'error';

/** Shows a sentence in the log and, with a file, beside it in the pull request. */
export function annotate(level: Level, text: string, file?: string): void {
  const place = file === undefined ? '' : ` file=${escapeProperty(file)}`;
  process.stdout.write(`::${level}${place}::${escapeData(text)}\n`);
}

/** File names and sentences of others must not become commands of their own. */
function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
