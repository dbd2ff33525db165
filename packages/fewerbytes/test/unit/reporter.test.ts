import { Writable } from 'node:stream';
import type { WriteStream } from 'node:tty';
import { expect, it } from 'vitest';
import { retryAfter, waitText } from '../../src/client/client.ts';
import { TextReporter } from '../../src/command/reporter.ts';
import { summaryText } from '../../src/command/table.ts';
import { bytesText, exitCodeOf, fileText, savedText } from '../../src/command/texts.ts';
import { type ErrorCode, OptimizeError } from '../../src/errors.ts';
import type { FileResult, Summary } from '../../src/files/report.ts';

const file: FileResult = {
  path: 'photo.jpg',
  status: 'optimized',
  output: 'photo.jpg',
  inputBytes: 475_900,
  outputBytes: 124_300,
  inputType: 'image/jpeg',
  outputType: 'image/jpeg',
  placeholder: null,
  score: 77.4,
  reason: null,
  isCached: false,
  error: null,
};

const summary: Summary = {
  files: [file],
  inputBytes: 475_900,
  outputBytes: 124_300,
  requests: 1,
  quotaRemaining: 99,
  peakMemory: null,
  stop: null,
  cacheError: null,
  isCancelled: false,
};

function stream(isTTY: boolean): { out: WriteStream; written: () => string } {
  let text = '';
  const out = new Writable({
    write(chunk, _, done) {
      text += chunk;
      done();
    },
  });
  return {
    out: Object.assign(out, { isTTY, hasColors: () => false }) as unknown as WriteStream,
    written: () => text,
  };
}

function report(isTTY: boolean): string {
  const { out, written } = stream(isTTY);
  const reporter = new TextReporter(out);
  reporter.event({ type: 'found', count: 1 });
  reporter.event({ type: 'start', path: 'photo.jpg' });
  reporter.event({ type: 'file', file });
  reporter.summary(summary);
  return written();
}

const printed = `  −74%  475.9 kB → 124.3 kB  photo.jpg

       files     before      after   saved
jpeg       1   475.9 kB   124.3 kB    −74%

1 optimized. 1 request sent, 0 known from the cache. 99 files left on the account.
`;

it('without a terminal there are lines and a table, and no control characters', () => {
  expect(report(false)).toBe(printed);
});

it('a terminal shows what is being worked on and the total, and in the end the very text that others get', () => {
  const text = report(true);
  expect(text).toContain('… photo.jpg\n0 of 1');
  expect(text).toContain('1 of 1   475.9 kB → 124.3 kB   −74%');
  expect(screenOf(text)).toBe(printed);
});

it('live lines never take more rows than the terminal has', () => {
  const { out, written } = stream(true);
  const reporter = new TextReporter(Object.assign(out, { rows: 10 }));
  reporter.event({ type: 'found', count: 32 });
  for (let n = 1; n <= 32; n += 1) reporter.event({ type: 'start', path: `${n}.jpg` });
  const last = written().split('\x1b[?7l').at(-1) ?? '';
  expect(last.split('\n').slice(0, -1)).toHaveLength(8);
  expect(last).toContain('… 6.jpg\n         … and 26 more\n0 of 32');
});

