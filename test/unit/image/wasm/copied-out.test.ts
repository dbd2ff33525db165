import { describe, expect, it } from 'vitest';
import { copiedOut } from '../../../../src/image/wasm/run-in-arena.ts';

function filled(length: number, value: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(length).fill(value);
}

describe('a result that is copied out of the arena', () => {
  it('lies where the file was when it is nearly as long', () => {
    const file = filled(80, 7).buffer;
    const result = copiedOut([filled(50, 1), filled(20, 2)], () => file);
    expect(result.buffer).toBe(file);
    expect([...result]).toEqual([...filled(50, 1), ...filled(20, 2)]);
  });

  it('has a block of its own when it is shorter, and the file has gone', () => {
    const file = filled(80, 7).buffer;
    const result = copiedOut([filled(69, 1)], () => file);
    expect(file.detached).toBe(true);
    expect(result.buffer.byteLength).toBe(69);
    expect([...result]).toEqual([...filled(69, 1)]);
  });

  it('has one when it is longer than the file', () => {
    const file = filled(100, 7).buffer;
    expect(copiedOut([filled(101, 1)], () => file).buffer.byteLength).toBe(101);
    expect(file.detached).toBe(true);
  });

  it('has one when the file stays', () => {
    const result = copiedOut([filled(3, 1)], () => null);
    expect(result.buffer.byteLength).toBe(3);
    expect([...result]).toEqual([1, 1, 1]);
  });
});
