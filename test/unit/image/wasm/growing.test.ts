import { describe, expect, it } from 'vitest';
import { type PngKernel, runPngKernel } from '../../../../src/image/formats/png/kernel.ts';
import { runAtOnce } from '../../../../src/image/slices.ts';
import { Arena, arenaBirthBytes } from '../../../../src/image/wasm/arena.ts';

const mebibyte = 2 ** 20;

/** Runs a kernel that takes so many bytes, piece by piece; how many pieces it got. */
function taken(memory: Arena, pieces: number, pieceBytes: number): number {
  const work = function* ({ allocate }: PngKernel) {
    let got = 0;
    while (got < pieces && allocate(pieceBytes) !== 0) got += 1;
    return got;
  };
  return runAtOnce(runPngKernel(null, work, { memory }));
}

describe('an arena', () => {
  it('grows no sooner than a kernel needs it, and no further than was reserved', () => {
    const arena = new Arena(4);
    arena.reserve(20 * mebibyte);
    expect(arena.bytes).toBe(4 * 65_536);
    expect(taken(arena, 5, mebibyte)).toBe(5);
    expect(arena.bytes).toBeGreaterThanOrEqual(5 * mebibyte);
    expect(arena.bytes).toBeLessThan(8 * mebibyte);
    expect(taken(arena, 30, mebibyte)).toBe(19);
    expect(arena.bytes).toBeLessThanOrEqual(20 * mebibyte);
  });

  it('never shrinks, and what it holds may be taken again', () => {
    const arena = new Arena(4);
    arena.reserve(8 * mebibyte);
    expect(taken(arena, 7, mebibyte)).toBe(7);
    const held = arena.bytes;
    expect(taken(arena, 7, mebibyte)).toBe(7);
    expect(arena.bytes).toBe(held);
  });

  it('gives a kernel no more than was reserved where it holds more', () => {
    const arena = new Arena(4);
    arena.reserve(8 * mebibyte);
    expect(taken(arena, 7, mebibyte)).toBe(7);
    arena.reserve(3 * mebibyte);
    expect(taken(arena, 7, mebibyte)).toBe(2);
  });

  it('shows a kernel’s memory where it is after it has grown', () => {
    const arena = new Arena(4);
    arena.reserve(8 * mebibyte);
    const work = function* (kernel: PngKernel) {
      const first = kernel.allocate(16);
      kernel.bytes[first] = 7;
      const before = kernel.bytes;
      const later = kernel.allocate(6 * mebibyte);
      kernel.bytes[later] = 9;
      return [before.length, kernel.bytes[first], kernel.bytes[later]];
    };
    // what was seen before is gone
    expect(runAtOnce(runPngKernel(null, work, { memory: arena }))).toEqual([0, 7, 9]);
  });

  it('is wiped as far as the run before has written, however far that grew', {
    tags: 'slow',
  }, () => {
    const arena = new Arena(4);
    arena.reserve(8 * mebibyte);
    const work = function* (kernel: PngKernel) {
      const at = kernel.allocate(5 * mebibyte);
      const sum = kernel.bytes.subarray(at, at + 5 * mebibyte).reduce((all, one) => all + one);
      kernel.bytes.fill(1, at, at + 5 * mebibyte);
      return sum;
    };
    const fill = () => runAtOnce(runPngKernel(null, work, { memory: arena }));
    expect([fill(), fill()]).toEqual([0, 0]);
  });

  it('is born with what the codecs ask for at their birth', () => {
    expect(new Arena().bytes).toBe(arenaBirthBytes);
  });
});
