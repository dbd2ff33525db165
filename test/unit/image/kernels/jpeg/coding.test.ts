import { join } from 'node:path';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { compiledKernel } from '../../../../support/compiled-kernel.ts';

const _assembly = join(import.meta.dirname, '../../../../../src/image/kernels/jpeg/assembly');
const coded = 1;
const source = 0;

interface Kernel {
  memory: WebAssembly.Memory;
  beginMemory(): void;
  allocate(bytes: number): number;
  room(): number;
  taken(): number;
  setFrame(frame: number, width: number, height: number, components: number): void;
  setSampling(frame: number, c: number, horizontal: number, vertical: number): void;
  beginFrame(frame: number): void;
  blocksAcross(frame: number, c: number): number;
  blocksDown(frame: number, c: number): number;
  mcusAcross(frame: number): number;
  mcusDown(frame: number): number;
  allocateRows(frame: number): number;
  blockRow(frame: number, c: number, y: number): number;
  allocatePlanes(): number;
  storeRow(c: number, y: number, blocks: number): number;
  beginCoding(): number;
  beginTokens(): number;
  beginPlaneTokens(): number;
  beginRowTokens(): number;
  keepRow(c: number, y: number, blocks: number): number;
  dropTokens(): void;
  codingFailure(): number;
  setScan(n: number, ...placesAndBand: number[]): void;
  setTableSlot(c: number, dc: number, ac: number): void;
  histogram(kind: number, slot: number): number;
  codes(kind: number, slot: number): number;
  countScan(rowStep: number): void;
  rawBits(): number;
  writeScan(): number;
  beginStreamedScan(writes: number): void;
  codeMcuRow(m: number): number;
  endScan(): number;
  beginOutput(most: number): number;
  outputAt(): number;
  outputLength(): number;
  reserveOutput(length: number): number;
}

let module: WebAssembly.Module;

beforeAll(async () => {
  module = await compiledKernel('jpeg', [
    '../../shared/assembly/memory.ts',
    'frame.ts',
    'rows.ts',
    'planes.ts',
    'token-rows.ts',
    'coded-scan.ts',
    'symbols.ts',
    'coding-failure.ts',
    'bit-writer.ts',
    'scan-coding.ts',
  ]);
});

interface Scan {
  components: readonly number[];
  ss: number;
  se: number;
  ah: number;
  al: number;
}

interface Picture {
  width: number;
  height: number;
  samplings: readonly (readonly [number, number])[];
  /** Coefficients of a block in zigzag order. */
  block(c: number, x: number, y: number): Int16Array;
}

