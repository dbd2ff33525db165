import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { itForEach } from '../../../../../support/each.ts';
import {
  ended,
  graphic,
  linkedWriter,
  noise,
  photo,
  type Rows,
  rowWritten,
  unfiltered,
  written,
} from './writing.ts';

const mebibyte = 2 ** 20;

describe('the stream of a picture', () => {
  itForEach([3, 1, 2, 4, 6, 8], 'has the rows again where pixels are of %i bytes', async (step) => {
    for (const picture of [photo(150, 90, step), graphic(301, 200, step)]) {
      await expectSame(picture);
    }
  });

  it.each([0, 1, 2, 3])('has the rows again with effort %i', { tags: 'slow' }, async (effort) => {
    await expectSame(photo(150, 90, 3), effort);
    await expectSame(graphic(700, 500, 3), effort);
  });

  it.each<[string, Rows]>([
    ['one pixel', rowsOf(1, 1, Uint8Array.of(9))],
    ['one byte in each of many rows', rowsOf(1, 1, noise(20_000, 3))],
    ['one long row', rowsOf(1_000_000, 4, noise(1_000_000, 4, 3))],
    ['two rows longer than a band', rowsOf(300_001, 3, noise(600_002, 4, 90))],
    ['one value', rowsOf(5_000, 1, new Uint8Array(5_000_000).fill(7))],
    ['a row again and again', rowsOf(999, 3, repeated(noise(999, 8), 1_500))],
    ['noise', rowsOf(1_000, 1, noise(400_000, 5))],
    ['two values of noise', rowsOf(1_000, 1, noise(300_000, 6, 2))],
  ])('has the rows again of %s', { tags: 'slow' }, async (_, picture) => {
    await expectSame(picture);
  });

  it('has the rows again of seeded mixtures', { tags: 'slow' }, async () => {
    for (let seed = 1; seed <= 40; seed += 1) {
      const step = [1, 2, 3, 4, 6, 8][seed % 6] ?? 1;
      const rowBytes = step * (1 + ((seed * 37) % 200));
      const bytes = noise(rowBytes * (1 + ((seed * 13) % 70)), seed, 1 + ((seed * 11) % 256));
      // One part is repeated, and one part is flat.
      bytes.copyWithin(bytes.length >> 1, 0, bytes.length >> 2);
      bytes.fill(seed, 0, bytes.length >> 3);
      await expectSame({ rowBytes, step, bytes }, seed % 3);
    }
  });

  it('is smaller than that of zlib at level 9', { tags: 'slow' }, async () => {
    for (const picture of [photo(400, 300, 3), photo(300, 300, 1), graphic(640, 480, 1)]) {
      const stream = written(await linkedWriter(), picture);
      expect(stream?.length).toBeLessThan(0.97 * leastOfZlib(picture));
    }
  });

  it('is hardly longer than noise', { tags: 'slow' }, async () => {
    const stream = written(await linkedWriter(), rowsOf(1_000, 1, noise(400_000, 5)));
    expect(stream?.length).toBeLessThan(400_400 * 1.001 + 100);
  });
});

describe('the writer', () => {
  it('pauses many times while it works on a single band', async () => {
    const kernel = await linkedWriter();
    const { rowBytes, bytes } = photo(400, 150, 3);
    const row = kernel.allocate(rowBytes);
    kernel.beginWriter(rowBytes, 3, 3, 1_000_000);
    let pauses = 0;
    for (let at = 0; at < bytes.length; at += rowBytes) {
      new Uint8Array(kernel.memory.buffer).set(bytes.subarray(at, at + rowBytes), row);
      expect(kernel.writeRow(row)).toBe(1);
    }
    while (kernel.endWriter() < 0) pauses += 1;
    expect(pauses).toBeGreaterThan(5);
    expect(ended(kernel)).toBe(
      written(await linkedWriter(), photo(400, 150, 3), { effort: 3 })?.length,
    );
  });
});

