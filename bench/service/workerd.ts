import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fieldOf, isOwnWorkerd, statusOf } from '../../test/support/processes.ts';

/** Data from proc(5) about the workerd process that runs the service; Linux only. */
export interface Workerd {
  /** Resident memory in bytes. */
  resident(): number;
  /** Peak resident memory in bytes since `forgetPeak`, as recorded by Linux, so no peak is missed between readings. */
  peak(): number;
  forgetPeak(): void;
  /** CPU time of all threads since the start, in milliseconds. */
  spent(): number;
}

/**
 * The workerd process of the service that this process has started; call it after the service has responded. wrangler
 * starts another workerd in front of it, which forwards requests and is not part of a deployment; the one with more
 * memory is the service's.
 * @throws Error if there is none
 */
export function workerdOfService(): Workerd {
  const [id] = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isOwnWorkerd(statusOf(name)))
    .sort((a, b) => sizeOf(b, 'VmRSS') - sizeOf(a, 'VmRSS'));
  if (id === undefined) throw new Error('no workerd was started by this process');
  return {
    resident: () => sizeOf(id, 'VmRSS'),
    peak: () => sizeOf(id, 'VmHWM'),
    forgetPeak: () => writeFileSync(`/proc/${id}/clear_refs`, '5'),
    spent: () => cpuMilliseconds(readFileSync(`/proc/${id}/stat`, 'utf8')),
  };
}

function sizeOf(id: string, name: string): number {
  return 1024 * fieldOf(statusOf(id), name);
}

/** Milliseconds per tick: Linux counts in hundredths of a second (proc_pid_stat(5), USER_HZ). */
const tick = 10;

/** User and system time of all threads in milliseconds, from utime and stime of /proc/<id>/stat. */
export function cpuMilliseconds(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return tick * (Number(fields[11]) + Number(fields[12]));
}
