import { afterEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../../../src/errors.ts';
import { bodyLimits } from '../../../../src/policy/limits.ts';
import { bodyPool, type PoolHold } from '../../../../src/routes/http/body-pool.ts';
import { withText } from '../../../../src/routes/http/small-body.ts';
import { lostConnection } from '../../../support/lost-connection.ts';
import { fakeTime } from '../../../support/time.ts';

fakeTime();

const kibibyte = 1024;
const limit = {
  maxBytes: 64 * kibibyte,
  tooLarge: () => new ApiError('body_too_large'),
};

const taken: PoolHold[] = [];
afterEach(() => {
  for (const hold of taken.splice(0)) hold.release();
  expect(bodyPool.held).toBe(0);
});

/** Leaves this many bytes of the pool's capacity for reading. */
function leave(bytes: number): void {
  const room = bodyLimits.poolBytes - bodyLimits.drainBytes - bodyPool.held;
  const hold = bodyPool.hold(room - bytes, 'reading');
  if (hold) taken.push(hold);
}

/** A client that sends on demand. */
class Sender {
  #controller: ReadableByteStreamController | undefined;
  readonly body = new ReadableStream({
    type: 'bytes',
    start: (controller) => {
      this.#controller = controller;
    },
  });

  send(bytes: Uint8Array | string): void {
    this.#controller?.enqueue(typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes);
  }

  end(): void {
    this.#controller?.close();
    this.#controller?.byobRequest?.respond(0);
  }

  breakOff(): void {
    this.#controller?.error(lostConnection());
  }
}

/** The text of a body, or the code of the error from reading it. */
function read(
  body: ReadableStream | null,
  headers: Record<string, string> = {},
): Promise<string | null> {
  const request = { body, headers: new Headers(headers) };
  return withText(request, limit, (text) => text).catch((error: ApiError) => error.code);
}

async function arrive(): Promise<void> {
  await vi.advanceTimersByTimeAsync(0);
}

describe('a small body', () => {
  it('is given as its exact text, in pieces of any size', async () => {
    const sender = new Sender();
    const text = read(sender.body);
    sender.send('\ufeff{"a":"');
    const [first, second] = new TextEncoder().encode('ü');
    sender.send(Uint8Array.of(Number(first)));
    await arrive();
    sender.send(Uint8Array.of(Number(second)));
    sender.send('x'.repeat(5000));
    await arrive();
    sender.send('"}');
    sender.end();
    expect(await text).toBe(`\ufeff{"a":"ü${'x'.repeat(5000)}"}`);
  });

  it('is empty when there is none, and null when it is not UTF-8', async () => {
    expect(await read(null)).toBe('');
    const sender = new Sender();
    const text = read(sender.body);
    sender.send(Uint8Array.of(0x22, 0xff, 0x22));
    sender.end();
    expect(await text).toBeNull();
  });

  it('of the maximum is read, one of a byte more is refused, and so is a length of more', async () => {
    for (const [bytes, end] of [
      [limit.maxBytes, 'x'.repeat(limit.maxBytes)],
      [limit.maxBytes + 1, 'body_too_large'],
    ] as const) {
      const sender = new Sender();
      const text = read(sender.body);
      sender.send('x'.repeat(bytes));
      sender.end();
      expect(await text).toBe(end);
    }
    const { body } = new Sender();
    expect(await read(body, { 'Content-Length': '65537' })).toBe('body_too_large');
    expect(body.locked).toBe(false);
  });

  it('takes a kibibyte at first whatever length it announces, and at most twice what has come', async () => {
    const sender = new Sender();
    const text = read(sender.body, { 'Content-Length': '60000' });
    await arrive();
    expect(bodyPool.held).toBe(kibibyte);
    for (let came = 700; came < 60_000; came += 700) {
      sender.send('x'.repeat(700));
      await arrive();
      expect(bodyPool.held).toBeLessThanOrEqual(Math.max(kibibyte, 2 * came));
    }
    sender.end();
    expect(await text).toMatch(/^x+$/);
    expect(bodyPool.held).toBe(0);
  });

  it.each([
    ['one byte a character', 'ü'.repeat(3000), 3000],
    ['two where one of them needs them', `${'x'.repeat(2999)}я`, 6000],
  ])('is held as text until its use has ended: %s', async (_, text, bytes) => {
    const sender = new Sender();
    const { promise, resolve } = Promise.withResolvers<void>();
    const used = withText({ body: sender.body, headers: new Headers() }, limit, () => promise);
    sender.send(text);
    sender.end();
    await arrive();
    expect(bodyPool.held).toBe(bytes);
    resolve();
    await used;
    expect(bodyPool.held).toBe(0);
  });

  it('that is complete is never refused for the text that it becomes, where that is Latin-1', async () => {
    leave(4 * kibibyte);
    const sender = new Sender();
    const text = read(sender.body);
    sender.send('x'.repeat(3000));
    await arrive();
    leave(0);
    sender.end();
    expect(await text).toBe('x'.repeat(3000));
  });

  it('finds the pool full: before its first byte, or when it would grow, and then stays unread', async () => {
    leave(kibibyte - 1);
    const unread = new Sender();
    unread.send('{}');
    expect(await read(unread.body)).toBe('overloaded');
    expect(unread.body.locked).toBe(false);
    for (const hold of taken.splice(0)) hold.release();

    leave(2 * kibibyte);
    const growing = new Sender();
    const text = read(growing.body);
    growing.send('x'.repeat(2 * kibibyte));
    expect(await text).toBe('overloaded');
    expect(growing.body.locked).toBe(false);
  });

  it('is given up after ten seconds, whether it stalls or trickles', async () => {
    const [stalled, trickling] = [new Sender(), new Sender()];
    const ends: (string | null)[] = [];
    for (const { body } of [stalled, trickling]) read(body).then((end) => ends.push(end));
    for (let second = 0; second < 9; second += 1) {
      trickling.send(' ');
      await vi.advanceTimersByTimeAsync(1000);
    }
    expect(ends).toEqual([]);
    expect(bodyPool.held).toBe(2 * kibibyte);
    await vi.advanceTimersByTimeAsync(1000);
    expect(ends).toEqual(['request_timeout', 'request_timeout']);
    expect(bodyPool.held).toBe(0);
    // Bytes that arrive late are ignored.
    trickling.send('x'.repeat(3000));
    await arrive();
    expect(bodyPool.held).toBe(0);
  });

  it('is not late because an image was worked on for long', async () => {
    const sender = new Sender();
    const text = read(sender.body);
    await vi.advanceTimersByTimeAsync(1000);
    vi.setSystemTime(Date.now() + 60_000);
    await vi.advanceTimersByTimeAsync(1000);
    sender.send('{}');
    sender.end();
    expect(await text).toBe('{}');
  });

  it('that breaks off is incomplete, and holds nothing any more', async () => {
    const sender = new Sender();
    const text = read(sender.body);
    sender.send('{"name":');
    await arrive();
    sender.breakOff();
    expect(await text).toBe('invalid_request');
  });

  it('holds nothing any more when its use fails', async () => {
    const sender = new Sender();
    const request = { body: sender.body, headers: new Headers() };
    const used = withText(request, limit, () => Promise.reject(new Error('the database is away')));
    sender.send('{}');
    sender.end();
    await expect(used).rejects.toThrow('the database is away');
    expect(bodyPool.held).toBe(0);
  });
});
