import { beforeAll, describe, expect, it } from 'vitest';
import { zigzag } from '../../../../../src/image/inspect/jpeg-quantization.ts';
import { compiledKernel } from '../../../../support/compiled-kernel.ts';

interface Kernel {
  readonly memory: WebAssembly.Memory;
  beginMemory(): void;
  allocate(bytes: number): number;
  room(): number;
  setFrame(frame: number, width: number, height: number, count: number): void;
  setSampling(frame: number, c: number, horizontal: number, vertical: number): void;
  beginFrame(frame: number): void;
  blocksAcross(frame: number, c: number): number;
  blocksDown(frame: number, c: number): number;
  quantizationTable(frame: number, c: number): number;
  allocateRows(frame: number): number;
  blockRow(frame: number, c: number, y: number): number;
  beginRequantizer(): number;
  restartRequantizer(): void;
  takeSourceRow(c: number, y: number): number;
  codedRow(c: number, y: number): number;
  halveRow(c: number, y: number): number;
  halvedRow(c: number): number;
  discardedEnergy(c: number): number;
  acEnergy(c: number): number;
}

type Sampling = readonly (readonly [horizontal: number, vertical: number])[];

interface Setup {
  readonly width: number;
  readonly height: number;
  readonly from: Sampling;
  readonly to: Sampling;
  readonly fine: number;
  readonly coarse: number;
}

const source = 0;
const coded = 1;
const grey: Sampling = [[1, 1]];
const full: Sampling = [
  [1, 1],
  [1, 1],
];
const quartered: Sampling = [
  [2, 2],
  [1, 1],
];
const halvedAcross: Sampling = [
  [2, 1],
  [1, 1],
];

let module: WebAssembly.Module;

beforeAll(async () => {
  module = await compiledKernel('jpeg', [
    '../../shared/assembly/memory.ts',
    'frame.ts',
    'rows.ts',
    'requantizer.ts',
    'chroma-halving.ts',
  ]);
});

