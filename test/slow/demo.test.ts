import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../scripts/local/root.ts';
import { countText } from '../../src/cabinet/text/formatting.ts';
import { sampleFiles } from '../support/pictures.ts';

const readme = join(root, 'README.md');

// `npm run test:file -- test/slow/demo.test.ts --update` writes the figures into the README.
it('the README shows what the demo prints', async () => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, 'scripts/demo.ts'), ...sampleFiles],
    { encoding: 'utf8', timeout: 500_000 },
  );
  expect(status, stderr).toBe(0);
  const rows = stdout.split('\n').map((line) => line.trim().split(/ {2,}/));
  let text = readFileSync(readme, 'utf8');
  const replace = (old: RegExp, figures: (name: string) => string) => {
    expect(text).toMatch(old);
    text = text.replace(old, (_, name: string) => figures(name));
  };
  for (const name of sampleFiles.map((file) => basename(file))) {
    const own = rows.filter(([file]) => file === name);
    expect(own.map(([, format]) => format)).toEqual(['keep', 'webp', 'avif']);
    const [before = ''] = own.map(([, , size]) => size);
    const cells = own.map(([, , , after, change]) => `${after}, ${change}`);
    const row = (title: string) => `| ${[title, before, ...cells].join(' | ')} |`;
    replace(new RegExp(`^\\| (${name}, [^|]*) \\|.*$`, 'm'), row);
  }
  const { size } = statSync(join(root, 'demo-output/photo-keep.jpg'));
  replace(/(`smaller\.jpg` has )[\d,]+/, (words) => words + countText(size));
  await expect(text).toMatchFileSnapshot(readme);
}, 600_000);
