import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'SECURITY.md'), 'utf8');
const threats = (page.split('## What is guarded against')[1] ?? '')
  .split('\n## ')[0]
  ?.split('\n')
  .filter((line) => /^\| (?!threat|---)/.test(line));
const tests = [...page.matchAll(/\[([^\]]+)\]\(((?:packages\/\w+\/)?test\/[^)]+)\)/g)].map(
  ([, title = '', file = '']) => ({
    title,
    file,
  }),
);

describe('SECURITY.md', () => {
  it.each(threats ?? [])('%s', (row) => {
    expect(row).toMatch(/\]\((?:packages\/\w+\/)?test\//);
  });

  it.each(tests)('names "$title", which $file has', ({ title, file }) => {
    expect(existsSync(join(root, file)), file).toBe(true);
    expect(readFileSync(join(root, file), 'utf8')).toContain(title);
  });

  it('has a test for each threat', () => {
    expect(threats?.length).toBeGreaterThan(20);
    expect(tests.length).toBeGreaterThan(threats?.length ?? 0);
  });
});
