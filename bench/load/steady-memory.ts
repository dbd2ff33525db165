import type { RestartableService } from '../../test/support/restartable-service.ts';
import type { Table } from '../harness/section.ts';
import { figure, mebibytes } from '../measures/figures.ts';
import { generateLoad, type Latencies } from './load-generator.ts';
import { type Picture, requestsOf } from './pictures.ts';

const mebibyte = 2 ** 20;

/** Maximum growth of the Worker's memory between the first fifth and the last one, in bytes. */
const tolerance = mebibyte;

const fifths = 5;

/** Maximum duration in seconds; a slow machine processes fewer pictures in that time. */
const maxSeconds = 150;

interface SteadyMemory {
  readonly latencies: Latencies;
  readonly table: Table;
  readonly failures: readonly string[];
}

/** Sends many pictures of all kinds, and observes how much memory the Worker keeps. */
export async function steadyMemory(
  service: RestartableService,
  keys: readonly string[],
  pictures: readonly Picture[],
  wanted: number,
): Promise<SteadyMemory> {
  const heap = await service.heap();
  const parts: Latencies[] = [];
  const held: number[] = [];
  const resident: (number | null)[] = [];
  for (let i = 0; i < fifths; i += 1) {
    parts.push(
      await generateLoad({
        what: '',
        url: service.origin,
        requests: requestsOf(pictures, keys),
        connections: 4,
        seconds: maxSeconds / fifths,
        answers: Math.ceil(wanted / fifths),
      }),
    );
    resident.push(service.runtimeMemory());
    held.push(await heap.held());
  }
  heap.close();
  const latencies = {
    seconds: parts.reduce((sum, { seconds }) => sum + seconds, 0),
    times: parts.flatMap(({ times }) => times),
    failures: parts.flatMap(({ failures }) => failures),
    retries: parts.flatMap(({ retries = [] }) => retries),
    cut: parts.reduce((sum, { cut = 0 }) => sum + cut, 0),
  };
  const done = latencies.times.length.toLocaleString('en');
  const [early = 0, late = 0] = [held.at(0), held.at(-1)];
  return {
    latencies: { ...latencies, what: `${done} optimizes of all kinds` },
    table: {
      caption: `What is held after each fifth of ${done} optimizes, in MiB`,
      columns: ['', '1st', '2nd', '3rd', '4th', 'last'],
      rows: [
        ['by the Worker, garbage collected', ...held.map(mebibytes)],
        [
          'by the local runtime, its simulators and its garbage',
          ...resident.map((bytes) => figure(bytes === null ? undefined : bytes / mebibyte)),
        ],
      ],
    },
    failures: [
      ...(late > early + tolerance
        ? ['the Worker holds more after the last fifth than before']
        : []),
      ...(latencies.times.length < wanted / 2
        ? [`${done} of ${wanted} optimizes came in ${maxSeconds} seconds`]
        : []),
    ],
  };
}
