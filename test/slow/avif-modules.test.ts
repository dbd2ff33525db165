import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../scripts/local/root.ts';

it('the committed modules of AVIF are what their sources and packages give', () => {
  const target = mkdtempSync(join(tmpdir(), 'avif-modules-'));
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(root, 'scripts/build-avif.ts'), target],
    { encoding: 'utf8', timeout: 280_000 },
  );
  expect(status, stderr).toBe(0);
  const names = readdirSync(target);
  expect(names).toEqual(['decoder.wasm', 'encoder.wasm', 'provenance.json']);
  for (const name of names) {
    const committed = readFileSync(join(root, 'codecs/libaom', name));
    expect(committed.equals(readFileSync(join(target, name))), name).toBe(true);
  }
  rmSync(target, { recursive: true });
});
