import { beforeAll, describe, expect, it } from 'vitest';
import { compiledKernel } from '../../../../../support/kernels.ts';
import { randomNumbers } from '../png-writer.ts';
import { bytesAt, linked, status } from './inflating.ts';

interface Kernel {
  beginMemory(): void;
  allocate(bytes: number): number;
  unfilter(filter: number, filtered: number, row: number, length: number, step: number): number;
}

let kernel: Kernel & { readonly memory: WebAssembly.Memory };

beforeAll(async () => {
  const module = await compiledKernel('png', [
    '../../../wasm/assembly/memory.ts',
    'reader/unfilter.ts',
  ]);
  kernel = linked<Kernel>(module, Buffer.alloc(0));
});

/** Implements the text of the standard (PNG third edition §9.2, §9.4). */
function plainlyUnfiltered(filter: number, filtered: Buffer, above: Buffer, step: number): Buffer {
  const row = Buffer.alloc(filtered.length);
  for (const [at, value] of filtered.entries()) {
    const a = at < step ? 0 : row.readUInt8(at - step);
    const b = above.readUInt8(at);
    const c = at < step ? 0 : above.readUInt8(at - step);
    const p = a + b - c;
    const [pa, pb, pc] = [Math.abs(p - a), Math.abs(p - b), Math.abs(p - c)];
    const nearest = pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
    row[at] = value + ([0, a, b, Math.floor((a + b) / 2), nearest][filter] ?? 0);
  }
  return row;
}

const filters = ['none', 'sub', 'up', 'average', 'Paeth'].map((name, filter) => ({ name, filter }));
const steps = [1, 2, 3, 4, 6, 8];

describe('a filter undone', () => {
  it.each(filters)('is what the standard says, for every pixel and width: $name', ({ filter }) => {
    const random = randomNumbers(filter);
    // Few values, so that Paeth's distances are often equal, and all values.
    for (const values of [3, 256]) {
      for (const step of steps) {
        for (const pixels of [1, 2, 3, 5, 6, 11, 16, 17, 64, 101]) {
          const [filtered, above] = [0, 1].map(() =>
            Buffer.from(Array.from({ length: step * pixels }, () => random(values) * 85)),
          ) as [Buffer, Buffer];
          kernel.beginMemory();
          const [from, row] = [kernel.allocate(1000), kernel.allocate(1000)];
          const memory = new Uint8Array(kernel.memory.buffer);
          memory.set(filtered, from);
          memory.set(above, row);
          expect(kernel.unfilter(filter, from, row, filtered.length, step)).toBe(status.sound);
          expect(
            bytesAt(kernel, row, filtered.length),
            `${pixels} pixels of ${step} bytes`,
          ).toEqual(plainlyUnfiltered(filter, filtered, above, step));
        }
      }
    }
  });

  it('is one of five', () => {
    const [from, row] = [kernel.allocate(64), kernel.allocate(64)];
    for (const filter of [5, 6, 255]) {
      expect(kernel.unfilter(filter, from, row, 16, 4)).toBe(status.badFilter);
    }
  });
});