describe('coding', () => {
  const samplings = {
    grey: [[1, 1]],
    '4:4:4': [
      [1, 1],
      [1, 1],
      [1, 1],
    ],
    '4:2:0': [
      [2, 2],
      [1, 1],
      [1, 1],
    ],
    '4:2:2': [
      [2, 1],
      [1, 1],
      [1, 1],
    ],
    '4:4:0': [
      [1, 2],
      [1, 1],
      [1, 1],
    ],
    '4:1:1': [
      [4, 1],
      [1, 1],
      [1, 1],
    ],
    'four components': [
      [2, 2],
      [1, 1],
      [1, 1],
      [2, 2],
    ],
  } as const;

  for (const [name, factors] of Object.entries(samplings)) {
    for (const [script, scansOf] of Object.entries(scripts)) {
      it(`writes ${name} as ${script}, out of kept tokens and out of planes`, async () => {
        const picture = randomPicture(131, 77, factors);
        const scans = scansOf(factors.length);
        const expected = await decoded(plainFile(picture));
        const kept = file(picture, scans, keep(begun(picture), picture));
        expect(expected.equals(await decoded(kept))).toBe(true);
        const fromPlanes = file(picture, scans, putIntoPlanes(begun(picture), picture));
        expect(fromPlanes.equals(kept)).toBe(true);
      });
    }

    it(`streams ${name}, interleaved and component by component`, async () => {
      const picture = randomPicture(131, 77, factors);
      const expected = await decoded(plainFile(picture));
      for (const scansOf of [scripts.sequential, scripts['separate sequential scans']]) {
        const kernel = begun(picture);
        expect(kernel.beginRowTokens()).toBe(1);
        const streamed = file(picture, scansOf(factors.length), kernel, streaming(picture));
        expect(expected.equals(await decoded(streamed))).toBe(true);
      }
    });
  }

  it('counts exactly the bits that it writes, and puts a zero behind every FF', () => {
    const picture = randomPicture(640, 480, samplings['4:2:0'], 12);
    const kernel = keep(begun(picture), picture);
    for (const scan of [...scripts.default(3), ...scripts.sequential(3)]) {
      const { data, bits } = writtenScan(kernel, scan);
      let stuffed = 0;
      for (const [at, byte] of data.entries()) {
        if (byte !== 0xff) continue;
        expect(data[at + 1]).toBe(0);
        stuffed += 1;
      }
      expect(data.length - stuffed).toBe(Math.ceil(bits / 8));
    }
  });

  it('splits runs of bands that end at 32767 blocks', async () => {
    const picture = { ...emptyPicture(2048, 1040), block: () => new Int16Array(64) };
    const kernel = keep(begun(picture), picture);
    select(kernel, { components: [0], ss: 1, se: 63, ah: 0, al: 0 });
    kernel.countScan(1);
    const counted = nonzero(histogram(kernel, 1, 0));
    // 33280 blocks: 32767, with 14 bits, and 513, with 9
    expect(counted).toEqual({ 224: 1, 144: 1 });
    expect(kernel.rawBits()).toBe(23);
    const samples = await decoded(file(picture, scripts.default(1), kernel));
    expect(samples.every((sample) => sample === 128)).toBe(true);
  });

  it('ends a run of bands before its correction bits are a thousand', async () => {
    const block = new Int16Array(64).map((_, k) => (k % 3 === 1 ? (k & 4) - 2 : 0));
    const picture = { ...emptyPicture(512, 256), block: () => block };
    const kernel = keep(begun(picture), picture);
    const bits = block.filter((value) => value !== 0).length;
    select(kernel, { components: [0], ss: 1, se: 63, ah: 1, al: 0 });
    kernel.countScan(1);
    const runs = Object.values(nonzero(histogram(kernel, 1, 0))).reduce((sum, n) => sum + n, 0);
    expect(runs).toBeGreaterThanOrEqual((2048 * bits) / 1000);
    expect(runs).toBeLessThan((2048 * bits) / 800);
    expect(kernel.rawBits()).toBeGreaterThan(2048 * bits);
    const script = [
      { components: [0], ss: 0, se: 0, ah: 0, al: 0 },
      { components: [0], ss: 1, se: 63, ah: 0, al: 1 },
      { components: [0], ss: 1, se: 63, ah: 1, al: 0 },
    ];
    const expected = await decoded(plainFile(picture));
    expect(expected.equals(await decoded(file(picture, script, kernel)))).toBe(true);
  });

  it('counts every fourth row where it is asked to, and ends runs there', () => {
    const whole = randomPicture(80, 128, [[1, 1]]);
    const quarter = { ...whole, height: 32, block: at(whole, 4) };
    const [ofWhole, ofQuarter] = [whole, quarter].map((picture) => keep(begun(picture), picture));
    for (const scan of [
      { components: [0], ss: 0, se: 63, ah: 0, al: 0 },
      { components: [0], ss: 0, se: 0, ah: 0, al: 1 },
    ]) {
      const counts = [ofWhole, ofQuarter].map((kernel, i) => {
        select(kernel as Kernel, scan);
        kernel?.countScan(i === 0 ? 4 : 1);
        return [0, 1].map((kind) => nonzero(histogram(kernel as Kernel, kind, 0)));
      });
      expect(counts[0]).toEqual(counts[1]);
    }
    const empty = { ...emptyPicture(80, 128), block: () => new Int16Array(64) };
    const kernel = keep(begun(empty), empty);
    select(kernel, { components: [0], ss: 1, se: 63, ah: 0, al: 0 });
    kernel.countScan(4);
    // four rows of ten blocks
    expect(nonzero(histogram(kernel, 1, 0))).toEqual({ 48: 4 });
  });

  it('pads with the DC before, and without AC', () => {
    const block = new Int16Array(64);
    block[0] = 100;
    const picture = {
      ...randomPicture(8, 8, [
        [2, 2],
        [1, 1],
        [1, 1],
      ]),
      block: () => block,
    };
    const kernel = keep(begun(picture), picture);
    for (const c of [0, 1, 2]) kernel.setTableSlot(c, c, c);
    kernel.setScan(3, 0, 1, 2, 0, 0, 63, 0, 0);
    kernel.countScan(1);
    expect(nonzero(histogram(kernel, 0, 0))).toEqual({ 7: 1, 0: 3 });
    expect(nonzero(histogram(kernel, 1, 0))).toEqual({ 0: 4 });
    expect(nonzero(histogram(kernel, 0, 1))).toEqual({ 7: 1 });
  });

  it('says which coefficients cannot be coded', () => {
    const failure = (k: number, values: readonly number[]) => {
      const block = (_: number, x: number) => new Int16Array(64).fill(values[x] ?? 0, k, k + 1);
      const picture = { ...emptyPicture(16, 8), block };
      const kernel = keep(begun(picture), picture);
      select(kernel, { components: [0], ss: 0, se: 63, ah: 0, al: 0 });
      kernel.countScan(1);
      return kernel.codingFailure();
    };
    expect(failure(1, [1023, -1023])).toBe(0);
    expect(failure(63, [0, 1024])).toBe(1);
    expect(failure(8, [-1024, 0])).toBe(1);
    expect(failure(20, [-32768, 0])).toBe(1);
    expect(failure(0, [-1024, 1023])).toBe(0);
    expect(failure(0, [-1024, 1024])).toBe(2);
    expect(failure(0, [32767, -32768])).toBe(2);
  });

  it('refuses to write symbols without a code', () => {
    const picture = randomPicture(64, 64, [[1, 1]]);
    const kernel = keep(begun(picture), picture);
    select(kernel, { components: [0], ss: 0, se: 63, ah: 0, al: 0 });
    kernel.beginOutput(100_000);
    expect(kernel.writeScan()).toBe(0);
    expect(kernel.codingFailure()).toBe(3);
  });

  it('puts segments and scans one behind the other', () => {
    const picture = randomPicture(100, 100, [[1, 1]]);
    const kernel = keep(begun(picture), picture);
    const scan = { components: [0], ss: 0, se: 63, ah: 0, al: 0 };
    const { data, tables } = writtenScan(kernel, scan);
    expect(kernel.beginOutput(100_000)).toBe(1);
    const put = (bytes: Uint8Array) => {
      const to = kernel.reserveOutput(bytes.length);
      new Uint8Array(kernel.memory.buffer).set(bytes, to);
    };
    for (const part of [...head(picture, 0xc1), ...tables.map(definition)]) put(part);
    put(startOfScan(scan));
    expect(kernel.writeScan()).toBe(1);
    put(end);
    const result = Buffer.from(kernel.memory.buffer, kernel.outputAt(), kernel.outputLength());
    expect(result.equals(file(picture, [scan], keep(begun(picture), picture)))).toBe(true);
    expect(result.includes(data)).toBe(true);
  });

  it('stops where the result would have one byte too many', () => {
    const picture = randomPicture(256, 256, [[1, 1]]);
    const kernel = keep(begun(picture), picture);
    const scan = { components: [0], ss: 0, se: 63, ah: 0, al: 0 };
    const { length } = writtenScan(kernel, scan).data;
    expect(kernel.beginOutput(length)).toBe(1);
    expect(kernel.writeScan()).toBe(1);
    expect(kernel.reserveOutput(1)).toBe(0);
    expect(kernel.beginOutput(length - 1)).toBe(1);
    expect(kernel.writeScan()).toBe(0);
    expect(kernel.codingFailure()).toBe(0);
    expect(kernel.reserveOutput(0)).toBe(0);
  });

  it('stops where the memory ends, and keeps no rows that may not fit', () => {
    const picture = randomPicture(512, 512, [[1, 1]], 60);
    const kernel = keep(begun(picture), picture);
    select(kernel, { components: [0], ss: 0, se: 63, ah: 0, al: 0 });
    kernel.countScan(1);
    giveCodes(kernel);
    kernel.allocate(kernel.room() - 20_000);
    expect(kernel.beginOutput(0xffff_ffff)).toBe(1);
    expect(kernel.writeScan()).toBe(0);
    expect(kernel.outputLength()).toBeGreaterThan(0);
    expect(kernel.keepRow(0, 0, kernel.blockRow(coded, 0, 0))).toBe(1);
    kernel.allocate(kernel.room() - 64 * 130 + 16);
    expect(kernel.keepRow(0, 1, kernel.blockRow(coded, 0, 0))).toBe(0);
  });

  it('gives back what tokens have taken, wiped', () => {
    const picture = randomPicture(64, 64, [[1, 1]]);
    const kernel = begun(picture);
    const before = kernel.taken();
    keep(kernel, picture);
    const after = kernel.taken();
    expect(after).toBeGreaterThan(before);
    kernel.dropTokens();
    expect(kernel.taken()).toBe(before);
    const bytes = new Uint8Array(kernel.memory.buffer, before, after - before);
    expect(bytes.every((byte) => byte === 0)).toBe(true);
  });
});

