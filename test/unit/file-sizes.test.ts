import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const isGenerated = (file: string) =>
  /(^src\/env\.d\.ts|kernel-exports\.ts|packages\/fewerbytes\/src\/client\/api\.ts)$/.test(file);

/** Numbers of lines of the files that people write, by path. */
const sizes = globSync(['src/**/*.{ts,tsx}', 'packages/*/src/**/*.{ts,tsx}'], { cwd: root })
  .filter((file) => !isGenerated(file))
  .map((file) => ({ file, lines: readFileSync(join(root, file), 'utf8').split('\n').length - 1 }));

it('no file has more than 450 lines', () => {
  expect(sizes.filter(({ lines }) => lines > 450)).toEqual([]);
});

it('fewer than a tenth of the files have less than 60 lines, because a fragment belongs into the file that needs it', () => {
  const small = sizes.filter(({ lines }) => lines < 60);
  expect(small.length, small.map(({ file }) => file).join('\n')).toBeLessThan(sizes.length / 10);
});
