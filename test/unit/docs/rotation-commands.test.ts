import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codeTitled } from '../../support/docs/code.ts';

const commands = codeTitled('operations.md', 'Rotate KEY_SECRETS of a deployment');
const present = `4:${Buffer.alloc(32, 4).toString('base64')}`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rotation-commands-'));
  fake('npx', `printf '%s: %s\\n' "$*" "$(cat)" >> "$LOG"`);
  fake('sleep', `echo "sleep $1" >> "$LOG"`);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function fake(name: string, script: string): void {
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

/** Runs the documented commands with this input; returns their actions in order. */
function rotated(typed: string): { status: number | null; did: string[]; output: string } {
  const log = join(folder, 'log');
  writeFileSync(log, '');
  const env = { ...process.env, LOG: log, PATH: `${folder}${delimiter}${process.env.PATH}` };
  const { status, stdout } = spawnSync('bash', ['-c', commands], {
    ...{ env, input: typed, encoding: 'utf8' },
  });
  return { status, did: readFileSync(log, 'utf8').trim().split('\n'), output: stdout };
}

const put = (value: string) => `wrangler secret put KEY_SECRETS: ${value}`;

describe('the commands that rotate KEY_SECRETS of a deployment', () => {
  it('put the new pair in front, seal the keys, and take the old pair away', () => {
    fake('npm', `printf '%s %s\\n' "$*" "$KEY_SECRETS" >> "$LOG"`);
    const { status, did, output } = rotated(`${present}\n\n\n`);
    const [, pair = ''] = /^Keep this instead: (5:[A-Za-z0-9+/]{43}=)$/m.exec(output) ?? [];
    const both = `${pair},${present}`;
    expect(did).toEqual([put(both), 'sleep 60', `run rotate-keys -- --remote ${both}`, put(pair)]);
    expect(status).toBe(0);
    expect(output).toContain(`Keep this: ${both}\n`);
  });

  it('go on from two pairs, where an earlier rotation was left', () => {
    fake('npm', 'exit 0');
    const two = `${present},3:${Buffer.alloc(32, 3).toString('base64')}`;
    const { status, did } = rotated(`${two}\n\n\n`);
    expect(did[0]).toContain(`: 5:`);
    expect(did[0]).toContain(`,${two}`);
    expect(status).toBe(0);
  });

  it('leave the old pair where the keys were not all sealed', () => {
    fake('npm', 'exit 1');
    const { status, did } = rotated(`${present}\n\n\n`);
    expect(did).toEqual([expect.stringContaining(`,${present}`), 'sleep 60']);
    expect(status).toBe(1);
  });

  it.each(['', ' ', '4', '4:', 'x:y', present.slice(0, -3), `${present},3:x`])(
    'put nothing after "%s"',
    (old) => {
      fake('npm', 'exit 1');
      const { status, did } = rotated(`${old}\n\n`);
      expect(did).toEqual(['']);
      expect(status).toBe(1);
    },
  );
});
