import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { FixedLengthStream, lengthOf } from '../../../../src/node/http/streams.ts';

const bytes = (...values: number[]) => Uint8Array.from(values);

describe('a stream of fixed length', () => {
  it('knows its length', () => {
    expect(lengthOf(new FixedLengthStream(7).readable)).toBe(7);
    expect(lengthOf(new ReadableStream())).toBeNull();
  });

  it('lets a write settle when its bytes were taken, and not before', async () => {
    const { readable, writable } = new FixedLengthStream(4);
    let isSettled = false;
    const writing = writable.getWriter().write(bytes(1, 2, 3, 4));
    void writing.then(() => {
      isSettled = true;
    });
    await pause(10);
    expect(isSettled).toBe(false);
    const reader = readable.getReader({ mode: 'byob' });
    expect((await reader.read(new Uint8Array(3))).value).toEqual(bytes(1, 2, 3));
    await pause(10);
    expect(isSettled).toBe(false);
    expect((await reader.read(new Uint8Array(3))).value).toEqual(bytes(4));
    await writing;
  });

  it('gives copies: the memory of what was taken is the writer’s', async () => {
    const { readable, writable } = new FixedLengthStream(3);
    const chunk = bytes(1, 2, 3);
    const writing = writable.getWriter().write(chunk);
    const { value } = await readable.getReader().read();
    await writing;
    chunk.buffer.transfer(0);
    expect(value).toEqual(bytes(1, 2, 3));
  });

  it('ends when it is closed, for readers of both kinds', async () => {
    for (const mode of [{}, { mode: 'byob' as const }]) {
      const { readable, writable } = new FixedLengthStream(1);
      const writer = writable.getWriter();
      void writer.write(bytes(1)).then(() => writer.close());
      const reader = readable.getReader(mode as { mode: 'byob' });
      expect((await reader.read(new Uint8Array(4))).value).toEqual(bytes(1));
      expect((await reader.read(new Uint8Array(4))).done).toBe(true);
    }
  });

  it('fails for both sides with more bytes than announced, and with fewer', async () => {
    const more = new FixedLengthStream(1);
    const failed = more.readable.getReader().closed.catch((error: unknown) => error);
    await expect(more.writable.getWriter().write(bytes(1, 2))).rejects.toThrow(TypeError);
    expect(await failed).toBeInstanceOf(TypeError);
    const fewer = new FixedLengthStream(2);
    const ended = fewer.readable.getReader().closed.catch((error: unknown) => error);
    await expect(fewer.writable.getWriter().close()).rejects.toThrow(TypeError);
    expect(await ended).toBeInstanceOf(TypeError);
  });

  it('fails a pending write when the reader goes', async () => {
    const { readable, writable } = new FixedLengthStream(2);
    const writing = writable.getWriter().write(bytes(1, 2));
    await readable.cancel(new Error('gone'));
    await expect(writing).rejects.toThrow('gone');
  });

  it('fails the reader when the writer aborts, also while it waits', async () => {
    const { readable, writable } = new FixedLengthStream(2);
    const reading = readable.getReader().read();
    await writable.abort(new Error('no more'));
    await expect(reading).rejects.toThrow('no more');
  });

  it('fails a reader at once when the writer aborts while some of a write waits', async () => {
    const { readable, writable } = new FixedLengthStream(4);
    const reader = readable.getReader({ mode: 'byob' });
    const writer = writable.getWriter();
    const writing = writer.write(bytes(1, 2, 3, 4));
    await reader.read(new Uint8Array(2));
    const aborted = writer.abort(new Error('too slow'));
    await expect(reader.closed).rejects.toThrow('too slow');
    await expect(writing).rejects.toThrow('too slow');
    await aborted;
  });

  it('lets a writer abort while a write waits for a reader who never comes', async () => {
    const { writable } = new FixedLengthStream(2);
    const writer = writable.getWriter();
    const writing = writer.write(bytes(1));
    const aborted = writer.abort(new Error('given up'));
    await expect(writing).rejects.toThrow('given up');
    await aborted;
  });
});