/** Scripts of scans for one, three or four components. */
const scripts = {
  sequential: (n) => [{ components: all(n), ss: 0, se: 63, ah: 0, al: 0 }],
  'separate sequential scans': (n) =>
    all(n).map((c) => ({ components: [c], ss: 0, se: 63, ah: 0, al: 0 })),
  'two sequential scans': (n) =>
    [all(n).slice(0, 1), all(n).slice(1)]
      .filter((components) => components.length > 0)
      .map((components) => ({ components, ss: 0, se: 63, ah: 0, al: 0 })),
  // as libjpeg's jpeg_simple_progression has it
  default: (n) => [
    { components: all(n), ss: 0, se: 0, ah: 0, al: 1 },
    ...ac([0], 1, 5, 0, 2),
    ...ac(all(n).slice(1), 1, 63, 0, 1),
    ...ac([0], 6, 63, 0, 2),
    ...ac([0], 1, 63, 2, 1),
    { components: all(n), ss: 0, se: 0, ah: 1, al: 0 },
    ...ac(all(n), 1, 63, 1, 0),
  ],
  'bands without approximation': (n) => [
    ...all(n).map((c) => ({ components: [c], ss: 0, se: 0, ah: 0, al: 0 })),
    ...ac(all(n), 1, 8, 0, 0),
    ...ac(all(n), 9, 9, 0, 0),
    ...ac(all(n), 10, 63, 0, 0),
  ],
  'many approximations': (n) => [
    { components: all(n), ss: 0, se: 0, ah: 0, al: 3 },
    ...[3, 2, 1].map((ah) => ({ components: all(n), ss: 0, se: 0, ah, al: ah - 1 })),
    ...ac(all(n), 1, 2, 0, 4),
    ...ac(all(n), 3, 63, 0, 3),
    ...ac(all(n), 1, 2, 4, 3),
    ...ac(all(n), 1, 63, 3, 2),
    ...ac(all(n), 1, 40, 2, 1),
    ...ac(all(n), 41, 63, 2, 1),
    ...ac(all(n), 1, 40, 1, 0),
    ...ac(all(n), 41, 63, 1, 0),
  ],
} satisfies Record<string, (n: number) => Scan[]>;

