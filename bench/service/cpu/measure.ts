import { predictedCpu } from '../../../src/image/pipeline/predicted-cpu.ts';
import { optimized } from '../in-process.ts';
import type { CpuJob } from './jobs.ts';

/** A job with its CPU times in milliseconds. */
export interface MeasuredCpu {
  readonly name: string;
  readonly megapixels: number;
  readonly predicted: number;
  readonly measured: number;
}

/** Short jobs are repeated until they have taken this long, or this often; the shortest time counts. */
const repeated = { milliseconds: 250, times: 8 } as const;
/** A job longer than this, in milliseconds, is not repeated. */
const longMs = 3000;

/**
 * Runs a job as the service does, from inspecting its bytes to the result.
 * @returns null if the service would refuse it
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
