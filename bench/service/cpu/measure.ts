import { predictedCpu } from '../../../src/image/pipeline/predicted-cpu.ts';
import { optimized } from '../in-process.ts';
import type { CpuJob } from './jobs.ts';

/** A job with its computing times in milliseconds. */
export interface MeasuredCpu {
  readonly name: string;
  readonly megapixels: number;
  readonly predicted: number;
  readonly measured: number;
}

/** Short jobs run until they have taken so many milliseconds, or so often; the least time counts. */
const repeated = { milliseconds: 250, times: 8 } as const;
/** A job this long, in milliseconds, needs no second run. */
const longMs = 3000;

/**
 * Does a job as the service does it, from the first look at its bytes to the result.
 * @returns null where the service would not do it
 */
export async function measuredCpu({ name, query, read }: CpuJob): Promise<MeasuredCpu | null> {
  const file = await read();
  let spent = 0;
  let least = Number.POSITIVE_INFINITY;
  let done: { predicted: number; megapixels: number } | null = null;
  for (
    let runs = 0;
    runs < repeated.times && (runs < 2 || spent < repeated.milliseconds);
    runs += 1
  ) {
    const answer = optimized(file, query);
    if (answer.kind !== 'optimized') return null;
    const { source, candidates, cpuMs: taken } = answer;
    const { width, height } = source.image;
    done = { predicted: predictedCpu(candidates), megapixels: (width * height) / 1e6 };
    spent += taken;
    least = Math.min(least, taken);
    if (taken > longMs) break;
  }
  return done && { name, ...done, measured: least };
}
