import { readdirSync, readFileSync } from 'node:fs';

/** Whether this machine tells what its processes hold (Linux does). */
export const canMeasureMemory = process.platform === 'linux';

/** Resident memory in bytes of the workerd processes that this process has started. */
export function workerdMemory(): number {
  let bytes = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      if (!/^Name:\s+workerd$/m.test(status) || !isOurs(status)) continue;
      bytes += Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
    } catch {
      // the process has ended in between
    }
  }
  return bytes;
}

function isOurs(status: string): boolean {
  return Number(/^PPid:\s+(\d+)$/m.exec(status)?.[1]) === process.pid;
}
