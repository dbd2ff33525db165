import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
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
}, 120_000);
