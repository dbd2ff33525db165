import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { limits, rateLimitBindings, settings } from '../../support/docs/facts.ts';
import { generated, rateLimits } from '../../support/docs/generated.ts';

const folder = join(import.meta.dirname, '../../../docs');
const pages = globSync('*.md', { cwd: folder }).sort();

/** A page with its directives expanded from the current code. */
function current(text: string): string {
  return text
    .replace(
      /<!-- (limit|setting): (\w+) -->.*?<!-- \/\1 -->/g,
      (_, kind: string, name: string) =>
        `<!-- ${kind}: ${name} -->${wordOf(kind, name)}<!-- /${kind} -->`,
    )
    .replace(
      /<!-- generated: ([\w-]+)(?: (\S+))? -->\n[\s\S]*?<!-- \/generated -->/g,
      (_, name: string, argument = '') => {
        const directive = `${name} ${argument}`.trim();
        return `<!-- generated: ${directive} -->\n\n${generatedBy(name, argument)}\n\n<!-- /generated -->`;
      },
    );
}

function wordOf(kind: string, name: string): string {
  const word = kind === 'limit' ? limits[name] : settings[name];
  if (word === undefined) throw new Error(`there is no ${kind} ${name}`);
  return typeof word === 'number' ? word.toLocaleString('en-US') : word;
}

function generatedBy(name: string, argument: string): string {
  const make = generated[name];
  if (make === undefined) throw new Error(`there is nothing to make ${name}`);
  return make(argument);
}

const sources = pages.map((page) => readFileSync(join(folder, page), 'utf8')).join('\n');
const namesOf = (kind: string) =>
  new Set(
    Array.from(
      sources.matchAll(new RegExp(`<!-- ${kind}: ([\\w-]+)(?: \\S+)? -->`, 'g')),
      ([, name]) => name,
    ),
  );

describe('the documentation', () => {
  // `npm run docs` writes the changes. Those of the limits are searched for, which takes half a minute.
  it.each(pages)(
    'docs/%s says what the code says',
    {
      tags: 'slow',
      timeout: 180_000,
    },
    async (page) => {
      const path = join(folder, page);
      await expect(current(readFileSync(path, 'utf8'))).toMatchFileSnapshot(path);
    },
  );

  it('uses everything that is made for it', () => {
    expect(namesOf('generated')).toEqual(new Set(Object.keys(generated)));
    expect(namesOf('limit')).toEqual(new Set(Object.keys(limits)));
    expect(namesOf('setting')).toEqual(new Set(Object.keys(settings)));
  });

  it('has a word for every rate limit of wrangler.toml', () => {
    expect(rateLimits.map(({ binding }) => binding).sort()).toEqual([...rateLimitBindings].sort());
  });
});
