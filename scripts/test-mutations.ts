/**
 * `npm run test:mutations [-- --files 5000 --seed n --format webp --only index]`: sends damaged files of every format,
 * or of one, through the service, four at a time. Prints a verdict as the last line, and exits with status 1 if a
 * response was wrong. `--only` sends one file of that seed again, and writes it to `mutation-output/`.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { formats } from '../test/support/mutations/originals.ts';
import { countsTable, faults, slowest, verdict } from '../test/support/mutations/report.ts';
import { mutatedRequests, runMutations } from '../test/support/mutations/run.ts';
import { wholeNumber } from './local/options.ts';
import { root } from './local/root.ts';

const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '5000' },
    seed: { type: 'string', default: '1' },
    format: { type: 'string' },
    only: { type: 'string' },
  },
});
const seed = wholeNumber('seed', values.seed);
const only = values.only === undefined ? null : wholeNumber('only', values.only);
const files = wholeNumber('files', values.files, 1);

if (only !== null) await keep(only);
console.log(`Seed ${seed}`);
const indexes = only === null ? indexesOf(values.format) : [only];
const report = await runMutations({
  ...{ seed, indexes },
  decodeEach: only === null ? 10 : 1,
});

console.log(countsTable(report).join('\n'));
console.log(`\nSlowest\n${slowest(report, 10).join('\n')}`);
const wrong = faults(report);
if (wrong.length > 0) console.log(`\nFaults\n${wrong.join('\n')}`);
const { isGood, line } = verdict(report);
console.log(`\n${line}`);
process.exit(isGood ? 0 : 1);

/** Indexes of the requested number of files; formats take turns. */
function indexesOf(format: string | undefined): number[] {
  const place = formats.map(String).indexOf(format ?? '');
  if (format !== undefined && place < 0) {
    console.error(`--format takes one of ${formats.join(', ')}, not "${format}".`);
    process.exit(2);
  }
  return Array.from({ length: files }, (_, i) => (place < 0 ? i : formats.length * i + place));
}

/** Writes a file for inspection. */
async function keep(index: number): Promise<void> {
  const { file, name } = (await mutatedRequests(seed))(index);
  const folder = join(root, 'mutation-output');
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${seed}-${index}.bin`);
  await writeFile(path, file);
  console.log(`${relative(process.cwd(), path)}: ${name}, ${file.length} bytes`);
}
