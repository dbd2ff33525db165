import { describe, expect, it } from 'vitest';
import type { D1Database, R2Bucket } from '../../../../src/platform.ts';
import { isOutage } from '../../../../src/store/database.ts';
import { homes, onNode } from '../../../support/bindings.ts';

/** What an attempt ends with: its result, or the message of its error. */
function ending(work: () => Promise<unknown>): Promise<unknown> {
  return Promise.resolve()
    .then(work)
    .catch((error: Error) => error.message);
}

function failing(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    type: 'bytes',
    pull: (controller) => controller.error(new Error('the source broke off')),
  });
}

async function textOf(bucket: R2Bucket, key: string): Promise<string | null> {
  const object = await bucket.get(key);
  return object && new Response(object.body).text();
}

async function keysIn(bucket: R2Bucket, prefix: string, limit = 1000): Promise<string[][]> {
  const pages: string[][] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await bucket.list({ prefix, limit, ...(cursor !== undefined && { cursor }) });
    pages.push(page.objects.map(({ key }) => key));
    if (!page.truncated) return pages;
    cursor = page.cursor;
  }
}

const table = 'CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT UNIQUE, size REAL) STRICT';

async function withTable(DB: D1Database): Promise<D1Database> {
  await DB.prepare(table).run();
  await DB.prepare("INSERT INTO things VALUES (1, 'one', 1.5), (2, 'two', NULL)").run();
  return DB;
}

