import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { help } from '../../../src/command/flags.ts';
import { identity } from '../../../src/identity.ts';

const root = join(import.meta.dirname, '../../../../..');
const readme = join(root, 'packages/fewerbytes/README.md');
const pages = ['packages/fewerbytes/README.md', 'docs/cli.md', 'docs/vite.md', 'docs/recipes.md'];

// `npm run docs` writes what has changed
it('the README has what --help says', async () => {
  const current = readFileSync(readme, 'utf8').replace(
    /(<!-- generated: help -->\n)[\s\S]*?(<!-- \/generated -->)/,
    (_, open: string, close: string) =>
      `${open}\n\`\`\`text\n${help.trimEnd()}\n\`\`\`\n\n${close}`,
  );
  await expect(current).toMatchFileSnapshot(readme);
});

it.each(pages)('%s calls the package by the name that is in its package.json', (page) => {
  const text = readFileSync(join(root, page), 'utf8')
    .replaceAll(/<!--.*?-->/g, '')
    // what the service serves has no name there
    .replaceAll(/ --package=\S+|npm install (?:-D )?http\S+/g, '');
  const names = Array.from(
    text.matchAll(
      /\bnpx (?:-y )?([@\w/-]+)|from '(?!node:|vite')([^'./]+)(?:\/\w+)?'|npm install (?:-D )?([@\w/-]+)/g,
    ),
    ([, ...found]) => found.find((each) => each !== undefined),
  );
  expect(names.length).toBeGreaterThan(0);
  expect(new Set(names)).toEqual(new Set([identity.name]));
});

it('the license is that of the repository', () => {
  const [own, common] = ['packages/fewerbytes/LICENSE', 'LICENSE'].map((path) =>
    readFileSync(join(root, path), 'utf8'),
  );
  expect(own).toBe(common);
});
