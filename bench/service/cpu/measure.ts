import { execute } from '../../../src/image/pipeline/execute.ts';
import { plan } from '../../../src/image/pipeline/plan.ts';
import { predictedCpu } from '../../../src/image/pipeline/predicted-cpu.ts';
import { readSource } from '../../../src/image/pipeline/read-source.ts';
import { readOptions } from '../../../src/routes/optimize/options.ts';
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
  const options = readOptions(Object.entries(query), undefined);
  let spent = 0;
  let least = Number.POSITIVE_INFINITY;
  let done: { predicted: number; megapixels: number } | null = null;
  for (
    let runs = 0;
    runs < repeated.times && (runs < 2 || spent < repeated.milliseconds);
    runs += 1
  ) {
    const bytes = file.slice();
    let given: ArrayBuffer | null = bytes.buffer;
    const releaseFile = () => {
      const buffer = given;
      given = null;
      return buffer;
    };
    const before = cpuMs();
    const source = readSource(bytes);
    if (source.kind !== 'source') return null;
    const planned = plan(source, options);
    if (planned.kind === 'refused') return null;
    const result = execute(bytes, source, planned.candidates, {
      level: options.metadata,
      releaseFile,
    });
    const taken = cpuMs() - before;
    if (result.kind === 'refused') return null;
    const { width, height } = source.image;
    done = { predicted: predictedCpu(planned.candidates), megapixels: (width * height) / 1e6 };
    spent += taken;
    least = Math.min(least, taken);
    if (taken > longMs) break;
  }
  return done && { name, ...done, measured: least };
}

/** CPU time of this process, all threads, in milliseconds. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
