import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { actionInputs, inputTable } from '../../../../../test/support/docs/action-inputs.ts';

const root = join(import.meta.dirname, '../../../../..');
const textOf = (path: string) => readFileSync(join(root, path), 'utf8');

describe('what is said of the Action', () => {
  // `npm run docs` writes what has changed
  it('the README has the inputs of action.yml', async () => {
    const readme = join(root, 'packages/action/README.md');
    const current = readFileSync(readme, 'utf8').replace(
      /(<!-- generated: inputs -->\n)[\s\S]*?(<!-- \/generated -->)/,
      (_, open: string, close: string) => `${open}\n${inputTable()}\n\n${close}`,
    );
    await expect(current).toMatchFileSnapshot(readme);
  });

  it('inputs are those that the code reads', () => {
    const code = textOf('packages/action/src/index.ts');
    const quoted = Array.from(code.matchAll(/'([a-z-]+)'/g), ([, name]) => name);
    for (const { name } of actionInputs()) expect(quoted).toContain(name);
  });

  it.each(['packages/action/README.md', 'docs/action.md'])(
    '%s refers to it as package.json says',
    (page) => {
      const { config } = JSON.parse(textOf('packages/action/package.json'));
      const used = Array.from(
        textOf(page).matchAll(/uses: (?!actions\/)(\S+)/g),
        ([, name]) => name,
      );
      expect(new Set(used)).toEqual(new Set([config.reference]));
    },
  );

  it('the license is that of the repository', () => {
    expect(textOf('packages/action/LICENSE')).toBe(textOf('LICENSE'));
  });
});
