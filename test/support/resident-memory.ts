import { readdirSync } from 'node:fs';
import { fieldOf, isOwnWorkerd, statusOf } from './process-status.ts';

/** Whether this machine tells what its processes hold (Linux does). */
export const canMeasureMemory = process.platform === 'linux';

/** Resident memory in bytes of the workerd processes that this process has started. */
export function workerdMemory(): number {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(statusOf)
    .filter(isOwnWorkerd)
    .reduce((bytes, status) => bytes + 1024 * fieldOf(status, 'VmRSS'), 0);
}