function all(n: number): number[] {
  return Array.from({ length: n }, (_, c) => c);
}

function ac(components: readonly number[], ss: number, se: number, ah: number, al: number): Scan[] {
  return components.map((c) => ({ components: [c], ss, se, ah, al }));
}

/** Sparse coefficients; `density` of 63 are not zero where a block has any at all. */
function randomPicture(
  width: number,
  height: number,
  samplings: Picture['samplings'],
  density = 6,
): Picture {
  const block = (c: number, x: number, y: number) => {
    const random = randomNumbers(c * 7_919 + x * 104_729 + y * 1_299_709 + 1);
    const values = new Int16Array(64);
    values[0] = random() * 80 - 40 + (random() < 0.02 ? 700 : 0);
    if (random() < 0.3) return values;
    const number = random() * 2 * density;
    for (let i = 0; i < number; i += 1) {
      const sign = random() < 0.5 ? -1 : 1;
      const k = 1 + Math.floor(random() ** 2 * 63);
      values[k] = sign * Math.round(random() < 0.05 ? random() * 40 : random() ** 3 * 5);
    }
    if (random() < 0.05) values[63] = 1;
    if (random() < 0.002) values[5] = -1023;
    return values;
  };
  return { width, height, samplings, block };
}

function emptyPicture(width: number, height: number) {
  return { width, height, samplings: [[1, 1]] as const };
}

