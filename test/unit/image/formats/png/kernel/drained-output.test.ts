import { describe, expect, it } from 'vitest';
import {
  drained,
  ended,
  graphic,
  linkedWriter,
  noise,
  photo,
  type Rows,
  rowWritten,
  written,
} from './writing.ts';

const windowBytes = 65_536;

/** Bytes that deflate can only store: the content of stored blocks begins at whole bytes. */
const noisy: Rows = { rowBytes: 1_000, step: 1, bytes: noise(400_000, 5) };

describe('a stream that the host drains', () => {
  it.each<[string, Rows]>([
    ['one pixel', { rowBytes: 1, step: 1, bytes: Uint8Array.of(9) }],
    ['a graphic', graphic(700, 500, 3)],
    ['a photo', photo(500, 300, 4)],
    ['noise', noisy],
    ['noise of few values', { rowBytes: 997, step: 1, bytes: noise(997 * 500, 6, 40) }],
  ])('is the one that stays in memory: %s', { tags: 'slow' }, async (_, picture) => {
    for (const effort of [0, 1, 2, 3]) {
      const stream = drained(await linkedWriter(), picture, { effort });
      expect(stream).toEqual(written(await linkedWriter(), picture, { effort }));
    }
  });

  it('is taken by whole windows, and what is left', async () => {
    const kernel = await linkedWriter();
    drained(kernel, noisy);
    const lengths = kernel.drained.map(({ length }) => length);
    expect(lengths.slice(0, -1)).toEqual(Array.from({ length: 6 }, () => windowBytes));
    expect(lengths.at(-1)).toBeGreaterThan(0);
    drained(kernel, { rowBytes: 1, step: 1, bytes: Uint8Array.of(9) });
    expect(kernel.drained.length).toBe(1);
  });

  it('may end with a whole window', { tags: 'slow' }, async () => {
    for (const windows of [1, 3]) {
      const picture = await writtenAs(windows * windowBytes);
      const kernel = await linkedWriter();
      expect(drained(kernel, picture)).toEqual(written(await linkedWriter(), picture));
      const lengths = kernel.drained.map(({ length }) => length);
      expect(lengths).toEqual(Array.from({ length: windows }, () => windowBytes));
    }
  });

  it('is had with as many bytes as it takes, and not with one less', { tags: 'slow' }, async () => {
    for (const picture of [noisy, photo(400, 300, 3), photo(20, 20, 1)]) {
      const length = written(await linkedWriter(), picture)?.length ?? 0;
      for (const most of [length - 1, length, length + 1]) {
        const stream = drained(await linkedWriter(), picture, { most });
        expect(stream?.length).toBe(most < length ? undefined : length);
      }
    }
  });

  it('is given up where one in memory is, and never hands more over than it may have', {
    tags: 'slow',
  }, async () => {
    const limits = [0, 1, 2, 3, 4, 5, 100].flatMap((more) => [more, windowBytes - 3 + more]);
    for (const most of limits) {
      const kernel = await linkedWriter();
      expect(drained(kernel, noisy, { most })).toBeUndefined();
      expect(written(await linkedWriter(), noisy, { most })).toBeUndefined();
      const handedOver = kernel.drained.reduce((sum, { length }) => sum + length, 0);
      expect(handedOver).toBeLessThanOrEqual(most);
      expect(rowWritten(kernel, 0)).toBe(0);
      expect(ended(kernel)).toBe(0);
    }
  });

  it('takes a window of memory, however long it is', async () => {
    const [short, long] = [await linkedWriter(), await linkedWriter()];
    short.drainOutput(true);
    short.beginWriter(1_000, 1, 1, 10);
    drained(long, noisy);
    const row = 1_008;
    expect(long.taken() - row).toBe(short.taken());
    expect(short.taken() - short.outputAt()).toBeLessThan(windowBytes + 32);
  });

  it('serves a second picture as if it were the first, drained or not', {
    tags: 'slow',
  }, async () => {
    const [first, second] = [graphic(640, 480, 3), photo(200, 300, 4)];
    const kernel = await linkedWriter();
    const start = kernel.taken();
    drained(kernel, first);
    kernel.release(start);
    expect(drained(kernel, second)).toEqual(written(await linkedWriter(), second));
    kernel.release(start);
    expect(written(kernel, first)).toEqual(written(await linkedWriter(), first));
  });
});

/** A picture whose stream has `bytes` bytes. */
async function writtenAs(bytes: number): Promise<Rows> {
  let rowBytes = bytes;
  for (let tries = 0; tries < 10; tries += 1) {
    const picture = { rowBytes, step: 1, bytes: noise(rowBytes, 7) };
    const { length = 0 } = written(await linkedWriter(), picture) ?? {};
    if (length === bytes) return picture;
    rowBytes += bytes - length;
  }
  throw new Error(`no stream of ${bytes} bytes`);
}
