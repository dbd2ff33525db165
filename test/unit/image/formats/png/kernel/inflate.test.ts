import { constants, deflateSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { itForEach } from '../../../../../support/each.ts';
import { randomNumbers } from '../png-writer.ts';
import {
  bytesAt,
  compiledInflate,
  type InflateKernel,
  inflated,
  linked,
  status,
} from './inflating.ts';

const random = randomNumbers(7);
const contents = {
  'no bytes': Buffer.alloc(0),
  'one byte': Buffer.of(7),
  'a long run': Buffer.alloc(300_000, 5),
  noise: Buffer.from(Array.from({ length: 200_000 }, () => random(256))),
  'steep noise': Buffer.from(
    Array.from({ length: 300_000 }, () => random(random(random(256) + 1) + 1)),
  ),
  'far repetitions': Buffer.concat(
    Array.from({ length: 9 }, () => Buffer.from(Array.from({ length: 32_768 }, (_, i) => i * i))),
  ),
  'near repetitions': Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i % 7) + (i >> 15))),
  'repetitions of every distance up to 40': Buffer.concat(
    Array.from({ length: 40 }, (_, distance) =>
      Buffer.from(Array.from({ length: 300 }, (_, i) => (i % (distance + 1)) * 5 + distance)),
    ),
  ),
};

let module: WebAssembly.Module;

beforeAll(async () => {
  module = await compiledInflate();
});

describe('a zlib stream', () => {
  const { Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE, Z_FILTERED, Z_DEFAULT_STRATEGY } = constants;

  itForEach(Object.entries(contents), 'gives back %s, however it was deflated', (_, content) => {
    for (const strategy of [Z_DEFAULT_STRATEGY, Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE, Z_FILTERED]) {
      for (let level = 0; level <= 9; level += 1) {
        const { outcome, bytes } = inflated(
          module,
          deflateSync(content, { level, strategy }),
          content.length,
          7000,
        );
        expect(outcome).toBe(status.sound);
        expect(bytes.equals(content), `level ${level}, strategy ${strategy}`).toBe(true);
      }
    }
  });

  it('may come in pieces and be read in portions of any size', { tags: 'slow' }, () => {
    const content = contents['steep noise'];
    for (const level of [0, 9]) {
      const stream = deflateSync(content, { level });
      for (const [portion, piece] of [
        [1, 20_000],
        [64, 1],
        [65, 3],
        [70_000, 100_000],
      ] as const) {
        const { outcome, bytes } = inflated(module, stream, content.length, portion, piece);
        expect(outcome).toBe(status.sound);
        expect(bytes.equals(content)).toBe(true);
      }
    }
  });

  it('may declare any window, and be of blocks of any size', () => {
    const content = contents['near repetitions'];
    for (let windowBits = 9; windowBits <= 15; windowBits += 1) {
      for (const memLevel of [1, 9]) {
        const stream = deflateSync(content, { windowBits, memLevel });
        expect(inflated(module, stream, content.length).bytes.equals(content)).toBe(true);
      }
    }
  });

  it('must hold as many bytes as are asked for, and no more', () => {
    const content = contents['steep noise'].subarray(0, 1000);
    const stream = deflateSync(content);
    expect(inflated(module, stream, 1000).outcome).toBe(status.sound);
    expect(inflated(module, stream, 1001).outcome).toBe(status.missing);
    expect(inflated(module, stream, 999).outcome).toBe(status.surplus);
    expect(inflated(module, stream, 0).outcome).toBe(status.surplus);
  });

  it('is read no further than it takes to see that there is too much of it', {
    tags: 'slow',
  }, () => {
    const stream = deflateSync(Buffer.alloc(64 * 2 ** 20));
    const kernel = linked<InflateKernel>(module, stream);
    const cursor = kernel.allocateCursor();
    kernel.openStream(cursor);
    expect(kernel.readBytes(cursor, kernel.allocate(1000), 1000)).toBe(status.sound);
    expect(kernel.endStream(cursor)).toBe(status.surplus);
    expect(stream.length).toBeGreaterThan(60_000);
    expect(kernel.taken()).toBeLessThan(20_000);
  });

  it('ends with its checksum, even where that ends with a zero', () => {
    const stream = deflateSync(Buffer.of(255));
    expect(stream.at(-1)).toBe(0);
    expect(inflated(module, stream, 1).outcome).toBe(status.sound);
    expect(inflated(module, stream.subarray(0, -1), 1).outcome).toBe(status.truncated);
    const wrong = Buffer.from(stream);
    wrong.writeUInt8(1, stream.length - 1);
    expect(inflated(module, wrong, 1).outcome).toBe(status.badChecksum);
  });

  it('can be gone through without being copied', () => {
    const content = contents['far repetitions'];
    const kernel = linked<InflateKernel>(module, deflateSync(content));
    const cursor = kernel.allocateCursor();
    const to = kernel.allocate(100);
    kernel.openStream(cursor);
    expect(kernel.skipBytes(cursor, 123_456n)).toBe(123_456n);
    expect(kernel.readBytes(cursor, to, 100)).toBe(status.sound);
    expect(bytesAt(kernel, to, 100)).toEqual(content.subarray(123_456, 123_556));
    expect(kernel.skipBytes(cursor, 1n << 40n)).toBe(BigInt(content.length - 123_556));
    expect(kernel.endStream(cursor)).toBe(status.sound);
  });
});

describe('a snapshot of a cursor', () => {
  it.each([0, 1, 9])('goes on where it was made, wherever that is: level %i', (level) => {
    const content = Buffer.concat([
      contents['steep noise'].subarray(0, 90_000),
      contents['near repetitions'].subarray(0, 90_000),
      contents['far repetitions'].subarray(0, 90_000),
    ]);
    const kernel = linked<InflateKernel>(module, deflateSync(content, { level }), 700);
    const [first, second] = [kernel.allocateCursor(), kernel.allocateCursor()];
    const to = kernel.allocate(content.length);
    for (const at of [0, 1, 32_768, 65_537, 100_000, 180_001, content.length]) {
      expect(kernel.openStream(first)).toBe(status.sound);
      expect(kernel.readBytes(first, to, at)).toBe(status.sound);
      kernel.copyCursor(first, second);
      for (const cursor of [second, first]) {
        expect(kernel.readBytes(cursor, to, content.length - at)).toBe(status.sound);
        expect(bytesAt(kernel, to, content.length - at).equals(content.subarray(at))).toBe(true);
        expect(kernel.endStream(cursor)).toBe(status.sound);
      }
    }
  });
});

describe('Adler-32', () => {
  it('is as in published examples, in one go or several, and what zlib writes', () => {
    const kernel = linked<InflateKernel>(module, Buffer.alloc(0));
    const to = kernel.allocate(400_000);
    const sum = (bytes: Buffer, before = 1) => {
      new Uint8Array(kernel.memory.buffer).set(bytes, to);
      return kernel.adler32(before, to, bytes.length) >>> 0;
    };
    expect(sum(Buffer.from('Wikipedia'))).toBe(0x11e60398);
    expect(sum(Buffer.from('pedia'), sum(Buffer.from('Wiki')))).toBe(0x11e60398);
    // The largest sums.
    const full = Buffer.alloc(100_001, 255);
    for (const content of [full, ...Object.values(contents)]) {
      expect(sum(content)).toBe(deflateSync(content).readUInt32BE(deflateSync(content).length - 4));
    }
    const split = sum(full.subarray(0, 5_553));
    expect(sum(full.subarray(5_553), split)).toBe(sum(full));
  });
});
