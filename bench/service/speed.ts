import { setup as bundleWorker } from '../../test/support/bundled-worker.ts';
import { startTestService } from '../../test/support/service.ts';
import type { Part } from '../harness/section.ts';
import { type Metering, meteringOf } from './cost.ts';
import { largestPhoto } from './largest-photo.ts';
import { SourcePictures } from './memory/source-pictures.ts';
import { type TimedJob, timedJob, typicalJobs } from './speed/jobs.ts';
import { costTable, failuresOf, speedPlot, speedTable } from './speed/report.ts';
import { workerdOfService } from './workerd.ts';

/** Time of typical requests in the running service, compared with sharp, and their cost. */
export const speed: Part = {
  name: 'speed',
  async measure({ corpus, say }) {
    const photo = await largestPhoto(corpus.photos);
    const pictures = await SourcePictures.of(photo.bytes);
    bundleWorker();
    const service = await startTestService();
    try {
      const rows: TimedJob[] = [];
      for (const job of await typicalJobs(corpus, pictures)) {
        const row = await timedJob(job, { service, workerd: workerdOfService() });
        say(`  ${job.name}: ${row.cpu.toFixed(1)} ms`);
        rows.push(row);
      }
      const metering = await meteringOf(service, 'tester@example.com');
      return {
        title: 'Speed and cost of the running service',
        text: text(photo.name, metering),
        tables: [speedTable(rows), costTable(rows, metering)],
        plots: [speedPlot(rows)],
        failures: failuresOf(rows),
      };
    } finally {
      await service.close();
      await pictures.end();
    }
  },
};

function text(photo: string, { rows, databaseRows }: Metering): string {
  return `Photos of 4:3 tiled from ${photo}. *CPU* is user and system time of all threads of workerd per
request, the local database among it, which elsewhere is not the Worker's; the median of three rounds
after the code has been compiled. *sharp* does the same in the process of the bench, native and with one
thread: JPEG as MozJPEG, AVIF at the same speed of libaom, PNG with a palette, at the figure that the
service has chosen, and at 80 where the service answers with the original or without loss, which is less work than sharp's.
Where it reduces a JPEG, it decodes an eighth of it at best, in codes instead of light. Jobs are those of \`quality=auto\`, which
searches; beside some of them stands \`quality=77\`, which does not.

Costs are those of Workers beyond what the plan of $5 a month includes: $0.30 for a million requests,
$0.02 for a million CPU milliseconds, $0.15 for a million calls of Durable Objects, $1.00 for a million
rows written. Counting one picture of a hundred a minute writes ${rows.toFixed(2)} rows in its meter and
${databaseRows.toFixed(2)} in D1. They are computed from the CPU time of this machine; Cloudflare's are others.`;
}
