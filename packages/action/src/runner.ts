import { appendFileSync } from 'node:fs';

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
