import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../scripts/local/root.ts';

it('a deploy can be tried without an account, and touches nothing then', () => {
  const home = mkdtempSync(join(tmpdir(), 'no-account-'));
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, 'scripts/deploy.ts'), '--dry-run'],
    {
      encoding: 'utf8',
      timeout: 100_000,
      env: {
        ...process.env,
        ...{ HOME: home, XDG_CONFIG_HOME: home, WRANGLER_SEND_METRICS: 'false' },
        ...{ CLOUDFLARE_API_TOKEN: '', CLOUDFLARE_ACCOUNT_ID: '', WRANGLER_LOG: 'log' },
      },
    },
  );
  rmSync(home, { recursive: true, force: true });
  expect(status, stderr).toBe(0);
  expect(stdout).toContain('--dry-run: exiting now.');
  expect(stdout).not.toMatch(/migration/i);

  // docs/performance.md states the size of the bundle, which changes a little with every change.
  const [, bytes, compressed] =
    /Total Upload: ([\d.]+) KiB \/ gzip: ([\d.]+) KiB/.exec(stdout) ?? [];
  const [, stated = '', statedCompressed = ''] =
    /The bundle is ([\d,]+) KiB, ([\d,]+) KiB compressed/.exec(
      readFileSync(join(root, 'docs/performance.md'), 'utf8'),
    ) ?? [];
  for (const [real, said] of [
    [bytes, stated],
    [compressed, statedCompressed],
  ] as const) {
    const ratio = Number(said.replace(',', '')) / Number(real);
    expect(Math.abs(ratio - 1), `${real} KiB`).toBeLessThan(0.03);
  }
}, 120_000);
