import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { freePort } from '../../../scripts/local/free-port.ts';
import { itForEach } from '../../../test/support/each.ts';
import { command, linesOf, start } from './support/command.ts';
import { contents, halved, jpegLike, newFolder, webpLike, writeJpegs } from './support/folders.ts';
import { half, image, problem, StandIn, same } from './support/stand-in.ts';

const key = 'fewer_of_a_test';
let standIn: StandIn;
let cwd: string;
const run = (...args: readonly string[]) => command(args, { cwd, url: standIn.origin, key });

beforeEach(async () => {
  standIn = await new StandIn().start();
  cwd = await newFolder(onTestFinished);
});

afterEach(() => standIn.stop());

describe('many files', () => {
  it('500 files are optimized in place, and a second run sends nothing', {
    tags: 'slow',
  }, async () => {
    await writeJpegs(cwd, 500);
    const first = await run('.');
    expect(first.code).toBe(0);
    expect(standIn.seen).toHaveLength(500);
    expect(new Set([...(await contents(cwd)).values()].map(({ length }) => length))).toEqual(
      new Set([1000]),
    );
    expect(first.out).toContain('500 optimized. 500 requests sent, 0 known from the cache.');
    const second = await run('.');
    expect(second.code).toBe(0);
    expect(standIn.seen).toHaveLength(500);
    expect(second.out).toContain(
      '500 cannot be smaller. 0 requests sent, 500 known from the cache.',
    );
  });

  it('results in an out folder come from the cache the second time, even when they were deleted', {
    tags: 'slow',
  }, async () => {
    await mkdir(join(cwd, 'in'));
    await writeJpegs(join(cwd, 'in'), 20);
    await run('in', '--out', 'first');
    await run('in', '--out', 'second');
    expect(standIn.seen).toHaveLength(20);
    const all = await contents(cwd);
    for (let number = 0; number < 20; number += 1) {
      const [source, ...results] = ['in', 'first', 'second'].map((folder) =>
        all.get(join(folder, `photo ${number}.jpg`)),
      );
      expect(source).toEqual(jpegLike(number));
      for (const result of results) expect(result).toEqual(halved(jpegLike(number)));
    }
  });

  it('the files left are those of the last request, not of the last answer', {
    tags: 'slow',
  }, async () => {
    await writeJpegs(cwd, 3);
    let left = 400;
    standIn.answer = async (response, { body }) => {
      left -= 1;
      const headers = { 'Quota-Remaining': String(left) };
      if (left === 399) await pause(500);
      image(response, body, halved(body), headers);
    };
    const { out } = await run('.');
    expect(out).toContain('397 files left on the account.');
  });

  it('other options are another request; so is --no-cache', { tags: 'slow' }, async () => {
    await mkdir(join(cwd, 'in'));
    await writeJpegs(join(cwd, 'in'), 2);
    await run('in', '--out', 'a');
    await run('in', '--out', 'b', '--width', '800');
    const queries = standIn.seen.map(({ query }) => query);
    expect(queries.sort()).toEqual(['', '', '?width=800', '?width=800']);
    await run('in', '--out', 'a', '--no-cache');
    expect(standIn.seen).toHaveLength(6);
  });

  it('a cache that cannot be written is told: another run would send everything again', {
    tags: 'slow',
  }, async () => {
    await writeJpegs(cwd, 2);
    const ended = await run('.', '--cache', 'photo 0.jpg');
    expect(ended.code).toBe(0);
    expect(ended.out).toMatch(/Results could not be cached \(E\w+\): running this/);
    expect((await run('.', '--json')).out).toContain('"cacheError":null');
  });

  it('two runs over one folder at once leave no failure', { tags: 'slow' }, async () => {
    await writeJpegs(cwd, 40);
    standIn.answer = async (response, seen) => {
      await pause(20);
      half(response, seen);
    };
    const both = await Promise.all([run('.'), run('.')]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    for (const [name, bytes] of await contents(cwd)) {
      expect(bytes, name).toEqual(halved(jpegLike(numberOf(name))));
    }
  });

  it('images of equal content are sent once', async () => {
    for (const name of ['a.jpg', 'b.jpg', 'c.jpg']) await writeFile(join(cwd, name), jpegLike(1));
    const { out } = await run('.');
    expect(standIn.seen).toHaveLength(1);
    expect(out).toContain('3 optimized. 1 request sent');
  });

  it('a result that is no smaller leaves the file alone, time and all', {
    tags: 'slow',
  }, async () => {
    standIn.answer = same;
    await writeJpegs(cwd, 2);
    const { out } = await run('.', '--json');
    expect(linesOf(out)[0]).toMatchObject({ status: 'kept', reason: 'already-optimal' });
    await run('.');
    expect(standIn.seen).toHaveLength(2);
    expect((await contents(cwd)).get('photo 0.jpg')).toEqual(jpegLike(0));
  });
});

describe('a service that asks to wait', () => {
  itForEach([429, 503], '%d with Retry-After is obeyed by all that are at work', async (status) => {
    await writeJpegs(cwd, 6);
    standIn.next.push(
      problem(status, status === 429 ? 'too_many_requests' : 'overloaded', { 'Retry-After': '1' }),
    );
    const ended = await run('.', '--concurrency', '1');
    expect(ended.code).toBe(0);
    expect(ended.out).toContain('waiting for 1 s');
    const [first, second] = standIn.seen;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(950);
    expect(standIn.seen).toHaveLength(7);
    expect(second?.body).toEqual(first?.body);
  });

  it('those that begin meanwhile wait as well', { tags: 'slow' }, async () => {
    await writeJpegs(cwd, 8);
    standIn.next.push(problem(503, 'overloaded', { 'Retry-After': '4' }));
    await run('.', '--concurrency', '4');
    const began = standIn.seen[0]?.at ?? 0;
    const during = standIn.seen.filter(({ at }) => at > began + 2000 && at < began + 3950);
    expect(during).toHaveLength(0);
    expect(standIn.seen).toHaveLength(9);
  });

  it('a wait of more than two minutes ends the run', { tags: 'slow' }, async () => {
    await writeJpegs(cwd, 2);
    standIn.answer = problem(503, 'overloaded', { 'Retry-After': '121' });
    const ended = await run('.', '--concurrency', '1');
    expect(standIn.seen).toHaveLength(1);
    expect(ended.out).toContain('come back in 3 minutes');
  });

  it('a wait of hours ends the run, with the time in the error', { tags: 'slow' }, async () => {
    await writeJpegs(cwd, 5);
    standIn.answer = problem(429, 'too_many_requests', { 'Retry-After': '7200' });
    const ended = await run('.', '--concurrency', '1');
    expect(ended.code).toBe(1);
    expect(standIn.seen).toHaveLength(1);
    expect(ended.out).toContain('come back in 120 minutes');
  });

  it('an error of the service is tried again, and then fails that file only', {
    tags: 'slow',
  }, async () => {
    await writeJpegs(cwd, 2);
    standIn.next.push(...Array(3).fill(problem(500, 'internal_error')));
    const ended = await run('.', '--concurrency', '1', '--json');
    expect(ended.code).toBe(1);
    expect(linesOf(ended.out)).toMatchObject([
      {
        status: 'failed',
        error: { code: 'internal_error', detail: 'What to do about internal_error.' },
      },
      { status: 'optimized' },
      { failed: 1, optimized: 1, requests: 4 },
    ]);
  });
});

describe('when nothing more can be sent', () => {
  it('a quota that ends in the middle is status 4, and the next run goes on where it stopped', {
    tags: 'slow',
  }, async () => {
    await writeJpegs(cwd, 10);
    standIn.next.push(half, half, half);
    standIn.answer = problem(402, 'quota_exceeded');
    const ended = await run('.', '--concurrency', '1');
    expect(ended.code).toBe(4);
    expect(standIn.seen).toHaveLength(4);
    expect(ended.out).toContain('3 optimized, 7 failed.');
    expect(ended.out).toContain('quota_exceeded: What to do about quota_exceeded.');
    standIn.answer = half;
    const later = await run('.');
    expect(later.code).toBe(0);
    expect(standIn.seen).toHaveLength(4 + 7);
    expect(later.out).toContain('7 optimized, 3 cannot be smaller.');
  });

  it('without a network the status is 1, and every file is named', { tags: 'slow' }, async () => {
    await writeJpegs(cwd, 8);
    const url = `http://127.0.0.1:${await freePort()}`;
    const ended = await command(['.'], { cwd, url, key });
    expect(ended.code).toBe(1);
    expect(ended.out).toContain('network: The service cannot be reached (ECONNREFUSED)');
    for (let number = 0; number < 8; number += 1)
      expect(ended.out).toContain(`  photo ${number}.jpg`);
  });

  it('a refused key is status 3 after one request; a service without a key is wrong usage', async () => {
    await writeJpegs(cwd, 5);
    standIn.answer = problem(401, 'invalid_api_key');
    expect((await run('.', '--concurrency', '1')).code).toBe(3);
    expect(standIn.seen).toHaveLength(1);
    const ended = await command(['.', '--service'], { cwd, url: standIn.origin });
    expect(ended.code).toBe(2);
    expect(ended.err).toContain('FEWERBYTES_KEY is not set: create an API key');
    expect(standIn.seen).toHaveLength(1);
  });

  itForEach(
    ['fewer_…', 'fewer_a b'],
    'a key that cannot be one, %j, is neither sent nor printed',
    async (wrong) => {
      await writeJpegs(cwd, 2);
      const ended = await command(['.'], { cwd, url: standIn.origin, key: wrong });
      expect(ended.code).toBe(3);
      expect(ended.out).toContain('invalid_api_key: FEWERBYTES_KEY is not an API key');
      expect(ended.out + ended.err).not.toContain(wrong);
      expect(standIn.seen).toHaveLength(0);
    },
  );

  it('a page of something else is not taken for an image', { tags: 'slow' }, async () => {
    await writeJpegs(cwd, 3);
    standIn.answer = (response) => {
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Sign in to the Wi-Fi</h1>');
    };
    const ended = await run('.', '--concurrency', '1');
    expect(ended.code).toBe(1);
    expect(ended.out).toContain('unexpected_answer');
    expect((await contents(cwd)).get('photo 0.jpg')).toEqual(jpegLike(0));
  });
});

describe('interruptions', () => {
  it('Ctrl-C ends with 130 and a table, and leaves every file whole and nothing else', {
    tags: 'slow',
  }, async () => {
    await writeJpegs(cwd, 30);
    standIn.answer = async (response, seen) => {
      await pause(100);
      half(response, seen);
    };
    const running = start(['.'], { cwd, url: standIn.origin, key });
    await vi.waitFor(() => expect(standIn.seen.length).toBeGreaterThan(8), 40_000);
    running.kill('SIGINT');
    const ended = await running.ended;
    expect(ended.code).toBe(130);
    expect(ended.out).toContain('Interrupted. Every file is whole');
    expectOldOrNew(await contents(cwd), 30);
    expect(await readdir(cwd)).toHaveLength(31); // and the cache
  });

  it('SIGKILL at 20 random moments leaves each file old or new, and the cache right', {
    tags: 'slow',
  }, async () => {
    await writeJpegs(cwd, 150, 20_000);
    standIn.answer = async (response, seen) => {
      await pause(15);
      half(response, seen);
    };
    for (let round = 0; round < 20; round += 1) {
      const sent = standIn.seen.length;
      const running = start(['.', '--concurrency', '8'], { cwd, url: standIn.origin, key });
      await vi
        .waitFor(() => expect(standIn.seen.length).toBeGreaterThan(sent), 1000)
        .catch(() => {});
      await pause(Math.random() * 25);
      running.kill('SIGKILL');
      await running.ended;
      expectOldOrNew(await images(), 150, 20_000);
    }
    expect((await run('.')).code).toBe(0);
    for (const [name, bytes] of await images()) {
      expect(bytes, name).toEqual(halved(jpegLike(numberOf(name), 20_000)));
    }
    const sent = standIn.seen.length;
    await run('.');
    expect(standIn.seen).toHaveLength(sent);
  });

  /** Without what a killed process may leave for a while. */
  async function images() {
    return new Map([...(await contents(cwd))].filter(([name]) => !name.endsWith('.part')));
  }
});

function numberOf(name: string): number {
  return Number(/\d+/.exec(name)?.[0]);
}

function expectOldOrNew(files: ReadonlyMap<string, Buffer>, count: number, length = 2000): void {
  expect(files.size).toBe(count);
  for (const [name, bytes] of files) {
    const before = jpegLike(numberOf(name), length);
    const isWhole = bytes.equals(before) || bytes.equals(halved(before));
    expect(isWhole, name).toBe(true);
  }
}

it('--watch takes new, changed and moved files once each', { tags: 'slow' }, async () => {
  await mkdir(join(cwd, 'in'));
  await writeFile(join(cwd, 'in/a.jpg'), jpegLike(1));
  const running = start(['in', '--watch', '--json'], { cwd, url: standIn.origin, key });
  const files = () => linesOf(running.out).filter(({ type }) => type === 'file');
  const taken = (path: string) => files().filter((file) => file.path === join('in', path));
  const settle = (count: number) =>
    vi.waitFor(() => expect(files().length).toBe(count), { timeout: 30_000, interval: 50 });
  await settle(1);
  await mkdir(join(cwd, 'in/new'));
  await writeFile(join(cwd, 'in/new/b.jpg'), jpegLike(2));
  await settle(2);
  await writeFile(join(cwd, 'in/a.jpg'), jpegLike(3));
  await settle(3);
  await rename(join(cwd, 'in/a.jpg'), join(cwd, 'in/c.jpg'));
  await settle(4);
  await pause(1500);
  running.kill('SIGINT');
  expect((await running.ended).code).toBe(130);
  expect(files()).toHaveLength(4);
  expect(taken('c.jpg')).toMatchObject([{ status: 'kept', reason: 'optimized-before' }]);
  expect(standIn.seen).toHaveLength(3);
});

it('--watch survives folders that are deleted while it looks', { tags: 'slow' }, async () => {
  await mkdir(join(cwd, 'in'));
  const running = start(['in', '--watch', '--json'], { cwd, url: standIn.origin, key });
  await vi.waitFor(() => expect(running.out).toContain('summary'), 30_000);
  for (const end = Date.now() + 3000; Date.now() < end; ) {
    const folder = join(cwd, 'in/short-lived');
    await mkdir(folder, { recursive: true });
    await writeJpegs(folder, 50, 300);
    await rm(folder, { recursive: true });
  }
  await writeFile(join(cwd, 'in/a.jpg'), jpegLike(1));
  // After a slow scan, twenty times as long passes until the next one.
  await vi.waitFor(() => expect(running.out).toContain('in/a.jpg'), 40_000);
  running.kill('SIGINT');
  expect((await running.ended).code).toBe(130);
});

it('--watch tries again what a broken connection has kept from it, though the file has not changed', {
  tags: 'slow',
}, async () => {
  await writeJpegs(cwd, 1);
  standIn.next.push(...Array(3).fill((response: ServerResponse) => response.destroy()));
  const running = start(['.', '--watch', '--json'], { cwd, url: standIn.origin, key });
  const statuses = () => linesOf(running.out).flatMap(({ status }) => status ?? []);
  await vi.waitFor(() => expect(statuses()).toEqual(['failed', 'optimized']), 40_000);
  running.kill('SIGINT');
  await running.ended;
});

it('--watch frees the name of a result when its image is gone', { tags: 'slow' }, async () => {
  standIn.answer = (response, { body }) =>
    image(response, body, webpLike, { 'Content-Type': 'image/webp' });
  await writeFile(join(cwd, 'a.jpg'), jpegLike(1));
  const args = ['.', '--watch', '--json', '--format', 'webp', '--out', 'out'];
  const running = start(args, { cwd, url: standIn.origin, key });
  const results = () =>
    linesOf(running.out).flatMap(({ path, status }) => (path ? [[path, status]] : []));
  await vi.waitFor(() => expect(results()).toEqual([['a.jpg', 'optimized']]), 30_000);
  await rm(join(cwd, 'a.jpg'));
  await pause(1500);
  await writeFile(join(cwd, 'a.jpeg'), jpegLike(2));
  await vi.waitFor(() => expect(results().at(-1)).toEqual(['a.jpeg', 'optimized']), 30_000);
  running.kill('SIGINT');
  await running.ended;
});

it('--watch survives a result that changes in an out folder which is the input', {
  tags: 'slow',
}, async () => {
  standIn.answer = (response, { body }) =>
    image(response, body, webpLike, { 'Content-Type': 'image/webp' });
  await writeFile(join(cwd, 'a.jpg'), jpegLike(1));
  const args = ['.', '--watch', '--json', '--format', 'webp', '--out', '.'];
  const running = start(args, { cwd, url: standIn.origin, key });
  await vi.waitFor(() => expect(running.out).toContain('"optimized"'), 30_000);
  await writeFile(join(cwd, 'a.webp'), Buffer.concat([webpLike, Buffer.from(' changed')]));
  await vi.waitFor(() => expect(running.out).toContain('name_collision'), 30_000);
  running.kill('SIGINT');
  expect((await running.ended).code).toBe(130);
});

it('--watch sends later what it could not send while the service was away', {
  tags: 'slow',
}, async () => {
  const port = await freePort();
  await writeJpegs(cwd, 1);
  const url = `http://127.0.0.1:${port}`;
  const running = start(['.', '--watch', '--json'], { cwd, url, key });
  const statuses = () => linesOf(running.out).flatMap(({ status }) => status ?? []);
  await vi.waitFor(() => expect(statuses()).toEqual(['failed']), 30_000);
  await pause(2500);
  // tried again after five seconds, not at once
  expect(statuses()).toEqual(['failed']);
  const later = await new StandIn().start(port);
  onTestFinished(() => later.stop());
  // A server that starts slowly costs another try.
  await vi.waitFor(() => expect(statuses().at(-1)).toBe('optimized'), 30_000);
  running.kill('SIGINT');
  await running.ended;
});
