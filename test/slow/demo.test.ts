import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../scripts/local/root.ts';
import { isFull } from '../support/full.ts';
import { sampleFiles } from '../support/pictures.ts';

const readme = join(root, 'README.md');
const files = isFull ? sampleFiles : sampleFiles.filter((file) => file.endsWith('logo.png'));

// `TEST_FULL=1 npm run test:file -- test/slow/demo.test.ts --update` writes the figures into the README.
it('the README shows what the demo prints', async () => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, 'scripts/demo.ts'), ...files],
    { encoding: 'utf8', timeout: 500_000 },
  );
  expect(status, stderr).toBe(0);
  const rows = stdout.split('\n').map((line) => line.trim().split(/ {2,}/));
  let text = readFileSync(readme, 'utf8');
  for (const name of files.map((file) => basename(file))) {
    const own = rows.filter(([file]) => file === name);
    expect(own.map(([, format]) => format)).toEqual(['keep', 'webp', 'avif']);
    const [before = ''] = own.map(([, , size]) => size);
    const cells = own.map(([, , , after, change]) => `${after}, ${change}`);
    text = text.replace(
      new RegExp(`^\\| (${name}, [^|]*) \\|.*$`, 'm'),
      (_, title: string) => `| ${[title, before, ...cells].join(' | ')} |`,
    );
  }
  if (isFull) {
    const { size } = statSync(join(root, 'demo-output/photo-keep.jpg'));
    text = text.replace(/(`HTTP 200: \d+ → )\d+( bytes`)/, `$1${size}$2`);
  }
  await expect(text).toMatchFileSnapshot(readme);
}, 600_000);
