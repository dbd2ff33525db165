import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const page = readFileSync(join(root, 'docs/performance.md'), 'utf8');
const report = readFileSync(join(root, 'bench/report/README.md'), 'utf8');

/** The part before the load tests, which the report does not cover. */
const [summary = ''] = page.split('\n## Under load');

/** As written: `0.90` is not `0.9`. */
function decimals(text: string): string[] {
  return text.match(/\d+\.\d+/g) ?? [];
}

describe('the summary of the report in docs/performance.md', () => {
  const measured = new Set(decimals(report));

  it('has figures enough to be one', () => {
    expect(decimals(summary).length).toBeGreaterThan(60);
  });

  it.each([...new Set(decimals(summary))])('says %s, as the report does', (figure) => {
    expect(measured).toContain(figure);
  });

  it.each([...summary.matchAll(/!\[[^\]]*\]\(([^)]+)\)/g)].map(([, path = '']) => path))(
    'shows %s',
    (path) => {
      expect(existsSync(join(root, 'docs', path))).toBe(true);
    },
  );
});
