import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ledger } from '../../../../src/image/wasm/memory-ledger.ts';
import { heldBody } from '../../../../src/routes/optimize/answer.ts';

const mebibyte = 2 ** 20;

/** In place of the runtime's: what is written has left once it has been read. */
class PassingStream extends TransformStream {
  constructor(_length: number) {
    super();
  }
}

beforeEach(() => {
  vi.stubGlobal('FixedLengthStream', PassingStream);
});
afterEach(() => {
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
    const { body, sent } = heldBody(bytes);
    expect(ledger.held - before).toBe(3 * mebibyte);
    const pieces: Uint8Array[] = [];
    for await (const piece of body) {
      expect(bytes.buffer.detached).toBe(false);
      expect(ledger.held - before).toBe(3 * mebibyte);
      pieces.push(piece.slice());
    }
    await sent;
    expect(Buffer.compare(Buffer.concat(pieces), expected)).toBe(0);
    expect(bytes.buffer.detached).toBe(true);
    expect(ledger.held).toBe(before);
  });

  it('is given back when the client goes away in the middle', async () => {
    const before = ledger.held;
    const bytes = countingBytes(4 * mebibyte);
    const { body, sent } = heldBody(bytes);
    const reader = body.getReader();
    const { value } = await reader.read();
    expect(value).toHaveLength(mebibyte);
    await reader.cancel();
    await sent;
    expect(bytes.buffer.detached).toBe(true);
    expect(ledger.held).toBe(before);
  });

  it('is never refused, however little room there is', async () => {
    const others = [ledger.hold(30 * mebibyte), ledger.hold(5 * mebibyte)];
    expect(others).not.toContain(null);
    expect(ledger.hold(8 * mebibyte)).toBeNull();
    const before = ledger.held;
    const { body, sent } = heldBody(countingBytes(8 * mebibyte));
    expect(ledger.held - before).toBe(8 * mebibyte);
    await body.cancel();
    await sent;
    for (const hold of others) hold?.release();
  });
});
