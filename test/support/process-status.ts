import { readFileSync } from 'node:fs';

/** What Linux tells of a process in /proc/<id>/status (proc(5)); empty: it has ended. */
export function statusOf(id: string): string {
  try {
    return readFileSync(`/proc/${id}/status`, 'utf8');
  } catch {
    return '';
  }
}

/** A number in /proc/<id>/status: kibibytes, where it is a size. */
export function fieldOf(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
}

/** Whether this is a workerd that the present process has started. */
export function isOwnWorkerd(status: string): boolean {
  return /^Name:\s+workerd$/m.test(status) && fieldOf(status, 'PPid') === process.pid;
}
