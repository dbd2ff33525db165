import type { Part } from '../harness/section.ts';
import { type CpuJob, corpusJobs } from './cpu/jobs.ts';
import { type MeasuredCpu, measuredCpu } from './cpu/measure.ts';
import { cpuPlot, cpuTable, failuresOf, verdict } from './cpu/report.ts';
import { largestPhoto } from './largest-photo.ts';
import {
  allConfigurations,
  type Configuration,
  nameOf,
  usualConfigurations,
} from './memory/configurations.ts';
import { bytesOf, largestFor, SourcePictures } from './memory/source-pictures.ts';

/** CPU time of requests, compared with the prediction made before decoding. */
export const cpu: Part = {
  name: 'cpu',
  async measure({ corpus, say }) {
    const photo = await largestPhoto(corpus.photos);
    const pictures = await SourcePictures.of(photo.bytes);
    const isFull = process.env.BENCH_CPU === 'full';
    try {
      const jobs: Readonly<Record<string, readonly CpuJob[]>> = {
        'pictures as they come': corpusJobs(corpus.files, isFull),
        'the pictures of the memory table': madeJobs(pictures),
      };
      const groups: Record<string, readonly MeasuredCpu[]> = {};
      for (const [title, list] of Object.entries(jobs)) {
        const rows: MeasuredCpu[] = [];
        for (const job of list) {
          const row = await measuredCpu(job);
          if (row) rows.push(row);
          if (row)
            say(
              `  ${row.name}: ${row.predicted.toFixed(1)} ms, ${row.measured.toFixed(1)} measured`,
            );
        }
        say(`${title}: ${verdict(rows)}`);
        groups[title] = rows;
      }
      const all = Object.values(groups).flat();
      say(verdict(all));
      return {
        title: 'CPU time against what is predicted',
        text: text(photo.name, verdict(all)),
        tables: Object.entries(groups).map(([title, rows]) => cpuTable(title, rows)),
        plots: [cpuPlot(groups)],
        failures: failuresOf(all),
      };
    } finally {
      await pictures.end();
    }
  },
};

/** Jobs with generated pictures: those of the memory table, and all conversions at one megapixel. */
function madeJobs(pictures: SourcePictures): CpuJob[] {
  const small = allConfigurations().filter(({ megapixels }) => megapixels === 1);
  const unique = new Map(
    [...usualConfigurations(), ...small].map((one) => [`${nameOf(one)} ${one.megapixels}`, one]),
  );
  return [...unique.values()].map((configuration) => ({
    name: nameOf(configuration),
    query: configuration.query,
    read: async () => bytesOf(await pictureFor(configuration, pictures)),
  }));
}

function pictureFor(configuration: Configuration, pictures: SourcePictures) {
  const { kind, megapixels } = configuration;
  return megapixels === 'largest'
    ? largestFor(configuration, pictures)
    : pictures.make(kind, 1e6 * megapixels);
}

function text(photo: string, result: string): string {
  return `Every job runs in the process of the bench as it does in the Worker, from the first look at a file
to its result; *measured* is user and system time of the process, the least of several runs where they are short, the code
compiled. *Predicted* is what the plan says before anything is decoded. Of the folder's pictures each keeps its format and goes some of
the other ways in turn; made pictures are tiled from ${photo}. Jobs of less than 5 ms count as predicted.

**${result}.** At least 95 % have to be. \`BENCH_CPU=full\` measures every picture on every way.`;
}