/** Every so manieth row of a picture. */
function at({ block }: Picture, step: number): Picture['block'] {
  return (c, x, y) => block(c, x, y * step);
}

/** Mulberry32. */
function randomNumbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A kernel that knows the picture's frame, and has coded rows. */
function begun({ width, height, samplings }: Picture): Kernel {
  const memory = new WebAssembly.Memory({ initial: 256 });
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  const kernel = { ...(exports as unknown as Kernel), memory };
  kernel.beginMemory();
  for (const frame of [source, coded]) {
    kernel.setFrame(frame, width, height, samplings.length);
    for (const [c, [h, v]] of samplings.entries()) kernel.setSampling(frame, c, h, v);
    kernel.beginFrame(frame);
  }
  expect(kernel.allocateRows(coded)).toBe(1);
  expect(kernel.beginCoding()).toBe(1);
  return kernel;
}

function writeBlocks(kernel: Kernel, to: number, picture: Picture, c: number, y: number): void {
  for (let x = 0; x < kernel.blocksAcross(coded, c); x += 1) {
    new Int16Array(kernel.memory.buffer, to + x * 128, 64).set(picture.block(c, x, y));
  }
}

function eachRow(kernel: Kernel, picture: Picture, work: (c: number, y: number) => void): void {
  for (const c of picture.samplings.keys()) {
    for (let y = 0; y < kernel.blocksDown(coded, c); y += 1) work(c, y);
  }
}

function keep(kernel: Kernel, picture: Picture): Kernel {
  expect(kernel.beginTokens()).toBe(1);
  eachRow(kernel, picture, (c, y) => {
    const blocks = kernel.blockRow(coded, c, 0);
    writeBlocks(kernel, blocks, picture, c, y);
    expect(kernel.keepRow(c, y, blocks)).toBe(1);
  });
  return kernel;
}

function putIntoPlanes(kernel: Kernel, picture: Picture): Kernel {
  expect(kernel.allocatePlanes()).toBe(1);
  eachRow(kernel, picture, (c, y) => {
    const blocks = kernel.blockRow(coded, c, 0);
    writeBlocks(kernel, blocks, picture, c, y);
    expect(kernel.storeRow(c, y, blocks)).toBe(1);
  });
  expect(kernel.beginPlaneTokens()).toBe(1);
  return kernel;
}

/** Codes a scan while the rows come by. */
function streaming(picture: Picture): (kernel: Kernel, writes: boolean) => boolean {
  return (kernel, writes) => {
    kernel.beginStreamedScan(writes ? 1 : 0);
    for (let m = 0; m < kernel.mcusDown(coded); m += 1) {
      for (const [c, [, v]] of picture.samplings.entries()) {
        for (let y = 0; y < v && m * v + y < kernel.blocksDown(coded, c); y += 1) {
          writeBlocks(kernel, kernel.blockRow(coded, c, y), picture, c, m * v + y);
        }
      }
      expect(kernel.codeMcuRow(m)).toBe(1);
    }
    return kernel.endScan() === 1;
  };
}

/** Codes a scan out of rows that can be asked for. */
function atOnce(kernel: Kernel, writes: boolean): boolean {
  if (writes) return kernel.writeScan() === 1;
  kernel.countScan(1);
  return true;
}

function select(kernel: Kernel, { components, ss, se, ah, al }: Scan): void {
  const [c0 = 0, c1 = 0, c2 = 0, c3 = 0] = components;
  for (const c of components) kernel.setTableSlot(c, Math.min(c, 1), Math.min(c, 1));
  kernel.setScan(components.length, c0, c1, c2, c3, ss, se, ah, al);
}

function histogram(kernel: Kernel, kind: number, slot: number): Uint32Array {
  return new Uint32Array(kernel.memory.buffer, kernel.histogram(kind, slot), 256);
}

function nonzero(counts: Uint32Array): Record<number, number> {
  return Object.fromEntries([...counts.entries()].filter(([, number]) => number > 0));
}

