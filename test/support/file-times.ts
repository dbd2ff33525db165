import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { afterAll, expect } from 'vitest';
import { root } from '../../scripts/local/root.ts';

/**
 * Records what each test file takes, as lines of JSON (`FileTime`) in the file that `FILE_TIMES` names; a setup file of
 * vitest (scripts/test.ts).
 */
export interface FileTime {
  /** Path below the root of the project. */
  readonly file: string;
  readonly wallSeconds: number;
  /** CPU time of the worker that ran it and of all that it has started. */
  readonly cpuSeconds: number;
}

/** Clock ticks per second in /proc (proc_pid_stat(5)). */
const ticksPerSecond = 100;

/** CPU time in seconds of this process and its descendants, those that have ended included; NaN where there is no /proc. */
function cpuSeconds(): number {
  const times = new Map<number, { parent: number; seconds: number }>();
  try {
    for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
      const stat = statOf(name);
      if (stat) times.set(Number(name), stat);
    }
  } catch {
    return Number.NaN;
  }
  const isOurs = (pid: number): boolean => {
    if (pid === process.pid) return true;
    const parent = times.get(pid)?.parent;
    return parent !== undefined && parent !== 0 && isOurs(parent);
  };
  let sum = 0;
  for (const [pid, { seconds }] of times) if (isOurs(pid)) sum += seconds;
  return sum;
}

/** The parent of a process and its CPU time with that of children it has waited for; null if it has ended. */
function statOf(pid: string): { parent: number; seconds: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field, a name in parentheses, may contain spaces.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [, parent = 0] = fields;
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + field, 0);
    return { parent, seconds: ticks / ticksPerSecond };
  } catch {
    return null;
  }
}

const output = process.env.FILE_TIMES;
if (output !== undefined) {
  const began = { wall: performance.now(), cpu: cpuSeconds() };
  afterAll(() => {
    const time: FileTime = {
      file: relative(root, expect.getState().testPath ?? ''),
      wallSeconds: (performance.now() - began.wall) / 1000,
      cpuSeconds: cpuSeconds() - began.cpu,
    };
    appendFileSync(output, `${JSON.stringify(time)}\n`);
  });
}
