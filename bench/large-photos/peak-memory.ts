import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** Resident memory of workerd in bytes. */
export interface ResidentMemory {
  readonly before: number;
  readonly peak: number;
  readonly after: number;
}

/**
 * What the workerd processes that this process has started hold before, at most during and after
 * `work`, as Linux itself keeps it: nothing is missed between two looks (proc(5), VmHWM).
 */
export async function measuredMemory(work: () => Promise<void>): Promise<ResidentMemory> {
  const processes = workerdProcesses();
  // forgets the peak so far
  for (const id of processes) writeFileSync(`/proc/${id}/clear_refs`, '5');
  const before = total(processes, 'VmRSS');
  await work();
  return { before, peak: total(processes, 'VmHWM'), after: total(processes, 'VmRSS') };
}

function workerdProcesses(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((id) => {
      const status = statusOf(id);
      return /^Name:\s+workerd$/m.test(status) && field(status, 'PPid') === process.pid;
    });
}

function total(processes: readonly string[], name: string): number {
  return processes.reduce((bytes, id) => bytes + 1024 * field(statusOf(id), name), 0);
}

function statusOf(id: string): string {
  try {
    return readFileSync(`/proc/${id}/status`, 'utf8');
  } catch {
    // it has ended in between
    return '';
  }
}

function field(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
}