describe.each(homes)('the stores of %s', (_, within) => {
  it('D1: values of all kinds come back as they are, in the places that they were given', async () => {
    const rows = await within(async ({ DB }) => {
      const select = 'SELECT ?2 AS b, ?1 AS a, ?3 AS c, typeof(?4) AS d, ?5 AS e, ?2 AS again';
      return DB.prepare(select).bind('text', 7, null, 7, true).all();
    });
    expect(rows.results).toEqual([{ a: 'text', b: 7, c: null, d: 'real', e: 1, again: 7 }]);
    expect(rows.meta.changes).toBe(0);
  });

  it('D1: what cannot be a value is refused', { tags: 'slow' }, async () => {
    const messages = await within(({ DB }) =>
      Promise.all([
        ending(async () => DB.prepare('SELECT ?1 AS a').bind(undefined).all()),
        ending(async () => DB.prepare('SELECT ?1 AS a').bind({}).all()),
        ending(async () => DB.prepare('SELECT ?1 AS a, ?2 AS b').bind('one').all()),
        ending(async () => DB.prepare('SELECT ?1 AS a').bind('one', 'two').all()),
        ending(async () => DB.prepare("SELECT '?1' AS a").all()),
      ]),
    );
    expect(messages).toEqual([
      "D1_TYPE_ERROR: Type 'undefined' not supported for value 'undefined'",
      "D1_TYPE_ERROR: Type 'object' not supported for value '[object Object]'",
      expect.stringMatching(/^D1_ERROR: Wrong number of parameter bindings/),
      expect.stringMatching(/^D1_ERROR: Wrong number of parameter bindings/),
      expect.objectContaining({ results: [{ a: '?1' }] }),
    ]);
  });

  it('D1: tells how many rows a statement has changed, also one that returns rows', {
    tags: 'slow',
  }, async () => {
    const changes = await within(async ({ DB }) => {
      await withTable(DB);
      const results = await DB.batch([
        DB.prepare('UPDATE things SET size = ?1').bind(2),
        DB.prepare('UPDATE things SET size = 3 WHERE id = 9'),
        DB.prepare('SELECT * FROM things'),
        DB.prepare("INSERT INTO things VALUES (3, 'three', 3) RETURNING id"),
        DB.prepare('DELETE FROM things WHERE id < 3 RETURNING id'),
        DB.prepare("INSERT OR REPLACE INTO things VALUES (3, 'other', 4)"),
        DB.prepare("INSERT OR IGNORE INTO things VALUES (3, 'another', 4)"),
      ]);
      return results.map(({ results: rows, meta }) => [rows.length, meta.changes]);
    });
    expect(changes).toEqual([
      [0, 2],
      [0, 0],
      [2, 0],
      [1, 1],
      [2, 2],
      [0, 1],
      [0, 0],
    ]);
  });

  it('D1: a batch is one transaction, of which an error leaves nothing', {
    tags: 'slow',
  }, async () => {
    const outcome = await within(async ({ DB }) => {
      await withTable(DB);
      const message = await ending(() =>
        DB.batch([
          DB.prepare('DELETE FROM things'),
          DB.prepare("INSERT INTO things VALUES (5, 'five', 5), (6, 'five', 6)"),
        ]),
      );
      const first = await DB.prepare('SELECT count(*) AS n FROM things').first();
      return { message, first, none: await DB.prepare('SELECT 1 FROM things WHERE 0').first() };
    });
    expect(outcome).toEqual({
      message: expect.stringMatching(
        /^D1_ERROR: UNIQUE constraint failed: things.name: SQLITE_CONSTRAINT/,
      ),
      first: { n: 2 },
      none: null,
    });
  });

  it('D1: errors of statements name their cause, and are no outage', async () => {
    const errors = await within(({ DB }) =>
      Promise.all([
        ending(() => DB.prepare('SELEKT 1').run()),
        ending(() => DB.prepare('SELECT * FROM things').run()),
      ]),
    );
    expect(errors).toEqual([
      expect.stringMatching(/^D1_ERROR: near "SELEKT": syntax error.*: SQLITE_ERROR/),
      expect.stringMatching(/^D1_ERROR: no such table: things.*: SQLITE_ERROR/),
    ]);
    expect(errors.map((message) => isOutage(new Error(String(message))))).toEqual([false, false]);
  });

  it('KV: texts, JSON and streams come back, the last one written, until they are deleted', async () => {
    const found = await within(async ({ KV }) => {
      await KV.put('a', 'old', { expirationTtl: 60 });
      await KV.put('a', '{"b":"ü"}', { expiration: Math.ceil(Date.now() / 1000) + 62 });
      await KV.put('s', new Blob(['streamed']).stream(), { expirationTtl: 60 });
      const stream = await KV.get('s', 'stream');
      const before = [await KV.get('a'), await KV.get('a', { type: 'json', cacheTtl: 30 })];
      await KV.delete('a');
      await KV.delete('never written');
      const streamed = stream && (await new Response(stream).text());
      return [...before, streamed, await KV.get('a'), await KV.get('b', 'stream')];
    });
    expect(found).toEqual(['{"b":"ü"}', { b: 'ü' }, 'streamed', null, null]);
  });

  it('KV: refuses a life of less than a minute and what is too large', {
    tags: 'slow',
  }, async () => {
    const outcomes = await within(async ({ KV }) => {
      const soon = Math.floor(Date.now() / 1000) + 10;
      const large = 'x'.repeat(25 * 2 ** 20 + 1);
      return [
        await ending(() => KV.put('a', 'b', { expirationTtl: 59 })),
        await ending(() => KV.put('a', 'b', { expiration: soon })),
        await ending(() => KV.put('a', large, { expirationTtl: 60 })),
        await KV.get('a'),
      ];
    });
    expect(outcomes).toEqual([
      expect.stringMatching(/^KV PUT failed: 400/),
      expect.stringMatching(/^KV PUT failed: 400/),
      expect.stringMatching(/^KV PUT failed: 413/),
      null,
    ]);
  });

  it('bucket: objects come back with their metadata, the old one to whoever has it, the new one to others', {
    tags: 'slow',
  }, async () => {
    const found = await within(async ({ RESULTS: bucket }) => {
      const began = Date.now();
      await bucket.put('a/b', 'old', { customMetadata: { head: '{"x":"ü"}' } });
      const old = await bucket.get('a/b');
      await bucket.put('a/b', 'newer');
      await bucket.put('a', '');
      const newer = await bucket.get('a/b');
      await newer?.body.cancel();
      const texts = [old && (await new Response(old.body).text()), await textOf(bucket, 'a')];
      await bucket.delete('a/b');
      await bucket.delete(['a', 'never written']);
      const isNow = old && Math.abs(old.uploaded.getTime() - began) < 5000;
      const sizes = [old?.size, newer?.size];
      const meta = [old?.customMetadata, newer?.customMetadata];
      return { texts, isNow, sizes, meta, gone: [await bucket.get('a/b'), await bucket.get('a')] };
    });
    expect(found).toEqual({
      texts: ['old', ''],
      isNow: true,
      sizes: [3, 5],
      meta: [{ head: '{"x":"ü"}' }, {}],
      gone: [null, null],
    });
  });

  it('bucket: a put with a condition changes only the object that was read', async () => {
    const outcomes = await within(async ({ RESULTS: bucket }) => {
      await bucket.put('a', 'one');
      const one = await bucket.get('a');
      await one?.body.cancel();
      const etagMatches = one?.etag ?? '';
      const first = await bucket.put('a', 'two', { onlyIf: { etagMatches } });
      const second = await bucket.put('a', 'three', { onlyIf: { etagMatches } });
      await bucket.delete('a');
      const third = await bucket.put('a', 'four', { onlyIf: { etagMatches } });
      return [first !== null, second, third, await bucket.get('a')];
    });
    expect(outcomes).toEqual([true, null, null, null]);
  });

  it('bucket: lists by prefix, in pages, in the order of keys', { tags: 'slow' }, async () => {
    const keys = ['b', 'a/b/c', 'a', 'a/b', 'a-b', 'a/c', 'output:x:upload', 'a.b', 'a/b0', 'ab/c'];
    const pages = await within(async ({ RESULTS: bucket }) => {
      for (const key of keys) await bucket.put(key, key);
      const prefixes = await Promise.all(
        ['a/b', 'a/b/', 'output:', 'A', 'a/c/'].map((prefix) => keysIn(bucket, prefix)),
      );
      return { all: await keysIn(bucket, '', 3), prefixes };
    });
    expect(pages.all.flat()).toEqual([...keys].sort());
    expect(pages.all.map(({ length }) => length)).toEqual([3, 3, 3, 1]);
    expect(pages.prefixes).toEqual([
      [['a/b', 'a/b/c', 'a/b0']],
      [['a/b/c']],
      [['output:x:upload']],
      [[]],
      [[]],
    ]);
  });
});

it('values and objects stay as they were if the stream of their next bytes breaks off', async () => {
  const outcome = await onNode(async ({ RESULTS: bucket, KV }) => {
    await KV.put('a', 'whole', { expirationTtl: 60 });
    const refusal = await ending(() => KV.put('a', failing(), { expirationTtl: 60 }));
    await bucket.put('a', 'whole');
    const message = await ending(() => bucket.put('a', failing()));
    return [refusal, message, await KV.get('a'), await textOf(bucket, 'a')];
  });
  const message = 'the source broke off';
  expect(outcome).toEqual([message, message, 'whole', 'whole']);
});