/** What a terminal shows that knows the sequences used: up, home, clear below, wrap on and off. */
function screenOf(text: string): string {
  let lines = [''];
  const tokens = text.replaceAll('\x1b', '␛').matchAll(/␛\[\d*[A-Z]|␛\[\?7[lh]|\n|\r|[^␛\n\r]+/g);
  for (const [token] of tokens) {
    const up = /^␛\[(\d+)A$/.exec(token)?.[1];
    if (up !== undefined) lines = [...lines.slice(0, lines.length - 1 - Number(up)), ''];
    else if (token === '\n') lines.push('');
    else if (!/^[␛\r]/.test(token)) lines[lines.length - 1] += token;
  }
  return lines.join('\n');
}

it('names cannot move the cursor', () => {
  const text = fileText({ ...file, path: 'a\x1b[2J\n\u202ejpg.exe', output: null });
  expect(text).toContain('a\ufffd[2J\ufffd\ufffdjpg.exe');
});

it('failures are told by code, with what to do and the names', () => {
  const error = new OptimizeError('invalid_image', {
    detail: 'The file is truncated.',
    help: 'https://images.example/docs/errors#invalid_image',
  });
  const failed = { ...file, status: 'failed' as const, path: 'b.jpg', inputType: null, error };
  const text = summaryText({ ...summary, files: [file, failed] });
  expect(text).toContain(
    'invalid_image: The file is truncated.\n  https://images.example/docs/errors#invalid_image\n  b.jpg',
  );
  expect(summaryText({ ...summary, files: [], requests: 0 })).toBe('No images found.');
});

it('without a service, the peak of memory is told, and no requests', () => {
  const local = { ...summary, requests: null, quotaRemaining: null, peakMemory: 312_400_000 };
  const planned = { ...file, status: 'planned' as const };
  expect(summaryText(local)).toMatch(
    /^1 optimized. 0 known from the cache. Peak memory: 312.4 MB.$/m,
  );
  expect(summaryText({ ...local, files: [planned] })).toContain('1 would be optimized.');
  const known = { ...planned, output: null, isCached: true };
  expect(summaryText({ ...summary, files: [planned, known], requests: 0 })).toContain(
    '1 would be sent, 1 would be written. 0 requests sent, 1 known from the cache.',
  );
  expect(fileText({ ...planned, output: null, outputBytes: planned.inputBytes })).toBe(
    '        475.9 kB             photo.jpg',
  );
  expect(fileText(known)).toBe('  −74%  475.9 kB → 124.3 kB  photo.jpg  (cached)');
  expect(fileText({ ...known, outputType: 'image/webp' })).toBe(
    '  −74%  475.9 kB → 124.3 kB  photo.jpg → webp  (cached)',
  );
  const ofSet = { ...known, width: 400, height: 300 };
  expect(fileText(ofSet)).toBe('  −74%  475.9 kB → 124.3 kB  photo.jpg → 400 px jpeg  (cached)');
});

it('each end has its status', () => {
  const failed = { ...file, status: 'failed' as const };
  expect(exitCodeOf(summary)).toBe(0);
  expect(exitCodeOf({ ...summary, files: [failed] })).toBe(1);
  expect(exitCodeOf({ ...summary, files: [failed], stop: 'unreachable' })).toBe(1);
  expect(exitCodeOf({ ...summary, files: [failed], stop: 'key' })).toBe(3);
  expect(exitCodeOf({ ...summary, files: [failed], stop: 'quota' })).toBe(4);
  expect(exitCodeOf({ ...summary, isCancelled: true, stop: 'quota' })).toBe(130);
});

it('figures are short', () => {
  expect([0, 999, 1000, 475_872, 1_813_003, 2e9].map(bytesText)).toEqual([
    ...['0 B', '999 B', '1.0 kB', '475.9 kB', '1.8 MB', '2.0 GB'],
  ]);
  expect(savedText(1000, 265)).toBe('−74%');
  expect(savedText(1000, 995)).toBe('−0.5%');
  expect(savedText(1000, 1000)).toBe('');
  expect(savedText(1_000_000, 999_400)).toBe('−0.1%');
  expect(savedText(1_000_000, 999_999)).toBe('<0.1%');
  expect(savedText(1000, 6)).toBe('−99%');
  expect(savedText(20_000_000, 100_000)).toBe('−99.5%');
  expect(savedText(20_000_000, 30_000)).toBe('−99.9%');
  expect(savedText(20_000_000, 1)).toBe('−99.9%');
  expect(savedText(1000, 0)).toBe('−100%');
});

it('Retry-After is a number of seconds or a date', () => {
  const now = Date.parse('2026-11-20T16:31:00Z');
  expect(retryAfter('120')).toBe(120);
  expect(retryAfter('Fri, 20 Nov 2026 16:31:30 GMT', now)).toBe(30);
  expect(retryAfter('Fri, 20 Nov 2026 16:30:00 GMT', now)).toBe(0);
  for (const text of ['soon', '', '1.5', '-5', '0x10', 'Fri, 99 Nov 2026 16:31:30 GMT']) {
    expect(retryAfter(text), text).toBeNull();
  }
  expect(retryAfter(null)).toBeNull();
});

it.each([
  ['121', '3 minutes'],
  ['7200', '120 minutes'],
  ['86400', '24 hours'],
  ['604800', '7 days'],
  ['99999999999', 'more than a year'],
  ['9'.repeat(400), 'more than a year'],
  ['Fri, 31 Dec 9999 23:59:59 GMT', 'more than a year'],
])('a wait of Retry-After: %s is told in words', (text, words) => {
  expect(waitText(retryAfter(text) ?? 0)).toBe(words);
});

it('a code or reason that every object has means nothing', () => {
  for (const name of ['constructor', '__proto__', 'toString']) {
    expect(new OptimizeError(name as ErrorCode).stop).toBeNull();
    const kept = fileText({ ...file, status: 'kept', reason: name });
    expect(kept.endsWith(`photo.jpg: ${name}`)).toBe(true);
  }
});
