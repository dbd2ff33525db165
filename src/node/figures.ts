import { readdirSync, statfsSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { ledger } from '../image/engine.ts';
import { turns } from '../routes/optimize/scheduler.ts';
import { type Samples, sampleOf } from '../telemetry/counts.ts';
import { families } from '../telemetry/families.ts';

/** What figures are read of, beside this process. */
interface Measured {
  /** The state folder. */
  readonly folder: string;
  /** Memory that the main thread may account for, in bytes. */
  readonly memory: number;
  /** Threads for images. */
  readonly threads: number;
}

/** Reads what is not counted: figures of this moment, and what the system counts. */
export function currentFigures({ folder, memory, threads }: Measured): Samples {
  const { user, system } = process.cpuUsage();
  const { active } = performance.eventLoopUtilization();
  const { census } = turns;
  const jobs = families.fewerbytes_jobs.labels.stage.map((stage) => [
    sampleOf('fewerbytes_jobs', { stage }),
    census.get(stage) ?? 0,
  ]);
  return {
    ...Object.fromEntries(jobs),
    [sampleOf('fewerbytes_places', {})]: threads,
    [sampleOf('fewerbytes_memory_held_bytes', {})]: ledger.held,
    [sampleOf('fewerbytes_memory_limit_bytes', {})]: memory,
    ...freeSpace(folder),
    [sampleOf('fewerbytes_main_thread_busy_seconds_total', {})]: active / 1000,
    [sampleOf('process_cpu_seconds_total', {})]: (user + system) / 1e6,
    [sampleOf('process_resident_memory_bytes', {})]: process.memoryUsage.rss(),
    ...openFiles(),
    [sampleOf('process_start_time_seconds', {})]: performance.timeOrigin / 1000,
  };
}

/** Left out while the disk does not answer, so that the other figures tell of it. */
function freeSpace(folder: string): Samples {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return { [sampleOf('fewerbytes_state_free_bytes', {})]: bavail * bsize };
  } catch {
    return {};
  }
}

/** Left out where the system does not tell. */
function openFiles(): Samples {
  try {
    return { [sampleOf('process_open_fds', {})]: readdirSync('/proc/self/fd').length };
  } catch {
    return {};
  }
}
