import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { githubSlug } from '../../../scripts/docs/markdown.ts';
import { type DocsPage, docsGroups } from '../../../src/cabinet/pages/docs/contents.ts';

const root = join(import.meta.dirname, '../../..');
const pages = [
  ...globSync('*.md', { cwd: root }),
  ...globSync('{docs,src,migrations,bench,test}/**/*.md', { cwd: root }),
  ...globSync('packages/*/*.md', { cwd: root }),
].sort();

function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** Without code, which contains no links. */
function proseOf(path: string): string {
  return textOf(path)
    .replace(/^```[\s\S]*?^```$/gm, '')
    .replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]()]/g, ' '));
}

/** The anchors that GitHub generates for the headings. */
function anchorsOf(path: string): ReadonlySet<string> {
  const seen = new Map<string, number>();
  const text = textOf(path).replace(/^```[\s\S]*?^```$/gm, '');
  return new Set(
    Array.from(text.matchAll(/^#+ (.+)$/gm), ([, title = '']) => {
      const slug = githubSlug(title.replace(/[`*]|\[([^\]]+)\]\([^)]*\)/g, '$1'));
      const count = seen.get(slug) ?? 0;
      seen.set(slug, count + 1);
      return count === 0 ? slug : `${slug}-${count}`;
    }),
  );
}

describe('links of the Markdown of this repository', () => {
  it.each(pages)('%s leads to files and headings that there are', (page) => {
    const links = Array.from(
      proseOf(page).matchAll(/\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"/g),
      ([, markdown, html]) => markdown ?? html ?? '',
    ).filter((link) => !/^https?:/.test(link));
    for (const link of links) {
      const [file = '', hash] = link.split('#');
      const target = file === '' ? page : relative(root, join(root, dirname(page), file));
      expect(existsSync(join(root, target)), link).toBe(true);
      if (hash !== undefined) expect([...anchorsOf(target)], link).toContain(hash);
    }
  });

  it('docs/README.md lists every page, in the groups and the order of the menu', () => {
    const [, list = ''] = textOf('docs/README.md').split('\n## All pages\n');
    const listed = Array.from(
      list.matchAll(/^### (.+)$|^\| \[(.+?)\]\((.+?)\)/gm),
      ([, group, title, link]) => (group === undefined ? [title, link] : group),
    );
    const pageOf = ({ title, file, path }: DocsPage) => [
      title,
      file ?? `http://localhost:8787${path}`,
    ];
    expect(listed).toEqual(docsGroups.flatMap(({ name, pages }) => [name, ...pages.map(pageOf)]));
  });
});
