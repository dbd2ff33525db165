import { worstPeak } from '../../src/image/pipeline/predicted-memory.ts';
import type { Table } from '../harness/section.ts';
import { figure, mebibytes, ratio } from '../measures/figures.ts';
import { optimized } from '../service/in-process.ts';
import type { Query } from '../service/memory/configurations.ts';
import { rollingBall } from './rolling-ball.ts';

const counts = [75, 150, 300] as const;
/** Frames of the warm-up animation, with which the code is compiled. */
const warmUpFrames = 8;

const conversions: readonly { readonly name: string; readonly query: Query }[] = [
  { name: 'GIF, lossless', query: { quality: 'lossless' } },
  { name: 'GIF, auto', query: {} },
  { name: 'WebP, auto', query: { format: 'webp' } },
];

/** One conversion of a generated animation of one megapixel. */
interface Run {
  readonly frames: number;
  readonly fileBytes: number;
  /** The result; null if the request was refused. */
  readonly outcome: {
    readonly bytes: number;
    readonly quality: string;
    readonly cpuMs: number;
    /** Planned bytes of arenas and buffers, without the file. */
    readonly arenas: number;
    readonly buffers: number;
  } | null;
}

/** Measures CPU time and planned memory by the number of frames; nothing else may run in this process. */
export function cpuTable(say: (line: string) => void): Table {
  const files = counts.map((frames) => ({ frames, file: rollingBall(frames) }));
  const warm = rollingBall(warmUpFrames);
  const rows = conversions.flatMap(({ name, query }) => {
    optimized(warm, query);
    const runs = files.map(({ frames, file }) => runOf(frames, file, query));
    for (const { frames, outcome } of runs)
      say(`  ${name}, ${frames} frames: ${figure(outcome?.cpuMs)} ms`);
    const [first] = runs;
    return runs.map((run) => [`${name}, ${run.frames} frames`, ...cellsOf(run, first ?? run)]);
  });
  return {
    caption: 'CPU time and planned memory of a generated animation of one megapixel',
    columns: [
      ...['', 'file, MiB', 'result, MiB', 'quality', 'CPU ms', 'ms a frame'],
      `against ${counts[0]} frames`,
      ...['planned beyond the file, MiB', 'of these arenas'],
    ],
    rows,
  };
}

function runOf(frames: number, file: Uint8Array<ArrayBuffer>, query: Query): Run {
  const answer = optimized(file, query);
  const fileBytes = file.length;
  if (answer.kind !== 'optimized') return { frames, fileBytes, outcome: null };
  const { result, candidates, cpuMs } = answer;
  const { arena, side = 0, buffers } = worstPeak(candidates);
  const { quality, bytes } = result;
  const outcome = { bytes: bytes.length, quality: String(quality), cpuMs, arenas: arena + side };
  return { frames, fileBytes, outcome: { ...outcome, buffers } };
}

function cellsOf({ frames, fileBytes, outcome }: Run, first: Run): string[] {
  const perFrame = outcome ? outcome.cpuMs / frames : undefined;
  const firstPerFrame = first.outcome ? first.outcome.cpuMs / first.frames : undefined;
  return [
    ...[mebibytes(fileBytes), mebibytes(outcome?.bytes), outcome?.quality ?? 'refused'],
    ...[figure(outcome?.cpuMs), figure(perFrame, 1), figure(ratio(perFrame, firstPerFrame), 2)],
    mebibytes(outcome ? outcome.arenas + outcome.buffers : undefined),
    mebibytes(outcome?.arenas),
  ];
}
