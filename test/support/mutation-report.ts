import { formats } from './mutation-originals.ts';
import { memoryEach, type Outcome, type RunReport } from './mutation-run.ts';

/**
 * So much more than a sound file may a damaged one leave behind, in bytes: a codec's memory that stays
 * after one file in thirty would be more. The local runtime keeps some 80 KiB of any request, also of
 * one to a Worker that does nothing, so resident memory as such never is flat; how much that is can be
 * measured to some 20 KiB.
 */
const tolerance = 48 * 1024;

/** With fewer, arenas are still growing to what the largest picture takes. */
const fewestSamples = 50;

const mebibyte = 2 ** 20;

/** How many files of each format came to which end, as lines of a table. */
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

/** One line for each of the files that took longest. */
export function slowest({ outcomes }: RunReport, count: number): string[] {
  return outcomes
    .toSorted((a, b) => b.milliseconds - a.milliseconds)
    .slice(0, count)
    .map(line);
}

/** One line for each answer that should not have been. */
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

/** All of it in one line, and whether nothing was wrong. */
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
  return {
    isGood: failures + hangs + others === 0 && memory.isFlat && outcomes.length > 0,
    line: parts.join('; '),
  };
}

function memoryVerdict({ memory, soundMemory }: RunReport): { isFlat: boolean; words: string } {
  const [mutated, sound] = [growth(memory), growth(soundMemory)];
  if (!mutated || !sound) return { isFlat: true, words: 'memory not judged' };
  const isFlat = mutated.perFile <= sound.perFile + tolerance;
  const range = `${Math.round(mutated.early / mebibyte)} → ${Math.round(mutated.late / mebibyte)} MiB`;
  const [ofMutated, ofSound, more] = [mutated.perFile, sound.perFile, tolerance].map(
    (bytes) => `${Math.round(bytes / 1024)} KiB`,
  );
  const words = `memory ${isFlat ? 'flat' : 'grown'} (${range} resident: ${ofMutated} a file, and ${ofSound} for sound ones, which the local runtime keeps of any request; up to ${more} more is flat)`;
  return { isFlat, words };
}

/**
 * From the second fifth of a run to the last, by their medians. What is built up once (compiled code,
 * arenas) is there after a fifth; what leaks goes on.
 */
function growth(samples: readonly number[]) {
  const fifth = Math.floor(samples.length / 5);
  const [early, late] = [median(samples.slice(fifth, 2 * fifth)), median(samples.slice(-fifth))];
  if (samples.length < fewestSamples || early === undefined || late === undefined) return null;
  const files = memoryEach * (samples.length - 2 * fifth);
  return { early, late, perFile: (late - early) / files };
}

function median(values: readonly number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}
