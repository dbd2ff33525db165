import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { memoryBudget, servingBytes } from '../../src/image/wasm/budgets.ts';
import { setup as bundleWorker } from '../../test/support/bundled-worker.ts';
import type { Part } from '../harness/section.ts';
import { mebibytes } from '../measures/figures.ts';
import { largestPhoto } from './largest-photo.ts';
import {
  allConfigurations,
  type Configuration,
  flowingConfigurations,
  nameOf,
  nameOfGroup,
  type Query,
  type RequestGroup,
  requestGroups,
  usualConfigurations,
} from './memory/configurations.ts';
import type { PictureRequest, Reading, Task } from './memory/fresh-service.ts';
import {
  failuresOf,
  groupFailures,
  groupTable,
  type Measured,
  type MeasuredGroup,
  memoryPlots,
  memoryTable,
} from './memory/report.ts';
import { bytesOf, largestFor, SourcePictures, workOn } from './memory/source-pictures.ts';

/** Sizes of warm-up pictures: large enough to take the same code path, with a negligible size. */
const small = { pixels: 240 * 180, width: '64' };
const tiny = { pixels: 32 * 24, width: '16' };

const mebibyte = 2 ** 20;

/**
 * When a configuration is measured a second time, because readings differ by a mebibyte or two: if its first reading
 * was within this many bytes of the prediction, and took at most this many milliseconds.
 */
const remeasuring = { within: 4 * mebibyte, long: 6000 };

/** Memory of workerd for requests of all sizes and formats, compared with the ledger's predictions. */
export const memory: Part = {
  name: 'memory',
  async measure({ corpus, say }) {
    const photo = await largestPhoto(corpus.photos);
    const pictures = await SourcePictures.of(photo.bytes);
    bundleWorker();
    const { configurations, isFull, hasGroups } = chosen(process.env.BENCH_MEMORY);
    try {
      const rows = await inLanes(configurations, async (configuration, measure) => {
        const row = await measuredRow(configuration, pictures, measure, isFull);
        if (row) say(`  ${nameOf(configuration)}: ${mebibytes(row.measured)} MiB`);
        return row;
      });
      const measured = rows.filter((row) => row !== null);
      const together = await inLanes(hasGroups ? requestGroups() : [], async (group, measure) => {
        const row = await measuredGroup(group, pictures, measure);
        say(`  ${nameOfGroup(group)}: ${mebibytes(row.measured)} MiB`);
        return row;
      });
      return {
        title: 'Memory of the running service',
        text: text(photo.name),
        tables: [memoryTable(measured), ...(hasGroups ? [groupTable(together)] : [])],
        plots: memoryPlots(measured),
        failures: [...failuresOf(measured), ...groupFailures(together)],
      };
    } finally {
      await pictures.end();
    }
  },
};

/** What is measured: by default, the usual conversions, and combinations of several requests. */
interface Choice {
  readonly configurations: readonly Configuration[];
  readonly isFull: boolean;
  readonly hasGroups: boolean;
}

function chosen(choice: string | undefined): Choice {
  switch (choice) {
    case 'full':
      return { configurations: allConfigurations(), isFull: true, hasGroups: true };
    case 'flowing':
      return { configurations: flowingConfigurations(), isFull: false, hasGroups: false };
    default:
      return { configurations: usualConfigurations(), isFull: false, hasGroups: true };
  }
}

/** Returns null if the planner refuses the picture, which is expected for large pictures of the full run. */
async function measuredRow(
  configuration: Configuration,
  pictures: SourcePictures,
  measure: (task: Task) => Promise<Reading>,
  mayBeRefused: boolean,
): Promise<Measured | null> {
  const picture = await pictureFor(configuration, pictures);
  const work = workOn(await bytesOf(picture), configuration.query);
  if (!work && mayBeRefused) return null;
  const task = await taskFor({ requests: [configuration], areParallel: false }, pictures);
  const { pixels, bytes: fileBytes } = picture;
  const predicted = work?.totalPeak(fileBytes) ?? 0;
  const first = await measure(task);
  const isNear = takenBytes(first) > predicted - remeasuring.within;
  const all = [first];
  if (isNear && first.milliseconds <= remeasuring.long) all.push(await measure(task));
  return {
    configuration,
    pixels,
    fileBytes,
    status: Math.max(...all.flatMap(({ statuses }) => statuses)),
    predicted,
    measured: Math.max(...all.map(takenBytes)),
    unseen: Math.max(...all.map(({ left }) => left)),
    milliseconds: Math.min(...all.map(({ milliseconds }) => milliseconds)),
  };
}

