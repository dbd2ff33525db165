import { readFileSync } from 'node:fs';
import { median } from './figures.ts';

export interface Timed<Result> {
  readonly result: Result;
  /** CPU time in milliseconds, of all threads and of child processes that have ended. */
  readonly milliseconds: number;
}

/** Measures one or several runs; the time is their median, and the result is that of the last run. */
export async function timed<Result>(
  run: () => Result | Promise<Result>,
  runs = 1,
): Promise<Timed<Result>> {
  const times: number[] = [];
  for (;;) {
    const before = spent();
    const result = await run();
    times.push(spent() - before);
    if (times.length >= runs) return { result, milliseconds: median(times) ?? 0 };
  }
}

/** The number of timed runs: several for small pictures, one for large ones. */
export function runsFor({ width, height }: { width: number; height: number }): number {
  return width * height < 500_000 ? 3 : 1;
}

/** CPU time of this process and its ended child processes since its start, in milliseconds. */
export function spent(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + childrenSpent();
}

/** Indexes of the fields of proc_pid_stat(5), counted from the one after the name in brackets. */
const [cutime, cstime] = [13, 14];
/** Milliseconds per tick: Linux counts in hundredths of a second. */
const tick = 10;

/** CPU time of ended child processes in milliseconds; 0 on systems other than Linux. */
function childrenSpent(): number {
  if (process.platform !== 'linux') return 0;
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return tick * (Number(fields[cutime]) + Number(fields[cstime]));
}