describe('a stream that outgrows what it may have', () => {
  const picture = photo(400, 300, 3);

  it('is given up, and what follows is nothing', async () => {
    const kernel = await linkedWriter();
    expect(written(kernel, picture, { most: 20_000 })).toBeUndefined();
    expect(rowWritten(kernel, 0)).toBe(0);
    expect(ended(kernel)).toBe(0);
  });

  it('is had with as many bytes as it takes, and not with one less', { tags: 'slow' }, async () => {
    const length = written(await linkedWriter(), picture)?.length ?? 0;
    expect(written(await linkedWriter(), picture, { most: length })?.length).toBe(length);
    expect(written(await linkedWriter(), picture, { most: length - 1 })).toBeUndefined();
    expect(written(await linkedWriter(), picture, { most: 0 })).toBeUndefined();
  });

  it('never writes behind it', { tags: 'slow' }, async () => {
    const kernel = await linkedWriter();
    const row = kernel.allocate(picture.rowBytes);
    kernel.beginWriter(picture.rowBytes, 3, 1, 5_000);
    const behind = kernel.outputAt() + 5_000 + 8;
    new Uint8Array(kernel.memory.buffer).fill(0xa5, behind);
    for (let y = 0; y < 300; y += 1) rowWritten(kernel, row);
    ended(kernel);
    expect(new Uint8Array(kernel.memory.buffer, behind).every((byte) => byte === 0xa5)).toBe(true);
  });
});

describe('the memory of a writer', () => {
  it.each([1, 50, 1_000, 3_000, 98_303, 98_304, 196_607, 245_000, 1_000_000])(
    'is what is stated, for rows of %i bytes',
    async (rowBytes) => {
      const kernel = await linkedWriter();
      const before = kernel.taken();
      kernel.beginWriter(rowBytes, 1, 1, 100);
      const bytes = kernel.outputAt() - before;
      const rows = Math.max(1, Math.min(4_096, Math.floor(196_608 / (rowBytes + 1))));
      const stated =
        3_180_000 + (rowBytes + 16) * (rows + 1) + 2 * rows * (rowBytes + 1) + 2 * rows;
      expect(bytes).toBeLessThanOrEqual(stated);
      expect(bytes).toBeGreaterThan(stated - 20_000);
      if (rowBytes <= 245_000) expect(stated).toBeLessThan(4 * mebibyte);
    },
  );

  it('is refused where there is none', async () => {
    const kernel = await linkedWriter(2);
    expect(kernel.beginWriter(1_000, 3, 1, 1_000)).toBe(0);
  });

  it('serves a second picture as if it were the first', { tags: 'slow' }, async () => {
    const [first, second] = [graphic(640, 480, 3), photo(200, 300, 4)];
    const kernel = await linkedWriter();
    const start = kernel.taken();
    written(kernel, first);
    kernel.release(start);
    expect(written(kernel, second)).toEqual(written(await linkedWriter(), second));
  });
});

async function expectSame(picture: Rows, effort?: number): Promise<void> {
  const stream = written(await linkedWriter(), picture, { effort });
  expect(stream).toBeDefined();
  expect(Buffer.compare(unfiltered(stream ?? new Uint8Array(), picture), picture.bytes)).toBe(0);
}

function rowsOf(rowBytes: number, step: number, bytes: Uint8Array): Rows {
  return { rowBytes, step, bytes };
}

function repeated(row: Uint8Array, times: number): Uint8Array {
  return Uint8Array.from({ length: row.length * times }, (_, i) => row[i % row.length] ?? 0);
}

/** The smallest result of zlib for the rows, unfiltered or with one filter. */
function leastOfZlib({ rowBytes, bytes }: Rows): number {
  const filtered = [0, 2].map((filter) => {
    const rows: number[] = [];
    for (let at = 0; at < bytes.length; at += 1) {
      if (at % rowBytes === 0) rows.push(filter);
      rows.push((bytes[at] ?? 0) - (filter === 2 ? (bytes[at - rowBytes] ?? 0) : 0));
    }
    return deflateSync(Uint8Array.from(rows), { level: 9, memLevel: 9 }).length;
  });
  return Math.min(...filtered);
}