describe('requantizing', () => {
  it('chooses the nearest value, a smaller one or none, and never one below half a step', () => {
    const kernel = begin({ ...small, fine: 1, coarse: 10 });
    const blocks = photo(kernel, 0, 1);
    const chosen = take(kernel, 0, 0, blocks);
    let kept = 0;
    for (const [i, value] of chosen.entries()) {
      const k = i % 64;
      const steps = (blocks[i] ?? 0) / 10;
      if (k === 0) expect(Math.abs(value - steps)).toBeLessThanOrEqual(1);
      else if (value !== 0) {
        expect(Math.sign(value)).toBe(Math.sign(steps));
        expect(Math.abs(value)).toBeLessThanOrEqual(Math.floor(Math.abs(steps) + 0.5));
        kept += 1;
      }
    }
    expect(kept).toBeGreaterThan(0);
  });

  it('drops a faint coefficient that stands alone and keeps one that is strong', () => {
    const kernel = begin({ ...small, fine: 1, coarse: 10 });
    const blocks = emptyRow(kernel, 0);
    blocks[40] = 6;
    blocks[64 + 40] = 40;
    blocks[128 + 1] = -204;
    const chosen = take(kernel, 0, 0, blocks);
    expect(nonzeros(chosen.subarray(0, 64))).toEqual([]);
    expect(nonzeros(chosen.subarray(64, 128))).toEqual([[40, 4]]);
    expect(nonzeros(chosen.subarray(128, 192))).toEqual([[1, -20]]);
  });

  it('spends less on coefficients than rounding does', () => {
    const kernel = begin({ ...small, fine: 1, coarse: 10 });
    const blocks = photo(kernel, 0, 1);
    const chosen = take(kernel, 0, 0, blocks);
    const rounded = blocks.map((value) => Math.round(value / 10));
    expect(nonzeros(chosen).length).toBeLessThan(0.9 * nonzeros(rounded).length);
    expect(nonzeros(chosen).length).toBeGreaterThan(0.3 * nonzeros(rounded).length);
  });

  it('follows a ramp of DC within a step and prefers no difference in noise', () => {
    const kernel = begin({ ...small, width: 512, fine: 1, coarse: 16 });
    const blocks = emptyRow(kernel, 0);
    for (let x = 0; x < 64; x += 1) blocks[x * 64] = x < 32 ? x * 20 : 640 + 8 + (x % 2);
    const chosen = take(kernel, 0, 0, blocks);
    const dc = Array.from({ length: 64 }, (_, x) => chosen[x * 64] ?? 0);
    for (let x = 0; x < 64; x += 1) {
      expect(Math.abs((dc[x] ?? 0) - (blocks[x * 64] ?? 0) / 16)).toBeLessThanOrEqual(1);
    }
    // half a step from both neighbours: rounding would go up and down
    expect(new Set(dc.slice(33)).size).toBe(1);
  });

  it('makes the same choices after a restart, which depend on the rows before', () => {
    const kernel = begin({ ...small, height: 64, fine: 1, coarse: 7 });
    const rows = Array.from({ length: 8 }, (_, y) => photo(kernel, 0, y + 1));
    const first = rows.map((row, y) => take(kernel, 0, y, row));
    kernel.restartRequantizer();
    const second = rows.map((row, y) => take(kernel, 0, y, row));
    expect(second).toEqual(first);
    const third = rows.map((row, y) => take(kernel, 0, y, row));
    expect(third).not.toEqual(first);
  });

  it('passes values where the tables are the same, within the limits of baseline coding', () => {
    const kernel = begin({ ...small, fine: 9, coarse: 9 });
    const blocks = photo(kernel, 0, 1);
    blocks[64] = -1024;
    expect(take(kernel, 0, 0, blocks)).toEqual(blocks);
    blocks.set([-3000, -3000, 3000], 0);
    expect([...take(kernel, 0, 0, blocks).subarray(0, 3)]).toEqual([-1024, -1023, 1023]);
  });

  it('neither traps nor leaves the limits of baseline coding on wild values', () => {
    for (const [fine, coarse] of [
      [1, 1],
      [65535, 1],
      [255, 2],
      [1, 255],
      [65535, 65535],
    ] as const) {
      for (const [from, to] of [
        [grey, grey],
        [full, quartered],
      ] as const) {
        const kernel = begin({ ...small, from, to, fine, coarse });
        const c = from.length - 1;
        const random = generator(fine + coarse);
        const blocks = emptyRow(kernel, c).map(() => Math.floor(random() * 65536) - 32768);
        take(kernel, c, 0, blocks);
        for (const [i, value] of take(kernel, c, 1, blocks).entries()) {
          const least = i % 64 === 0 ? -1024 : -1023;
          if (value < least || value > 1023) expect.unreachable(`${value} at ${i}`);
        }
      }
    }
  });

  it('leaves blocks alone that pad a row', () => {
    const kernel = begin({
      ...small,
      width: 24,
      from: quartered,
      to: quartered,
      fine: 1,
      coarse: 4,
    });
    const at = kernel.blockRow(coded, 0, 0) + 3 * 128;
    new Int16Array(kernel.memory.buffer, at, 64).fill(77);
    take(kernel, 0, 0, photo(kernel, 0, 1));
    expect(new Int16Array(kernel.memory.buffer, at, 64).every((value) => value === 77)).toBe(true);
  });

  it('refuses to begin where there is no room', () => {
    // 512 bytes for the DC of 32 blocks; 4 KiB for 16 blocks that are halved
    for (const [to, left] of [
      [full, 256],
      [quartered, 2048],
    ] as const) {
      const kernel = begin({ ...small, from: full, to, fine: 1, coarse: 2 });
      kernel.allocate(kernel.room() - left);
      expect(kernel.beginRequantizer()).toBe(0);
    }
  });
});

