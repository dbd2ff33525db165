import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inspect, optimize } from '../../../../../src/image/engine.ts';
import { sample } from '../../../../../test/support/pictures.ts';
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

it('the README has all fields of a result and of what inspect returns', async () => {
  const text = readFileSync(readme, 'utf8');
  const logo = await sample('logo.png');
  const fields = Object.keys({
    ...(await optimize(logo, { quality: 'lossless' })),
    ...inspect(logo),
  });
  expect(fields.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});

it.each(pages)('%s calls the package by the name that is in its package.json', (page) => {
  const text = readFileSync(join(root, page), 'utf8')
    .replaceAll(/<!--.*?-->/g, '')
    // what the service serves has no name there
    .replaceAll(/ --package=\S+|npm install (?:-D )?http\S+/g, '');
  const names = Array.from(
    text.matchAll(
      /(?<=^|`|\S )(\w[\w-]*) (?:--service )?--in-place|from '(?!node:|vite')([^'./]+)(?:\/\w+)?'|npm install .*?\.\/([\w-]+?)-[\d.]+\.tgz/gm,
    ),
    ([, ...found]) => found.find((each) => each !== undefined),
  );
  expect(names.length).toBeGreaterThan(0);
  expect(new Set(names.filter((name) => name !== 'thumbhash'))).toEqual(new Set([identity.name]));
});

it.each(globSync('{*.md,docs/*.md,packages/*/*.md}', { cwd: root }))(
  '%s leads to no name on npm, where the package is not',
  (page) => {
    const text = readFileSync(join(root, page), 'utf8');
    expect(text).not.toMatch(/\bnpx (?:-\w+ )*fewerbytes|npm (?:install|i) (?:-\S+ )*fewerbytes\b/);
  },
);

it('the version of the file that npm packs is the one of package.json', () => {
  for (const page of [...pages, 'docs/action.md', 'packages/action/README.md']) {
    const text = readFileSync(join(root, page), 'utf8');
    for (const [, version] of text.matchAll(/fewerbytes[\w-]*-(\d+\.\d+\.\d+)\.tgz/g)) {
      expect(version, page).toBe(identity.version);
    }
  }
});

it('the license is that of the repository', () => {
  const [own, common] = ['packages/fewerbytes/LICENSE', 'LICENSE'].map((path) =>
    readFileSync(join(root, path), 'utf8'),
  );
  expect(own).toBe(common);
});
