/**
 * `npm run bench [-- [--only jpeg,png,…] [--out <folder>] [--pictures] [--quality <1–100>] [--files <n>] [<folder>]]`:
 * measures bytes, time and memory of the service's results, compared with other software. Without a folder of pictures,
 * it measures the sample pictures. Tables are printed, and written with plots to a report, by default in
 * `bench-output`. `--pictures` also writes PNGs before and after there, for inspection; `--quality` measures PNG at
 * another quality than the automatic one; `--files` limits the number of pictures per folder in the parts about
 * targets. Exits with status 1 if an expectation fails or something could not be measured. Comparisons are only
 * reported, never judged.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import sharp from 'sharp';
import { root } from '../scripts/local/root.ts';
import { animations } from './animations/part.ts';
import { avif } from './codecs/avif/part.ts';
import { jpeg } from './codecs/jpeg/part.ts';
import { jxl } from './codecs/jxl/part.ts';
import { png } from './codecs/png/part.ts';
import { resize } from './codecs/resize/part.ts';
import { webp } from './codecs/webp/part.ts';
import { loadCorpus } from './harness/corpus.ts';
import { failuresOf, machine, type Outcome, outcomeOf, writeReport } from './harness/report.ts';
import type { Part } from './harness/section.ts';
import { adversarial } from './service/adversarial.ts';
import { cpu } from './service/cpu.ts';
import { delivery } from './service/delivery.ts';
import { memory } from './service/memory.ts';
import { pauses } from './service/pauses.ts';
import { sets } from './service/sets.ts';
import { speed } from './service/speed.ts';
import { maxBytes } from './targets/max-bytes.ts';
import { searchCpu } from './targets/search-cpu.ts';
import { targets } from './targets/targets.ts';

const parts: readonly Part[] = [
  ...[jpeg, png, webp, avif, jxl, resize, animations],
  ...[memory, cpu, adversarial, pauses, sets, speed, delivery],
  ...[targets, maxBytes, searchCpu],
];

const { values, positionals } = parseArgs({
  options: {
    only: { type: 'string' },
    out: { type: 'string', default: join(root, 'bench-output') },
    pictures: { type: 'boolean', default: false },
    quality: { type: 'string' },
    files: { type: 'string' },
  },
  allowPositionals: true,
});

// One thread and no cache, so that times are those of the actual work.
sharp.concurrency(1);
sharp.cache(false);

const selectedParts = chosen(values.only);
const corpus = await loadCorpus(positionals[0]);
const circumstances = { date: new Date(), machine: machine(), corpus };
const settings = {
  corpus,
  say: (line: string) => console.log(line),
  ...(values.pictures && { picturesTo: join(values.out, 'pictures') }),
  ...(values.quality && { quality: qualityOf(values.quality) }),
  ...(values.files && { filesEach: filesEachOf(values.files) }),
};

const outcomes: Outcome[] = [];
for (const part of selectedParts) {
  outcomes.push(await outcomeOf(part, settings));
  // Written after each part, so that a later failure does not lose what has been measured.
  await writeReport(values.out, circumstances, outcomes);
}
for (const failure of failuresOf(outcomes)) console.error(failure);
console.log(`\n${join(values.out, 'README.md')}`);
process.exitCode = failuresOf(outcomes).length > 0 ? 1 : 0;

function qualityOf(text: string): number {
  const quality = Number(text);
  if (quality >= 1 && quality <= 100) return quality;
  throw new RangeError('--quality is a number from 1 to 100');
}

function filesEachOf(text: string): number {
  const files = Number(text);
  if (Number.isInteger(files) && files > 0) return files;
  throw new RangeError('--files is a whole number from 1 on');
}

function chosen(only: string | undefined): readonly Part[] {
  const names = only?.split(',') ?? parts.map(({ name }) => name);
  return names.map((wantedName) => {
    const part = parts.find(({ name }) => name === wantedName);
    if (part) return part;
    throw new Error(`${wantedName} is none of ${parts.map(({ name }) => name).join(', ')}`);
  });
}
