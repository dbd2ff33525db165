import type { RestartableService } from '../../test/support/restartable-service.ts';
import type { Table } from '../harness/section.ts';
import { cannonade } from './cannonade.ts';
import { type Latencies, median } from './latencies.ts';
import { type Picture, requestsOf } from './pictures.ts';

/**
 * How much more the runtime may hold late than early. Garbage comes and goes in
 * waves of hundreds of MiB and thousands of pictures; what is never given back
 * lifts the troughs between the waves as well.
 */
export const tolerance = 0.25;

/** For how long at most, in seconds; on a slow machine it is fewer pictures then. */
const patience = 150;

export interface SteadyMemory {
  readonly latencies: Latencies;
  readonly table: Table;
  /** There were as many pictures as it takes to tell waves from growth. */
  readonly isJudged: boolean;
  readonly failures: readonly string[];
}

/** Many pictures of all kinds, one after the other, with an eye on what the runtime holds. */
export async function steadyMemory(
  service: RestartableService,
  keys: readonly string[],
  pictures: readonly Picture[],
  wanted: number,
): Promise<SteadyMemory> {
  const samples: number[] = [];
  const every = Math.max(1, Math.floor(wanted / 500));
  const measured = await cannonade({
    what: '',
    url: service.origin,
    requests: requestsOf(pictures, keys),
    connections: 4,
    seconds: patience,
    answers: wanted,
    onAnswer(at) {
      const bytes = at % every === 0 ? service.runtimeMemory() : null;
      if (bytes !== null) samples.push(bytes);
    },
  });
  const done = measured.times.length;
  const what = `${done.toLocaleString('en')} optimizes of all kinds`;
  const fifths = Array.from({ length: 5 }, (_, fifth) =>
    samples.slice((fifth * samples.length) / 5, ((fifth + 1) * samples.length) / 5),
  );
  const figures = [
    ['median', fifths.map(median)],
    ['least', fifths.map((fifth) => Math.min(...fifth))],
  ] as const;
  const [, second = 0, , , last = 0] = fifths.map(median);
  const early = Math.min(...fifths.slice(0, 2).flat());
  const late = Math.min(...fifths.slice(2).flat());
  const isFlat = last <= second * (1 + tolerance) || late <= early * (1 + tolerance);
  const isJudged = done >= wanted && samples.length > 0;
  return {
    latencies: { ...measured, what },
    table: {
      caption: `Resident memory of the runtime meanwhile, in MiB, by fifths of the ${done.toLocaleString('en')}`,
      columns: ['', '1st', '2nd', '3rd', '4th', 'last'],
      rows: figures.map(([name, values]) => [name, ...values.map(mebibytes)]),
    },
    isJudged,
    failures: isJudged && !isFlat ? ['memory grows, and does not fall back'] : [],
  };
}

function mebibytes(bytes: number): string {
  return Number.isFinite(bytes) ? (bytes / 2 ** 20).toFixed(0) : '–';
}
