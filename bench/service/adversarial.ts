import { ImageError, type OptimizeOptions, plan } from '../../src/image/engine.ts';
import type { InputType } from '../../src/image/formats/facts.ts';
import { readOptions } from '../../src/routes/optimize/options.ts';
import { type AdversarialFile, adversarialFiles } from '../../test/support/adversarial/files.ts';
import type { Part, Table } from '../harness/section.ts';
import { spent } from '../measures/cpu-time.ts';
import { figure, median } from '../measures/figures.ts';
import type { Query } from './memory/configurations.ts';

/** CPU time of files that are made to take as much as possible, compared with what is predicted for them. */
export const adversarial: Part = {
  name: 'adversarial',
  async measure({ say }) {
    const rows: Row[] = [];
    for (const file of adversarialFiles) {
      const bytes = await file.make(fileBytes);
      for (const query of queries) {
        const row = measured(file, bytes, query);
        rows.push(row);
        say(`  ${row.name}: ${cellsOf(row).join(', ')}`);
      }
    }
    const byType = Map.groupBy(rows, ({ type }) => type);
    const largest = [...byType].map(([type, of]) => `${type} ${figure(largestRatio(of), 2)}`);
    const result = `Largest ratio of time and prediction: ${largest.join(', ')}`;
    say(result);
    return {
      title: 'CPU time of adversarial files against what is predicted',
      text: text(result),
      tables: [...byType].map(([type, of]) => tableOf(type, of)),
      plots: [],
      failures: rows
        .filter((row) => isLonger(row))
        .map((row) => `${row.name}: ${cellsOf(row).join(', ')}`),
    };
  },
};

/** Approximate length of the files. */
const fileBytes = 4 * 2 ** 20;

/** With a quality where one would be searched for, which depends on the picture and not on the file. */
const queries: readonly Query[] = [
  { format: 'keep', metadata: 'all' },
  { format: 'webp', quality: '75' },
  { format: 'jpeg', quality: '75' },
];

/** Maximum ratio of time and prediction. */
const factor = 2;
/** Times up to this, in milliseconds, do not matter; a refusal by the headers may not take longer. */
const shortMs = 50;

interface Row {
  readonly type: InputType;
  readonly name: string;
  readonly bytes: number;
  /** In milliseconds; null if it is refused by its headers. */
  readonly predicted: number | null;
  readonly taken: number;
  readonly outcome: string;
}

/** Runs are repeated this often, unless they take longer than `longMs` each; the median counts. */
const runs = 5;
const longMs = 2000;

function measured(
  { type, name }: AdversarialFile,
  file: Uint8Array<ArrayBuffer>,
  query: Query,
): Row {
  const options = readOptions(Object.entries({ background: '#ffffff', ...query }), undefined);
  const times: number[] = [];
  let run = { predicted: null as number | null, outcome: '' };
  while (times.length < runs) {
    const bytes = file.slice();
    const before = spent();
    run = runOf(bytes, options);
    times.push(spent() - before);
    if (Math.max(...times) > longMs) break;
  }
  const taken = median(times) ?? 0;
  return { type, name: `${type}, ${name} → ${query.format}`, bytes: file.length, taken, ...run };
}

/** Does what the service does, from the headers to the result. */
function runOf(
  file: Uint8Array<ArrayBuffer>,
  options: OptimizeOptions,
): Pick<Row, 'predicted' | 'outcome'> {
  let predicted: number | null = null;
  let given: ArrayBuffer | null = file.buffer;
  const releaseFile = () => {
    const buffer = given;
    given = null;
    return buffer;
  };
  try {
    const work = plan(file, options);
    predicted = work.cpuMs;
    return { predicted, outcome: `${work.start(releaseFile).finish().bytes.length} bytes` };
  } catch (error) {
    if (!(error instanceof ImageError)) throw error;
    return { predicted, outcome: error.code };
  }
}

function ratioOf({ predicted, taken }: Row): number | null {
  return predicted === null ? null : taken / predicted;
}

function isLonger(row: Row): boolean {
  return row.taken > shortMs && (ratioOf(row) ?? Number.POSITIVE_INFINITY) > factor;
}

/** Of those that take long enough to matter. */
function largestRatio(rows: readonly Row[]): number {
  return Math.max(0, ...rows.map((row) => (row.taken > shortMs ? (ratioOf(row) ?? 0) : 0)));
}

function cellsOf(row: Row): readonly string[] {
  const ratio = ratioOf(row);
  return [
    figure(row.bytes / 2 ** 20, 2),
    row.predicted === null ? '–' : figure(row.predicted, 1),
    figure(row.taken, 1),
    ratio === null ? '–' : figure(ratio, 2),
    row.outcome,
  ];
}

function tableOf(type: InputType, rows: readonly Row[]): Table {
  return {
    caption: `CPU time in milliseconds of adversarial files, ${type}`,
    columns: ['', 'MiB', 'predicted', 'taken', 'ratio', 'outcome'],
    rows: rows.map((row) => [row.name, ...cellsOf(row)]),
  };
}

function text(result: string): string {
  return `The files of \`test/support/adversarial\` are made so that reading them takes as long as possible for
their length: deflate blocks without content, chunks without data, groups of prefix codes that nothing uses, scans without coefficients.
*Predicted* is what the plan says before anything is decoded; *taken* is user and system time of the process, the median of several
runs. Files without a prediction are refused by their headers.

**${result}.** Nothing may take more than ${factor} times its prediction, or more than ${shortMs} ms if it is refused by its headers.`;
}