interface Table {
  kind: number;
  slot: number;
  /** Symbols in the order of their codes. */
  symbols: number[];
  lengths: number[];
}

/** Gives the kernel codes for what it has counted; returns them, and the bits that the scan takes with them. */
function giveCodes(kernel: Kernel): { tables: Table[]; bits: number } {
  const tables: Table[] = [];
  let bits = kernel.rawBits();
  for (const kind of [0, 1]) {
    for (const slot of [0, 1]) {
      const counts = histogram(kernel, kind, slot);
      const lengths = codeLengths(counts);
      const symbols = [...lengths.keys()].sort(
        (a, b) => (lengths.get(a) ?? 0) - (lengths.get(b) ?? 0) || a - b,
      );
      const table = { kind, slot, symbols, lengths: symbols.map((s) => lengths.get(s) ?? 0) };
      const codes = new Uint32Array(kernel.memory.buffer, kernel.codes(kind, slot), 256).fill(0);
      for (const [symbol, { code, length }] of codesOf(table)) {
        codes[symbol] = code | (length << 16);
        bits += length * (counts[symbol] ?? 0);
      }
      if (symbols.length > 0) tables.push(table);
    }
  }
  return { tables, bits };
}

/**
 * Lengths of at most 16 bits: frequencies are flattened until they are. One more
 * symbol, rarer than all, takes the code of ones only.
 */
function codeLengths(counts: Uint32Array): Map<number, number> {
  const reserved = 256;
  let frequencies = [...counts.entries()].filter(([, number]) => number > 0);
  if (frequencies.length === 0) return new Map();
  for (;;) {
    const lengths = new Map<number, number>();
    let groups = [...frequencies, [reserved, 0] as [number, number]].map(([symbol, number]) => ({
      number,
      symbols: [symbol],
    }));
    while (groups.length > 1) {
      groups.sort((a, b) => b.number - a.number);
      const [one, other] = groups.splice(-2);
      const symbols = [...(one?.symbols ?? []), ...(other?.symbols ?? [])];
      for (const symbol of symbols) lengths.set(symbol, (lengths.get(symbol) ?? 0) + 1);
      groups = [...groups, { number: (one?.number ?? 0) + (other?.number ?? 0), symbols }];
    }
    if (Math.max(...lengths.values()) <= 16) {
      lengths.delete(reserved);
      return lengths;
    }
    frequencies = frequencies.map(([symbol, number]) => [symbol, (number + 3) >> 2]);
  }
}

/** ITU-T T.81 annex C. */
function codesOf({ symbols, lengths }: Table): Map<number, { code: number; length: number }> {
  const codes = new Map<number, { code: number; length: number }>();
  let code = 0;
  let before = 0;
  for (const [i, symbol] of symbols.entries()) {
    const length = lengths[i] ?? 0;
    code <<= length - before;
    codes.set(symbol, { code, length });
    code += 1;
    before = length;
  }
  return codes;
}

function writtenScan(
  kernel: Kernel,
  scan: Scan,
  code: (kernel: Kernel, writes: boolean) => boolean = atOnce,
) {
  select(kernel, scan);
  code(kernel, false);
  const { tables, bits } = giveCodes(kernel);
  expect(kernel.beginOutput(8_000_000)).toBe(1);
  expect(code(kernel, true)).toBe(true);
  expect(kernel.codingFailure()).toBe(0);
  const data = new Uint8Array(kernel.memory.buffer, kernel.outputAt(), kernel.outputLength());
  return { data: data.slice(), tables, bits };
}

/** A file of the scans as the kernel writes them. */
function file(picture: Picture, scans: readonly Scan[], kernel: Kernel, code = atOnce): Buffer {
  const isProgressive = scans.some(({ se }) => se < 63);
  const parts = scans.map((scan) => {
    const { data, tables } = writtenScan(kernel, scan, code);
    return [...tables.map(definition), startOfScan(scan), data];
  });
  return Buffer.concat([...head(picture, isProgressive ? 0xc2 : 0xc1), ...parts.flat(), end]);
}

const end = Buffer.from([0xff, 0xd9]);

