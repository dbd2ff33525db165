import { execFileSync } from 'node:child_process';

/** SIGKILL to a process and everything that descends from it, all at the same moment. */
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
      // gone already
    }
  }
}
