import { readFileSync } from 'node:fs';
import { median } from './figures.ts';

export interface Timed<Result> {
  readonly result: Result;
  /** CPU time in milliseconds: of all threads, and of programs that were run and have ended. */
  readonly milliseconds: number;
}

/** Runs something once, or a few times for the median; the result is that of the last run. */
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

/** So that a short run is timed several times, and a long one once. */
export function runsFor({ width, height }: { width: number; height: number }): number {
  return width * height < 500_000 ? 3 : 1;
}

/** CPU time of this process and of the programs it has run, in milliseconds, from its beginning. */
export function spent(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + childrenSpent();
}

/** Fields of proc_pid_stat(5), counted from the one after the name in brackets. */
const [cutime, cstime] = [13, 14];
/** Linux counts in hundredths of a second. */
const tick = 10;

/** Linux tells; elsewhere programs count for nothing. */
function childrenSpent(): number {
  if (process.platform !== 'linux') return 0;
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return tick * (Number(fields[cutime]) + Number(fields[cstime]));
}