describe('halving', () => {
  const frames = [
    ['across and down', full, quartered, 2, 2],
    ['across', full, halvedAcross, 2, 1],
    ['down', halvedAcross, quartered, 1, 2],
  ] as const;

  it.each(frames)('is the mean of samples, %s', (_, from, to, across, down) => {
    const kernel = begin({ width: 64, height: 32, from, to, fine: 3, coarse: 4 });
    const rows = Array.from({ length: down }, (_row, y) => photo(kernel, 1, y + 5));
    const complete = rows.map((row, y) => halve(kernel, 1, y, row));
    expect(complete).toEqual(down === 2 ? [0, 1] : [1]);
    const result = new Float32Array(kernel.memory.buffer, kernel.halvedRow(1), 64 * 2);
    for (let x = 0; x < 2; x += 1) {
      const expected = transformed((u, v) => {
        let sum = 0;
        for (let i = 0; i < across * down; i += 1) {
          const sx = (x * 8 + u) * across + (i % across);
          const sy = v * down + Math.floor(i / across);
          sum += sampleOf(rows[sy >> 3], sx, sy & 7, 3);
        }
        return sum / (across * down);
      });
      for (let k = 0; k < 64; k += 1) {
        expect(result[x * 64 + k]).toBeCloseTo(expected[k] ?? 0, 2);
      }
    }
  });

  it('pairs the last block and the last row with their mirror images', () => {
    const kernel = begin({
      ...small,
      width: 24,
      height: 24,
      from: full,
      to: quartered,
      fine: 1,
      coarse: 1,
    });
    const row = photo(kernel, 1, 3);
    expect(halve(kernel, 1, 2, row)).toBe(1);
    const result = new Float32Array(kernel.memory.buffer, kernel.halvedRow(1) + 256, 64);
    const reflected = (n: number) => (n < 8 ? n : 15 - n);
    const expected = transformed((u, v) => {
      let sum = 0;
      for (let i = 0; i < 4; i += 1) {
        const sx = 16 + reflected(2 * u + (i & 1));
        sum += sampleOf(row, sx, reflected(2 * v + (i >> 1)), 1);
      }
      return sum / 4;
    });
    for (let k = 0; k < 64; k += 1) expect(result[k]).toBeCloseTo(expected[k] ?? 0, 2);
  });

  it('measures the mean square error that it causes', () => {
    const kernel = begin({ width: 32, height: 16, from: full, to: quartered, fine: 2, coarse: 4 });
    const rows = [photo(kernel, 1, 8), photo(kernel, 1, 9)];
    for (const [y, row] of rows.entries()) halve(kernel, 1, y, row);
    let error = 0;
    let ac = 0;
    for (const row of rows) {
      for (const [i, value] of row.subarray(0, 256).entries()) ac += i % 64 ? (2 * value) ** 2 : 0;
    }
    for (let y = 0; y < 16; y += 2) {
      for (let x = 0; x < 32; x += 2) {
        const four = [0, 1, 2, 3].map((i) =>
          sampleOf(rows[y >> 3], x + (i & 1), (y & 7) + (i >> 1), 2),
        );
        const mean = four.reduce((a, b) => a + b) / 4;
        for (const sample of four) error += (sample - mean) ** 2;
      }
    }
    expect(kernel.discardedEnergy(1)).toBeCloseTo(error / 512, 3);
    expect(kernel.acEnergy(1)).toBeCloseTo(ac / 512, 3);
    kernel.restartRequantizer();
    expect(kernel.discardedEnergy(1)).toBe(0);
  });

  it('takes two rows of the source for one that is coded, and one at an odd end', () => {
    const kernel = begin({ width: 40, height: 40, from: full, to: quartered, fine: 1, coarse: 3 });
    const completed: number[][] = [];
    for (let y = 0; y < 5; y += 1) {
      put(kernel, 1, photo(kernel, 1, 20));
      if (kernel.takeSourceRow(1, y)) completed.push([y, kernel.codedRow(1, y)]);
    }
    expect(completed).toEqual([
      [1, 0],
      [3, 1],
      [4, 2],
    ]);
    expect(kernel.blocksDown(coded, 1)).toBe(3);
  });
});

