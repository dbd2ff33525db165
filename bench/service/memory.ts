import { arenaBirthBytes } from '../../src/image/codecs/arena.ts';
import { predictedPeak } from '../../src/image/jobs/predicted-peak.ts';
import { memoryBudget, servingBytes } from '../../src/image/memory.ts';
import type { Part } from '../harness/section.ts';
import { largestPhoto } from './largest-photo.ts';
import {
  allConfigurations,
  type Configuration,
  nameOf,
  type Query,
  usualConfigurations,
} from './memory/configurations.ts';
import type { Errand, Reading } from './memory/fresh-service.ts';
import { inLanes } from './memory/lanes.ts';
import { largestFor, planFor } from './memory/largest.ts';
import { failuresOf, type Measured, memoryPlots, memoryTable } from './memory/report.ts';
import { bytesOf, type SourcePicture, SourcePictures } from './memory/source-pictures.ts';

/** In pixels; its work fits into the arena as it is born, so that this is what an idle service holds of it. */
const small = 240 * 180;
const smallWidth = 64;

/** How often a configuration is measured; one that takes long less often. */
const [readings, long] = [2, 6000];

const mebibyte = 2 ** 20;

/** What requests of all sizes and formats hold in workerd, beside what the ledger counts on. */
export const memory: Part = {
  name: 'memory',
  async measure({ corpus, say }) {
    const photo = await largestPhoto(corpus.photos);
    const pictures = await SourcePictures.of(photo.bytes);
    const isFull = process.env.BENCH_MEMORY === 'full';
    const configurations = isFull ? allConfigurations() : usualConfigurations();
    try {
      const rows = await inLanes(configurations, async (configuration, measure) => {
        const row = await measuredRow(configuration, pictures, measure, isFull);
        if (row) say(`  ${nameOf(configuration)}: ${(row.measured / mebibyte).toFixed(1)} MiB`);
        return row;
      });
      const measured = rows.filter((row) => row !== null);
      return {
        title: 'Memory of the running service',
        text: text(photo.name),
        tables: [memoryTable(measured)],
        plots: memoryPlots(measured),
        failures: failuresOf(measured),
      };
    } finally {
      await pictures.end();
    }
  },
};

/** Null where the planner does not take the picture, which is so for the full ladder's large ones. */
async function measuredRow(
  configuration: Configuration,
  pictures: SourcePictures,
  measure: (errand: Errand) => Promise<Reading>,
  mayBeRefused: boolean,
): Promise<Measured | null> {
  const { kind, query, megapixels } = configuration;
  const picture =
    megapixels === 'largest'
      ? await largestFor(configuration, pictures)
      : await pictures.make(kind, 1e6 * megapixels);
  const predicted = await predictionFor(picture, query);
  if (predicted === null && mayBeRefused) return null;
  const errand = {
    path: picture.path,
    small: (await pictures.make(kind, small)).path,
    search: searchOf(query),
    smallSearch: searchOf({ ...query, ...(query.width && { width: String(smallWidth) }) }),
  };
  const all: Reading[] = [];
  while (all.length < readings) {
    const reading = await measure(errand);
    all.push(reading);
    if (reading.milliseconds > long) break;
  }
  const { pixels, bytes: fileBytes } = picture;
  return {
    configuration,
    pixels,
    fileBytes,
    status: Math.max(...all.map(({ status }) => status)),
    predicted: predicted ?? 0,
    measured: Math.max(...all.map(({ idle, peak }) => peak - idle)) + arenaBirthBytes,
    milliseconds: Math.min(...all.map(({ milliseconds }) => milliseconds)),
  };
}

async function predictionFor(picture: SourcePicture, query: Query): Promise<number | null> {
  const planned = planFor(await bytesOf(picture), query);
  if (planned.kind === 'refused') return null;
  return predictedPeak(planned.candidates, picture.bytes);
}

function searchOf(query: Query): string {
  return `?${new URLSearchParams(query)}`;
}

function text(photo: string): string {
  return `Every request in a service of its own that has just started, pictures of 4:3 tiled from
${photo}. *Measured* is resident memory of workerd: its peak during the request (VmHWM of proc(5))
less what it held at rest, and the ${arenaBirthBytes / mebibyte} MiB of arena that it held then; the most of ${readings} readings, of
one where it takes ${long / 1000} seconds. Small pictures have gone the same way before, so that compiling the code
does not count. An isolate's own limit of 128 MB counts less than that, since an allocator keeps pages
that were given back. *Predicted* is what the service itself counts the request for: file, arena, buffers, and ${servingBytes / mebibyte} MiB for
serving. Neither may be above the budget of ${memoryBudget / mebibyte} MiB, and measured not above predicted.
\`BENCH_MEMORY=full\` measures every kind in every size.`;
}
