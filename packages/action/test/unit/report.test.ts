import MarkdownIt from 'markdown-it';
import { describe, expect, it } from 'vitest';
import { OptimizeError } from '../../../fewerbytes/src/errors.ts';
import type { FileResult, Summary } from '../../../fewerbytes/src/files/report.ts';
import { reportText } from '../../src/report.ts';

function result(path: string, facts: Partial<FileResult> = {}): FileResult {
  const sizes = { inputBytes: 2000, outputBytes: 1000 };
  const types = { inputType: 'image/png', outputType: 'image/png' };
  const rest = {
    output: path,
    placeholder: null,
    score: null,
    reason: null,
    isCached: false,
    error: null,
  };
  return { path, status: 'optimized', ...sizes, ...types, ...rest, ...facts };
}

const failed = (path: string) =>
  result(path, { status: 'failed', error: new OptimizeError('network') });

function summary(files: readonly FileResult[]): Summary {
  const bytes = { inputBytes: 0, outputBytes: 0 };
  const none = { requests: null, quotaRemaining: null, cacheError: null, stop: null };
  return { files, ...bytes, ...none, peakMemory: 1e8, isCancelled: false };
}

describe('names of files', () => {
  // as GitHub renders it: tables, HTML, and bare addresses as links
  const markdown = new MarkdownIt({ html: true, linkify: true });
  it.each([
    'plain.png',
    'a|b.png',
    String.raw`bs\|[click](http://evil.example) @mention <img src=x onerror=alert(1)>.jpg`,
    String.raw`\\|http://evil.example/a.png`,
    '`www.evil.example`.png',
    '``|** bold ** _it_ ~~s~~ </code><b>.png',
    '&lt;b&gt;|&#124;.png',
  ])('%s is shown as it is, as code in one cell, and as nothing else', (name) => {
    for (const file of [result(name), failed(name)]) {
      const rendered = markdown.render(reportText(summary([file]), false));
      const [, code] = /<code>(.*?)<\/code>/.exec(rendered) ?? [];
      expect(decoded(code ?? '')).toBe(name);
      expect(rendered).not.toMatch(/<(?:a|img|b|strong|em|s)\b/);
      const rows = Array.from(rendered.matchAll(/<tr>.*?<\/tr>/gs), ([row]) => row);
      for (const row of rows) expect(row.match(/<t[dh]\b/g)).toHaveLength(4);
    }
  });

  function decoded(html: string): string {
    const named: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' };
    return html.replaceAll(/&(?:#(\d+)|(\w+));/g, (_, code, word) =>
      code ? String.fromCodePoint(Number(code)) : (named[word] ?? ''),
    );
  }

  it('however many and long, stay below the limit of a comment', { tags: 'slow' }, () => {
    const names = Array.from({ length: 3000 }, (_, i) => `${i}|${'`.'.repeat(120)}.png`);
    const files = names.flatMap((name) => [result(name), failed(`x${name}`)]);
    const text = reportText(summary(files), false);
    expect(text.length).toBeGreaterThan(20_000);
    expect(text.length).toBeLessThan(65_536);
    expect(text).toMatch(/and 29\d\d more/);
  });
});

describe('the title', () => {
  const kept = result('kept.png', { status: 'kept', reason: 'already-optimal' });
  it.each([
    [[kept], 'No image of this change can be smaller', '1 image looked at.'],
    [[failed('a'), failed('b')], '2 images not looked at', '0 images looked at.'],
    [
      [kept, failed('a')],
      '1 image looked at, and none of them can be smaller',
      '1 image looked at.',
    ],
    [[kept, result('b')], '1.0 kB could be saved in 1 image', '2 images looked at.'],
  ])('says what was found, and claims nothing about files that failed: %#', (files, title, end) => {
    const text = reportText(summary(files), false);
    expect(text).toContain(`### ${title}\n`);
    expect(text).toContain(`\n${end}`);
  });
});
