import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ledger } from '../../../../src/image/wasm/memory-ledger.ts';
import { send } from '../../../../src/routes/optimize/send.ts';

const mebibyte = 2 ** 20;
const ann = { owner: 'ann', client: new AbortController().signal };

/** Replaces the runtime's stream: a chunk has left once it has been read. */
class PassingStream extends TransformStream {
  constructor(_length: number) {
    super();
  }
}

beforeEach(() => {
  vi.stubGlobal('FixedLengthStream', PassingStream);
  const wait = (milliseconds: number) => new Promise((woken) => setTimeout(woken, milliseconds));
  vi.stubGlobal('scheduler', { wait });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function countingBytes(length: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length }, (_, i) => (i * 31) >> 3);
}

describe('an answer that is held', () => {
  it('is counted as what it takes up, and given back with the last byte', async () => {
    const before = ledger.held;
    const length = 2 * mebibyte + 5;
    const expected = countingBytes(length);
    const bytes = new Uint8Array(new ArrayBuffer(3 * mebibyte), 0, length);
    bytes.set(expected);
    const { body, sent } = send(bytes, ann);
    expect(ledger.held - before).toBe(3 * mebibyte);
    const pieces: Uint8Array[] = [];
    for await (const piece of body) {
      expect(bytes.buffer.detached).toBe(false);
      expect(ledger.held - before).toBe(3 * mebibyte);
      pieces.push(piece.slice());
    }
    expect(await sent).toBe(true);
    expect(Buffer.compare(Buffer.concat(pieces), expected)).toBe(0);
    expect(bytes.buffer.detached).toBe(true);
    expect(ledger.held).toBe(before);
  });

  it('is given back when the client goes away in the middle', { tags: 'slow' }, async () => {
    const before = ledger.held;
    const bytes = countingBytes(4 * mebibyte);
    const { body, sent } = send(bytes, ann);
    const reader = body.getReader();
    const { value } = await reader.read();
    expect(value).toHaveLength(64 * 1024);
    await reader.cancel();
    expect(await sent).toBe(true);
    expect(bytes.buffer.detached).toBe(true);
    expect(ledger.held).toBe(before);
  });

  it('is never refused, however little room there is', { tags: 'slow' }, async () => {
    const others = [ledger.hold(30 * mebibyte), ledger.hold(5 * mebibyte)];
    expect(others).not.toContain(null);
    expect(ledger.hold(8 * mebibyte)).toBeNull();
    const before = ledger.held;
    const { body, sent } = send(countingBytes(8 * mebibyte), ann);
    expect(ledger.held - before).toBe(8 * mebibyte);
    await body.cancel();
    expect(await sent).toBe(false);
    for (const hold of others) hold?.release();
  });

  it('has not begun for a client that leaves before, or during the work', async () => {
    const during = new AbortController();
    for (const client of [AbortSignal.abort(), during.signal]) {
      const before = ledger.held;
      const { body, sent } = send(countingBytes(5), { owner: 'ann', client });
      const read = new Response(body).arrayBuffer().catch(() => 'nothing');
      // Known only once the runtime has looked at its connections again.
      during.abort();
      expect(await sent).toBe(false);
      expect(await read).toBe('nothing');
      expect(ledger.held).toBe(before);
    }
  });

  it('has not begun when the runtime never takes any of it', async () => {
    vi.useFakeTimers();
    const { sent } = send(countingBytes(mebibyte), ann);
    await vi.advanceTimersByTimeAsync(15_500);
    expect(await sent).toBe(false);
  });
});

describe('a client that does not take its answer', () => {
  /** Reads chunks of 64 KiB on demand. */
  async function sending(mebibytes: number) {
    vi.useFakeTimers();
    const before = ledger.held;
    const { body, sent } = send(countingBytes(mebibytes * mebibyte), ann);
    await vi.advanceTimersByTimeAsync(0);
    const reader = body.getReader();
    let isOver = false;
    sent.then(() => {
      isOver = true;
    });
    return { reader, isOver: () => isOver, held: () => ledger.held - before };
  }

  it('is given up after fifteen seconds without a piece taken, and sees it break off', {
    tags: 'slow',
  }, async () => {
    const { reader, isOver, held } = await sending(4);
    await reader.read();
    await vi.advanceTimersByTimeAsync(500);
    await vi.advanceTimersByTimeAsync(14_500);
    expect(isOver()).toBe(false);
    await vi.advanceTimersByTimeAsync(500);
    expect(isOver()).toBe(true);
    expect(held()).toBe(0);
    await expect(reader.read().then(() => reader.read())).rejects.toBeUndefined();
  });

  it('is given up when it takes less than 16 KiB a second for a minute', {
    tags: 'slow',
  }, async () => {
    const { reader, isOver } = await sending(4);
    // One chunk every four and a half seconds.
    for (let i = 0; i < 13; i += 1) {
      await reader.read();
      await vi.advanceTimersByTimeAsync(4500);
      expect(isOver()).toBe(false);
    }
    await vi.advanceTimersByTimeAsync(2000);
    expect(isOver()).toBe(true);
  });

  it('gets it whole when it takes 64 KiB a second', { tags: 'slow' }, async () => {
    const { reader, isOver, held } = await sending(6);
    let length = 0;
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      length += value.length;
      await vi.advanceTimersByTimeAsync(1000);
    }
    expect(length).toBe(6 * mebibyte);
    expect(isOver()).toBe(true);
    expect(held()).toBe(0);
  });

  it('makes way after five seconds for others who need the memory', { tags: 'slow' }, async () => {
    const { isOver } = await sending(20);
    const giveUp = () => expect.unreachable();
    const others = { owner: 'bob', isSlow: false, allocatedBytes: 0, giveUp };
    const room = 60 * mebibyte;
    await vi.advanceTimersByTimeAsync(4500);
    expect(ledger.survey().obstacleTo(room, others)).toBe('memory');
    await vi.advanceTimersByTimeAsync(500);
    const hold = ledger.hold(room, others);
    expect(hold).not.toBeNull();
    await vi.advanceTimersByTimeAsync(500);
    expect(isOver()).toBe(true);
    hold?.release();
  });

  it('makes way for nobody while its bytes are kept for others', async () => {
    vi.useFakeTimers();
    const kept = Promise.withResolvers<void>();
    const bytes = countingBytes(20 * mebibyte);
    send(bytes, ann, kept.promise);
    await vi.advanceTimersByTimeAsync(6000);
    const others = { owner: 'bob', isSlow: false, allocatedBytes: 0, giveUp: () => {} };
    expect(ledger.survey().obstacleTo(60 * mebibyte, others)).toBe('memory');
    expect(bytes.buffer.detached).toBe(false);
    kept.resolve();
    await vi.advanceTimersByTimeAsync(0);
    const hold = ledger.hold(60 * mebibyte, others);
    expect(hold).not.toBeNull();
    expect(bytes.buffer.detached).toBe(true);
    await vi.advanceTimersByTimeAsync(500);
    hold?.release();
  });
});