function segment(marker: number, ...body: number[]): Buffer {
  return Buffer.from([0xff, marker, (body.length + 2) >> 8, (body.length + 2) & 255, ...body]);
}

function head({ width, height, samplings }: Picture, startOfFrame: number): Buffer[] {
  const size = [height >> 8, height & 255, width >> 8, width & 255];
  const components = samplings.flatMap(([h, v], c) => [c + 1, (h << 4) | v, 0]);
  return [
    Buffer.from([0xff, 0xd8]),
    segment(0xdb, 0, ...Array.from({ length: 64 }, () => 12)),
    segment(startOfFrame, 8, ...size, samplings.length, ...components),
  ];
}

function definition({ kind, slot, symbols, lengths }: Table): Buffer {
  const numbers = Array.from({ length: 16 }, (_, i) => lengths.filter((l) => l === i + 1).length);
  return segment(0xc4, (kind << 4) | slot, ...numbers, ...symbols);
}

function startOfScan({ components, ss, se, ah, al }: Scan): Buffer {
  const tables = components.flatMap((c) => [c + 1, Math.min(c, 1) * 0x11]);
  return segment(0xda, components.length, ...tables, ss, se, (ah << 4) | al);
}

/** The same coefficients as one sequential scan with codes of eight bits, written without the kernel. */
function plainFile(picture: Picture): Buffer {
  const { samplings, width, height } = picture;
  const dc = Array.from({ length: 12 }, (_, size) => size);
  const runs = Array.from({ length: 16 }, (_, run) => run << 4);
  const ac = runs.flatMap((run) => Array.from({ length: 11 }, (_, size) => run | size));
  const tables = [dc, ac].map((symbols, kind) => ({
    kind,
    slot: 0,
    symbols,
    lengths: symbols.map(() => 8),
  }));
  let text = '';
  const bytes: number[] = [];
  const put = (value: number, size: number) => {
    if (size > 0) text += value.toString(2).padStart(size, '0');
    for (; text.length >= 8; text = text.slice(8)) {
      const byte = Number.parseInt(text.slice(0, 8), 2);
      bytes.push(byte, ...(byte === 0xff ? [0] : []));
    }
  };
  const putValue = (symbols: number[], run: number, value: number) => {
    const size = value === 0 ? 0 : Math.floor(Math.log2(Math.abs(value))) + 1;
    put(symbols.indexOf((run << 4) | size), 8);
    put(value < 0 ? value + 2 ** size - 1 : value, size);
  };
  const isSingle = samplings.length === 1;
  const across = isSingle ? 1 : Math.max(...samplings.map(([h]) => h));
  const down = isSingle ? 1 : Math.max(...samplings.map(([, v]) => v));
  const before = samplings.map(() => 0);
  const putBlock = (c: number, x: number, y: number) => {
    const values = picture.block(c, x, y);
    putValue(dc, 0, (values[0] ?? 0) - (before[c] ?? 0));
    before[c] = values[0] ?? 0;
    let run = 0;
    for (const value of values.subarray(1)) {
      if (value === 0) {
        run += 1;
        continue;
      }
      for (; run > 15; run -= 16) put(ac.indexOf(0xf0), 8);
      putValue(ac, run, value);
      run = 0;
    }
    if (run > 0) put(ac.indexOf(0), 8);
  };
  for (let m = 0; m < Math.ceil(height / 8 / down); m += 1) {
    for (let n = 0; n < Math.ceil(width / 8 / across); n += 1) {
      for (const [c, [h, v]] of samplings.entries()) {
        for (let i = 0; i < (isSingle ? 1 : h * v); i += 1) {
          putBlock(c, n * h + (i % h), m * v + Math.floor(i / h));
        }
      }
    }
  }
  put(0x7f, 7);
  const scan = segment(
    0xda,
    samplings.length,
    ...samplings.flatMap((_, c) => [c + 1, 0]),
    ...[0, 63, 0],
  );
  return Buffer.concat([
    ...head(picture, 0xc1),
    ...tables.map(definition),
    scan,
    Buffer.from(bytes),
    end,
  ]);
}

/** Samples of a file, of which libjpeg must not complain. */
function decoded(bytes: Buffer): Promise<Buffer> {
  const image = sharp(bytes, { failOn: 'warning' });
  return image.raw().toBuffer();
}
