import { deflateSync, inflateSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { compiledKernel } from '../../../../../support/kernels.ts';
import { linked, noise, put, seeded } from './writing.ts';

interface Deflate {
  allocateCompressor(): number;
  beginStream(effort: number, most: number): number;
  compress(from: number, length: number): void;
  endStream(): void;
  continueStream(): number;
  outputIsFull(): number;
  pauses(): number;
  streamLength(): number;
  allocateEstimate(): number;
  beginEstimate(from: number, length: number): void;
  continueEstimate(): number;
  estimatedBits(): number;
  prepareLogarithms(): void;
}

/** Minimum bytes of a stream besides its blocks: two before and four after them. */
const around = 6;
let module: WebAssembly.Module;

beforeAll(async () => {
  module = await compiledKernel('png', [
    '../../../wasm/assembly/logarithms.ts',
    '../../../wasm/assembly/memory.ts',
    'deflate/bit-output.ts',
    'deflate/compressor.ts',
    'deflate/estimate.ts',
    '../../../wasm/assembly/work.ts',
  ]);
});

describe('a stream', () => {
  it.each<[string, Uint8Array]>([
    ['nothing', new Uint8Array(0)],
    ['one byte', Uint8Array.of(3)],
    ['three bytes', Uint8Array.of(3, 3, 3)],
    ['all values once', Uint8Array.from({ length: 256 }, (_, i) => i)],
    ['one value', new Uint8Array(3_000_000)],
    ['a period of two', Uint8Array.from({ length: 99_999 }, (_, i) => i % 2)],
    ['a period as long as the window', periodic(32_768, 200_000)],
    ['a period a little shorter', periodic(32_767, 200_000)],
    ['a period a little longer', periodic(32_769, 200_000)],
    ['noise', noise(300_000, 1)],
    ['noise of three values', noise(300_000, 2, 3)],
    ['runs of any length', runs(400_000)],
    ['words', words(500_000)],
  ])('inflates to %s', { tags: 'slow' }, (_, bytes) => {
    for (const effort of [0, 1, 2, 3]) {
      expect(Buffer.compare(inflateSync(compressed(bytes, { effort })), bytes)).toBe(0);
    }
  });

  it('is longer where tokens are taken greedily, and shorter than zlib at its fastest', {
    tags: 'slow',
  }, () => {
    for (const bytes of [words(500_000), periodic(32_767, 200_000), noise(300_000, 2, 3)]) {
      const greedy = compressed(bytes, { effort: 0 }).length;
      expect(greedy).toBeGreaterThanOrEqual(compressed(bytes, { effort: 1 }).length);
      expect(greedy).toBeLessThan(deflateSync(bytes, { level: 1 }).length);
    }
  });

  it('is the same however its bytes come', { tags: 'slow' }, () => {
    const bytes = words(300_000);
    const whole = inflateSync(compressed(bytes));
    for (const piece of [1_000, 70_001]) {
      expect(Buffer.compare(inflateSync(compressed(bytes, { piece })), whole)).toBe(0);
    }
  });

  it('stores what cannot be compressed', () => {
    const bytes = noise(60_000, 1);
    expect(compressed(bytes).length).toBeLessThanOrEqual(bytes.length + around + 2 * 5);
  });

  it('uses the fixed code for a few bytes', () => {
    const bytes = Uint8Array.of(1, 2, 3);
    // Three bits of a block header, three literals of eight bits, an end of seven.
    expect(compressed(bytes).length).toBe(around + 5);
  });

  it('takes a bit for each of two symbols of 258 equal bytes', () => {
    const bytes = new Uint8Array(3_000_000);
    expect(compressed(bytes).length).toBeLessThan((3_000_000 / 258 / 8) * 2 + 50);
  });

  it('is smaller than that of zlib at level 9', { tags: 'slow' }, () => {
    for (const bytes of [words(300_000), runs(300_000), noise(100_000, 2, 3)]) {
      const theirs = deflateSync(bytes, { level: 9, memLevel: 9 }).length;
      expect(compressed(bytes).length).toBeLessThan(theirs * 0.97);
    }
  });

  it('has blocks of their own for parts that differ', { tags: 'slow' }, () => {
    const [low, high] = [noise(60_000, 3, 16), noise(60_000, 4, 16).map((byte) => byte + 100)];
    const both = compressed(Uint8Array.of(...low, ...high)).length;
    expect(both).toBeLessThan(compressed(low).length + compressed(high).length + 300);
  });
});

describe('the estimate', () => {
  it('is at most a tenth below what bytes become, and a third above', { tags: 'slow' }, () => {
    for (const bytes of [noise(50_000, 1, 256), noise(50_000, 2, 20), words(150_000)]) {
      const kernel = linked<Deflate>(module);
      const at = put(kernel, bytes, 16);
      kernel.allocateEstimate();
      kernel.prepareLogarithms();
      kernel.beginEstimate(at, bytes.length);
      while (!kernel.continueEstimate()) kernel.pauses();
      const estimated = kernel.estimatedBits() / 8;
      const real = compressed(bytes).length;
      expect(estimated / real).toBeGreaterThan(0.9);
      expect(estimated / real).toBeLessThan(1.35);
    }
  });
});

function compressed(bytes: Uint8Array, { effort = 2, piece = bytes.length } = {}): Uint8Array {
  const kernel = linked<Deflate>(module);
  const at = put(kernel, bytes, 16);
  kernel.allocateCompressor();
  kernel.beginStream(effort, bytes.length + 10_000);
  for (let from = 0; from < bytes.length; from += piece) {
    kernel.compress(at + from, Math.min(piece, bytes.length - from));
    finish(kernel);
  }
  kernel.endStream();
  finish(kernel);
  expect(kernel.outputIsFull()).toBe(0);
  return new Uint8Array(kernel.memory.buffer, kernel.outputAt(), kernel.streamLength()).slice();
}

function finish(kernel: Deflate): void {
  while (!kernel.continueStream()) kernel.pauses();
}

function periodic(period: number, length: number): Uint8Array {
  const part = noise(period, 9);
  return Uint8Array.from({ length }, (_, i) => part[i % period] ?? 0);
}

function runs(length: number): Uint8Array {
  const random = seeded(11);
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; ) {
    const end = at + 1 + Math.floor(random() ** 4 * 2_000);
    bytes.fill(random() * 9, at, end);
    at = end;
  }
  return bytes;
}

function words(length: number): Uint8Array {
  const random = seeded(12);
  const list = Array.from({ length: 300 }, (_, i) => noise(2 + (i % 11), i + 1, 26));
  const bytes: number[] = [];
  while (bytes.length < length) bytes.push(...(list[Math.floor(random() ** 2 * 300)] ?? []), 32);
  return Uint8Array.from(bytes.slice(0, length));
}
