import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { experimental_readRawConfig } from 'wrangler';
import { root } from '../../../scripts/local/root.ts';
import { readConfig } from '../../../src/context.ts';

const { rawConfig } = experimental_readRawConfig({ config: join(root, 'wrangler.toml') });
const example = parseEnv(readFileSync(join(root, '.dev.vars.example'), 'utf8'));

describe('a deploy', () => {
  it('can be tried without an account, and touches nothing then', () => {
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

  it('with the placeholders of .dev.vars.example fails, and names both secrets', () => {
    expect(Object.keys(example).sort()).toEqual(rawConfig.secrets?.required?.toSorted());
    const read = () => readConfig({ ...rawConfig.vars, ...example });
    expect(read).toThrow(/CODE_SECRET: should be 32 bytes[\s\S]*KEY_SECRETS: should be "version/);
  });
});

describe('what the "Deploy to Cloudflare" button shows', () => {
  const { cloudflare } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    cloudflare: { bindings: Record<string, { description: string }> };
  };

  it('describes every binding, variable and required secret, and nothing else', () => {
    const { d1_databases, kv_namespaces, send_email, ratelimits } = rawConfig;
    const named = [
      ...[d1_databases, kv_namespaces, send_email, ratelimits].flatMap(namesOf),
      rawConfig.assets?.binding,
      ...Object.keys(rawConfig.vars ?? {}),
      ...(rawConfig.secrets?.required ?? []),
    ];
    expect(Object.keys(cloudflare.bindings).sort()).toEqual(named.sort());
    for (const { description } of Object.values(cloudflare.bindings)) {
      expect(description.length).toBeGreaterThan(20);
    }
  });
});

function namesOf(bindings: readonly { binding?: string; name?: string }[] = []) {
  return bindings.map(({ binding, name }) => binding ?? name);
}
