import { formats } from './originals.ts';
import type { Outcome, RunReport } from './run.ts';

/** Maximum growth of what the Worker holds, in bytes per file, and that of a few files. */
const tolerance = { perFile: 350, least: 2 ** 19 };

/** The number of files of each format by outcome, as lines of a table. */
export function countsTable({ outcomes }: RunReport): string[] {
  const statuses = [...new Set(outcomes.map(ending))].sort();
  const head = ['format', ...statuses, 'all'];
  const rows = formats.map((format) => {
    const ofFormat = outcomes.filter(({ request }) => request.format === format);
    const counts = statuses.map((status) => ofFormat.filter((each) => ending(each) === status));
    return [format, ...counts.map(({ length }) => length), ofFormat.length];
  });
  return [head, ...rows].map((row) => row.map((cell) => String(cell).padStart(8)).join(''));
}

function ending({ status }: Outcome): string {
  return status === null ? 'hang' : String(status || 'fault');
}

/** One line for each of the slowest files. */
export function slowest({ outcomes }: RunReport, count: number): string[] {
  return outcomes
    .toSorted((a, b) => b.milliseconds - a.milliseconds)
    .slice(0, count)
    .map(line);
}

/** One line for each wrong response. */
export function faults({ outcomes }: RunReport): string[] {
  return outcomes
    .filter(({ fault }) => fault !== null)
    .map((outcome) => `${line(outcome)}: ${outcome.fault}`);
}

function line(outcome: Outcome): string {
  const { request, milliseconds } = outcome;
  const { index, name, carrier } = request;
  return `${String(Math.round(milliseconds)).padStart(6)} ms  --only ${index}  ${ending(outcome)}  ${carrier}  ${name}`;
}

/** A one-line summary, and whether everything was correct. */
export function verdict(report: RunReport): { readonly isGood: boolean; readonly line: string } {
  const { outcomes } = report;
  const failures = outcomes.filter(({ status }) => status !== null && status >= 500).length;
  const hangs = outcomes.filter(({ status }) => status === null).length;
  const others = outcomes.filter(
    ({ fault, status }) => fault !== null && status !== null && status < 500,
  ).length;
  const decoded = outcomes.filter(({ isDecoded }) => isDecoded).length;
  const memory = memoryVerdict(report);
  const count = outcomes.length.toLocaleString('en');
  const parts = [
    `${count} mutated files: ${failures} answers of 5xx, ${hangs} hangs, ${memory.words}`,
    `${others} other faults, with ${decoded} pictures decoded`,
  ];
  const oneSided = formats.filter((format) => isOneSided(outcomes, format));
  if (oneSided.length > 0) parts.push(`only pictures or only refusals of ${oneSided.join(', ')}`);
  const isWhole = outcomes.length > 0 && oneSided.length === 0;
  return {
    isGood: failures + hangs + others === 0 && memory.isFlat && isWhole,
    line: parts.join('; '),
  };
}

/**
 * Of this many damaged files of a format, some must succeed and some must be refused; otherwise most were not really
 * processed.
 */
const minOutcomes = 20;

function isOneSided(outcomes: readonly Outcome[], format: (typeof formats)[number]): boolean {
  const statuses = outcomes
    .filter(({ request }) => request.format === format)
    .map(({ status }) => status);
  if (format === 'other' || statuses.length < minOutcomes) return false;
  return !statuses.includes(200) || !statuses.includes(422);
}

/** After two fifths, one-time growth such as caches is complete; a leak continues. */
function memoryVerdict({ held, outcomes }: RunReport): { isFlat: boolean; words: string } {
  const [early, late] = [held[1], held[4]];
  if (early === undefined || late === undefined) return { isFlat: false, words: 'memory not read' };
  const between = (3 / 5) * outcomes.length;
  const isFlat = late <= early + Math.max(tolerance.least, tolerance.perFile * between);
  const [before, after] = [early, late].map((bytes) => (bytes / 2 ** 20).toFixed(1));
  const words = `memory ${isFlat ? 'flat' : 'grown'} (the Worker holds ${before} MiB after the second fifth, ${after} MiB after the last)`;
  return { isFlat, words };
}
