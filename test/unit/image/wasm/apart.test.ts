import { describe, expect, it } from 'vitest';
import { NoMemory } from '../../../../src/image/container/workspace.ts';
import { ApartWorkspace } from '../../../../src/image/wasm/apart-workspace.ts';
import { Arena } from '../../../../src/image/wasm/arena.ts';

const mebibyte = 2 ** 20;
const page = 65_536;

describe('what is set apart in an arena', () => {
  it('lies behind what runs may take, with a page between, and outlives a wipe', {
    tags: 'slow',
  }, () => {
    const arena = new Arena();
    arena.reserve(20 * mebibyte);
    const apart = arena.setApart(4 * mebibyte);
    expect(arena.reserved).toBe(4 * mebibyte);
    expect(apart.byteOffset).toBe(4 * mebibyte + page);
    expect(apart.length).toBe(16 * mebibyte - page);
    expect(arena.bytes).toBe(20 * mebibyte);
    apart.fill(7);
    new Uint8Array(arena.memory.buffer, 0, arena.reserved).fill(9);
    arena.wipe();
    expect(new Uint8Array(arena.memory.buffer, 0, arena.reserved).every((byte) => byte === 0)).toBe(
      true,
    );
    expect(apart.every((byte) => byte === 7)).toBe(true);
  });

  it('is zeros at first, whatever ran there before, and gone at the end', { tags: 'slow' }, () => {
    const arena = new Arena();
    new Uint8Array(arena.memory.buffer).fill(3);
    const apart = arena.setApart(mebibyte);
    expect(apart.every((byte) => byte === 0)).toBe(true);
    apart.fill(7);
    arena.endApart();
    expect(arena.reserved).toBe(16 * mebibyte);
    const bytes = new Uint8Array(arena.memory.buffer, mebibyte + page);
    expect(bytes.every((byte) => byte === 0)).toBe(true);
  });

  it('leaves nothing behind of what ran before in more memory', { tags: 'slow' }, () => {
    const arena = new Arena();
    arena.reserve(40 * mebibyte);
    arena.growToReserved();
    new Uint8Array(arena.memory.buffer).fill(3);
    arena.reserve(16 * mebibyte);
    arena.setApart(4 * mebibyte);
    arena.wipe();
    arena.writtenUpTo(mebibyte);
    arena.endApart();
    arena.wipe();
    expect(new Uint8Array(arena.memory.buffer).every((byte) => byte === 0)).toBe(true);
  });

  it('is nothing where runs take all of it', () => {
    const arena = new Arena();
    expect(arena.setApart(arena.bytes - page).length).toBe(0);
    expect(arena.reserved).toBe(arena.bytes);
  });
});

describe('a workspace', () => {
  function workspace(zoneBytes: number, bufferBytes = 0) {
    const memory = new Uint8Array(2 * zoneBytes);
    return new ApartWorkspace(memory.subarray(zoneBytes), bufferBytes);
  }

  it('gives blocks of zeros that do not overlap, and takes them back in any order', () => {
    const space = workspace(1024);
    const [a, b, c] = [space.take(300), space.take(300), space.take(300)] as const;
    for (const [i, block] of [a, b, c].entries()) block.fill(i + 1);
    expect([a[299], b[0], b[299], c[0]]).toEqual([1, 2, 2, 3]);
    space.giveBack(b);
    const d = space.take(200);
    expect(d.byteOffset).toBe(b.byteOffset);
    expect(d.every((byte) => byte === 0)).toBe(true);
    expect(c.every((byte) => byte === 3)).toBe(true);
    space.giveBack(a);
    space.giveBack(d);
    expect(space.take(600).byteOffset).toBe(a.byteOffset);
  });

  it('begins every block at a multiple of 16', () => {
    const space = workspace(1024);
    space.take(5);
    expect(space.take(5).byteOffset % 16).toBe(0);
  });

  it('takes buffers where the zone is full, as far as it may', () => {
    const space = workspace(256, 1000);
    space.take(200);
    const outside = space.take(900);
    expect(outside.buffer.byteLength).toBe(900);
    expect(() => space.take(200)).toThrow(NoMemory);
    space.giveBack(outside);
    expect(outside.buffer.detached).toBe(true);
    expect(space.take(1000).length).toBe(1000);
  });

  it('says how much can be taken in all', () => {
    const space = workspace(1024, 100);
    const first = space.take(512);
    space.take(256);
    space.giveBack(first);
    expect(space.free).toBe(512 + 256 + 100);
  });
});
