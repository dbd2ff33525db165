import { spawnSync } from 'node:child_process';

interface Checked {
  readonly status: number | null;
  /** Both of its outputs. */
  readonly output: string;
}

/** Runs the tool that comes with Prometheus. */
export function promtool(args: readonly string[], input = ''): Checked {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' });
  return { status, output: `${stdout}${stderr}` };
}

/** Whether it is installed: Debian’s package is `prometheus`. */
export const hasPromtool = promtool(['--version']).status === 0;
