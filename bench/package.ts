/**
 * `npm run bench:package [-- [--files n] [--rounds n] [--out <file>] [--folder-run] [<folder>]]`: compares the npm
 * package with scripts that use sharp and jSquash. Each makes the same photos into JPEG and WebP over all cores: the
 * package at its automatic quality, the others at the fixed quality with the same mean score. Photos are JPEGs of the
 * folder, of `photos` in $CORPUS if that is set, or made from the samples; 40 at most, or `--files`. Times are medians
 * of three rounds, or `--rounds`. `--out` also writes the tables, in Markdown. `--folder-run` measures the command
 * line instead, on a folder of 500 pictures, or `--files`.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { wholeNumber } from '../scripts/local/options.ts';
import { root } from '../scripts/local/root.ts';
import { machine, markdownTable, terminalTable } from './harness/report.ts';
import type { Table } from './harness/section.ts';
import { Scorers } from './likeness/scorers.ts';
import { figure } from './measures/figures.ts';
import { comparison } from './package/comparison.ts';
import { folderRun } from './package/folder-run.ts';
import { preparePhotos } from './package/photos.ts';

const { values, positionals } = parseArgs({
  options: {
    files: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    out: { type: 'string' },
    'folder-run': { type: 'boolean', default: false },
  },
  allowPositionals: true,
});

const isFolderRun = values['folder-run'];
const count = wholeNumber('files', values.files ?? (isFolderRun ? '500' : '40'), 1);
const rounds = wholeNumber('rounds', values.rounds, 1);
const { CORPUS } = process.env;
const from = positionals[0] ?? (CORPUS && join(CORPUS, 'photos'));

execFileSync(process.execPath, [join(root, 'scripts/build-packages.ts')], { stdio: 'inherit' });
const folder = await mkdtemp(join(tmpdir(), 'fewerbytes-package-'));
try {
  const tables: Table[] = [];
  for await (const table of isFolderRun ? [await folderRun(folder, count)] : comparisons()) {
    console.log(`\n${terminalTable(table)}\n`);
    tables.push(table);
    // Written after each table, so that a later failure does not lose what has been measured.
    if (values.out !== undefined) await writeFile(values.out, markdown(tables));
  }
} finally {
  await rm(folder, { recursive: true });
}

async function* comparisons(): AsyncGenerator<Table> {
  const sources = join(folder, 'photos');
  await mkdir(sources);
  const photos = await preparePhotos(from, sources, count);
  if (photos.length === 0) throw new Error(`${from} has no JPEGs to measure with`);
  const bytes = photos.reduce((sum, photo) => sum + photo.bytes, 0);
  console.log(`${photos.length} photos, ${figure(bytes / 1e6, 1)} MB`);
  await using scorers = await Scorers.start();
  for (const format of ['jpeg', 'webp'] as const) {
    const say = (line: string) => console.log(`  ${line}`);
    yield await comparison(format, { photos, folder, rounds, scorers, say });
  }
}

function markdown(tables: readonly Table[]): string {
  const circumstances = machine().map((line) => `- ${line}`);
  return [circumstances.join('\n'), ...tables.map(markdownTable), ''].join('\n\n');
}
