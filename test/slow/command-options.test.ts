import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { demandAllOptions } from '../../scripts/local/options.ts';
import { root } from '../../scripts/local/root.ts';

describe('options that npm took for its own', () => {
  it('are named, with where they stand', () => {
    const kept = { npm_config_dry_run: 'true', npm_config_remote: 'true', npm_config_other: 'a' };
    expect(() => demandAllOptions(['dry-run', 'remote'], kept)).toThrow(
      'Options of this command come after "--": -- --dry-run --remote',
    );
    expect(() => demandAllOptions(['remote'], { npm_config_remote: '' })).not.toThrow();
  });

  it.each([['rotate-keys'], ['grant', 'you@gmail.com', '5']])(
    'keep "%s" from doing here what was meant for a deployment',
    (script, ...args) => {
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [join(root, `scripts/${script}.ts`), ...args],
        { encoding: 'utf8', env: { ...process.env, npm_config_remote: 'true' } },
      );
      expect([status, stdout]).toEqual([1, '']);
      expect(stderr).toContain('after "--": -- --remote');
    },
    30_000,
  );
});