const small = { width: 256, height: 16, from: grey, to: grey };

function begin({ width, height, from, to, fine, coarse }: Setup): Kernel {
  const memory = new WebAssembly.Memory({ initial: 64 });
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  const kernel: Kernel = { ...(exports as unknown as Kernel), memory };
  kernel.beginMemory();
  for (const [frame, sampling, step] of [
    [source, from, fine],
    [coded, to, coarse],
  ] as const) {
    kernel.setFrame(frame, width, height, sampling.length);
    for (const [c, [horizontal, vertical]] of sampling.entries()) {
      kernel.setSampling(frame, c, horizontal, vertical);
      new Uint16Array(memory.buffer, kernel.quantizationTable(frame, c), 64).fill(step);
    }
    kernel.beginFrame(frame);
    kernel.allocateRows(frame);
  }
  if (!kernel.beginRequantizer()) throw new Error('no room');
  return kernel;
}

function emptyRow(kernel: Kernel, c: number): Int16Array {
  return new Int16Array(64 * kernel.blocksAcross(source, c));
}

/** A row of blocks whose coefficients fall off as those of photographs do. */
function photo(kernel: Kernel, c: number, seed: number): Int16Array {
  const random = generator(seed);
  return emptyRow(kernel, c).map((_, i) => {
    const k = i % 64;
    const spread = k === 0 ? 200 : 80 / (1 + 0.3 * k);
    return Math.round(spread * Math.log(random() + 1e-3) * (random() < 0.5 ? -0.5 : 0.5));
  });
}

/** Random numbers from 0 to 1 (a linear congruential generator, figures of Numerical Recipes). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** All frames here have one row of the source's blocks in a row of MCUs. */
function put(kernel: Kernel, c: number, blocks: Int16Array): void {
  new Int16Array(kernel.memory.buffer).set(blocks, kernel.blockRow(source, c, 0) >> 1);
}

function take(kernel: Kernel, c: number, y: number, blocks: Int16Array): Int16Array {
  put(kernel, c, blocks);
  kernel.takeSourceRow(c, y);
  const at = kernel.blockRow(coded, c, 0);
  return new Int16Array(kernel.memory.buffer, at, 64 * kernel.blocksAcross(coded, c)).slice();
}

function halve(kernel: Kernel, c: number, y: number, blocks: Int16Array): number {
  put(kernel, c, blocks);
  return kernel.halveRow(c, y);
}

function nonzeros(blocks: Int16Array): number[][] {
  return [...blocks].flatMap((value, i) => (value === 0 || i % 64 === 0 ? [] : [[i % 64, value]]));
}

/** Basis function of the DCT (ITU-T T.81 §A.3.3). */
function basis(frequency: number, sample: number): number {
  const scale = frequency === 0 ? Math.SQRT1_2 : 1;
  return (scale / 2) * Math.cos(((2 * sample + 1) * frequency * Math.PI) / 16);
}

/** A sample of a row of blocks, by the definition of the inverse DCT. */
function sampleOf(row: Int16Array | undefined, x: number, y: number, step: number): number {
  let sum = 0;
  for (const [k, position] of zigzag.entries()) {
    const value = step * (row?.[(x >> 3) * 64 + k] ?? 0);
    sum += value * basis(position & 7, x & 7) * basis(position >> 3, y);
  }
  return sum;
}

/** The DCT of 8 × 8 samples, in zigzag order. */
function transformed(sample: (x: number, y: number) => number): number[] {
  const samples = Array.from({ length: 64 }, (_, i) => sample(i & 7, i >> 3));
  return zigzag.map((position) =>
    samples.reduce(
      (sum, value, i) => sum + value * basis(position & 7, i & 7) * basis(position >> 3, i >> 3),
      0,
    ),
  );
}
