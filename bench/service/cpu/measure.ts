import { ImageError } from '../../../src/image/engine.ts';
import { cpuMs, handedOver } from '../in-process.ts';
import { workOn } from '../memory/source-pictures.ts';
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
    const answer = answerTo(file, query);
    if (!answer) return null;
    const { work, taken } = answer;
    const { width, height } = work.inputSize;
    done = { predicted: work.cpuMs, megapixels: (width * height) / 1e6 };
    spent += taken;
    least = Math.min(least, taken);
    if (taken > longMs) break;
  }
  return done && { name, ...done, measured: least };
}

/** The work on a file, and the CPU time in milliseconds that planning and doing it takes this process; null: refused. */
function answerTo(file: Uint8Array<ArrayBuffer>, query: CpuJob['query']) {
  const { bytes, releaseFile } = handedOver(file);
  const before = cpuMs();
  const work = workOn(bytes, query);
  try {
    work?.start(releaseFile).finish();
  } catch (error) {
    if (error instanceof ImageError) return null;
    throw error;
  }
  return work && { work, taken: cpuMs() - before };
}
