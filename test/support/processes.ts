import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { isOnNode } from './home.ts';

/** The contents of /proc/<id>/status (proc(5)); empty if the process has ended. */
export function statusOf(id: string): string {
  return readText(`/proc/${id}/status`);
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** A number in /proc/<id>/status; sizes are in kibibytes. */
export function fieldOf(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
}

/** Whether this is a workerd process started by this process. */
export function isOwnWorkerd(status: string): boolean {
  return /^Name:\s+workerd$/m.test(status) && fieldOf(status, 'PPid') === process.pid;
}

/** Whether this is a service on Node started by this process. */
function isOwnNodeServer(status: string): boolean {
  if (fieldOf(status, 'PPid') !== process.pid) return false;
  return readText(`/proc/${fieldOf(status, 'Pid')}/cmdline`).includes('server-process.ts');
}

/** Whether the memory of processes can be read on this machine (only on Linux). */
export const canMeasureMemory = process.platform === 'linux';

/** Whether the ports of processes can be found on this machine (only on Linux). */
export const canFindPorts = process.platform === 'linux';

/** The TCP ports on which the services listen that this process has started. */
export function ownServicePorts(): readonly number[] {
  return ownServices().flatMap((status) => listeningPorts(fieldOf(status, 'Pid')));
}

/** Resident memory in bytes of the services started by this process. */
export function serviceMemory(): number {
  return ownServices().reduce((bytes, status) => bytes + 1024 * fieldOf(status, 'VmRSS'), 0);
}

function ownServices(): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(statusOf)
    .filter(isOnNode ? isOwnNodeServer : isOwnWorkerd);
}

/** The TCP ports that a process listens on, by its sockets in /proc/net/tcp (proc_net(5)). */
export function listeningPorts(pid: number): readonly number[] {
  const isListening = '0A';
  const ports = new Map(
    readFileSync('/proc/net/tcp', 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state]) => state === isListening)
      .map(([, local = '', , , , , , , , inode]) => [
        `socket:[${inode}]`,
        Number.parseInt(local.split(':')[1] ?? '', 16),
      ]),
  );
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).flatMap((name) => ports.get(targetOf(`${folder}/${name}`)) ?? []);
}

/** What a symbolic link points to; nothing if it is gone, as a file may be closed while its folder is read. */
function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}

/** Sends SIGKILL to a process and all its descendants at the same time. */
export function killTree(root: number): void {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  const rows = table
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
  const family = new Set([root]);
  for (let size = 0; size !== family.size; ) {
    size = family.size;
    for (const [pid = 0, parent = 0] of rows) if (family.has(parent)) family.add(pid);
  }
  for (const pid of family) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // already gone
    }
  }
}