async function measuredGroup(
  group: RequestGroup,
  pictures: SourcePictures,
  measure: (task: Task) => Promise<Reading>,
): Promise<MeasuredGroup> {
  const files = await Promise.all(group.requests.map((one) => pictureFor(one, pictures)));
  const reading = await measure(await taskFor(group, pictures));
  const fileBytes = files.map(({ bytes }) => bytes);
  return { ...reading, group, fileBytes, measured: takenBytes(reading) };
}

/** Bytes taken by the requests and the arenas. */
export function takenBytes({ idle, arenas, peak }: Reading): number {
  return peak - idle + arenas;
}

async function taskFor(group: RequestGroup, pictures: SourcePictures): Promise<Task> {
  const { requests, areParallel } = group;
  const unique = [...new Map(requests.map((one) => [nameOf(one), one])).values()];
  return {
    areParallel,
    requests: await Promise.all(
      requests.map(async (one) => ({
        path: (await pictureFor(one, pictures)).path,
        search: searchOf(one.query),
      })),
    ),
    small: await Promise.all(unique.map((one) => reducedTo(small, one, pictures))),
    tiny: await Promise.all(unique.map((one) => reducedTo(tiny, one, pictures))),
  };
}

/** The same request for a picture of the same kind with few pixels. */
async function reducedTo(
  { pixels, width }: typeof small,
  { kind, query }: Configuration,
  pictures: SourcePictures,
): Promise<PictureRequest> {
  const { path } = await pictures.make(kind, pixels);
  return { path, search: searchOf({ ...query, ...(query.width && { width }) }) };
}

function pictureFor(configuration: Configuration, pictures: SourcePictures) {
  const { kind, megapixels } = configuration;
  return megapixels === 'largest'
    ? largestFor(configuration, pictures)
    : pictures.make(kind, 1e6 * megapixels);
}

function searchOf(query: Query): string {
  return `?${new URLSearchParams(query)}`;
}

function text(photo: string): string {
  return `Every row in a service of its own that has just started, pictures of 4:3 tiled from
${photo}. *Measured* is resident memory of workerd: its peak during the requests (VmHWM of proc(5))
less what it held at rest, and the arenas that it held then; the most of two readings
where the first came within ${remeasuring.within / mebibyte} MiB of what is predicted and took no longer than ${remeasuring.long / 1000} seconds. Small pictures have gone the same way before, so that compiling the code
does not count. What their buffers came to in all is the most that the allocator can have kept of them for the large ones to take
*unseen*. What V8 keeps for objects of JavaScript is not counted, as no picture is ever there. *Predicted* is what the service
itself counts the request for: file, arenas, buffers, and ${servingBytes / mebibyte} MiB for serving. Neither may be above the budget of
${memoryBudget / mebibyte} MiB, and measured not above predicted.

Of several requests in one service, those that come at once may be told to come again (503). An allocator does not always take the
block that it has just got back for one of the same length (a shorter one has it), and gives it back to the system later: so the
longest file may be resident twice, though it is held once. An isolate's own limit of 128 MB does not count what has been freed.
\`BENCH_MEMORY=full\` measures every kind in every size, \`BENCH_MEMORY=flowing\` those alone that become another format in rows.`;
}

/** Number of processes that measure in parallel; each observes only its own service. */
const lanes = 2;

/**
 * Runs `work` for every item, with as many in parallel as there are lanes; results are in the order of the items.
 * @param work gets a function that measures in a separate process
 */
export async function inLanes<Item, Result>(
  items: readonly Item[],
  work: (item: Item, measure: (task: Task) => Promise<Reading>) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const left = [...items.entries()];
  const lane = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      const [i, item] = next;
      const child = fork(join(import.meta.dirname, 'memory/fresh-service.ts'));
      try {
        results[i] = await work(item, (task) => readingFrom(child, task));
      } finally {
        child.kill();
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}

async function readingFrom(child: ChildProcess, task: Task): Promise<Reading> {
  const ended = new AbortController();
  const { signal } = ended;
  child.send(task);
  try {
    const broken = once(child, 'exit', { signal }).then(([code]) => {
      throw new Error(`a service could not be measured: its process ended with ${code}`);
    });
    const [reading] = await Promise.race([once(child, 'message', { signal }), broken]);
    return reading as Reading;
  } finally {
    ended.abort();
  }
}
