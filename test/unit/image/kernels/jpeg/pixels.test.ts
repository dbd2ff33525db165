import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { compiledKernel } from '../../../../support/compiled-kernel.ts';

interface Component {
  readonly horizontal: number;
  readonly vertical: number;
  /** 64 in zigzag order. */
  readonly steps: number[];
  /** Those that pad the picture included, 64 coefficients each in zigzag order. */
  readonly blocks: Int16Array;
  readonly blocksAcross: number;
  readonly blocksDown: number;
}

interface Coefficients {
  readonly width: number;
  readonly height: number;
  readonly components: readonly Component[];
}

interface Kernel {
  readonly memory: WebAssembly.Memory;
  beginMemory(): void;
  setFrame(frame: number, width: number, height: number, count: number): void;
  setSampling(frame: number, c: number, horizontal: number, vertical: number): void;
  beginFrame(frame: number): void;
  quantizationTable(frame: number, c: number): number;
  allocateRows(frame: number): number;
  blockRow(frame: number, c: number, y: number): number;
  beginPixels(halvings: number, kind: number): number;
  takeMcuRow(m: number): void;
  nextPixelRow(): number;
}

type Sampling = readonly (readonly [horizontal: number, vertical: number])[];

const source = 0;
const kinds = { grey: 0, ycc: 1, rgb: 2 } as const;
type Kind = keyof typeof kinds;

const sizes = [
  [1, 1],
  [2, 2],
  [3, 5],
  [5, 3],
  [17, 1],
  [1, 17],
  [16, 16],
  [15, 33],
  [37, 18],
  [97, 61],
  [250, 17],
] as const;

const grey: Sampling = [[1, 1]];
const full: Sampling = [
  [1, 1],
  [1, 1],
  [1, 1],
];
const halved: Sampling = [
  [2, 2],
  [1, 1],
  [1, 1],
];

let module: WebAssembly.Module;

beforeAll(async () => {
  module = await compiledKernel('jpeg', [
    'frame.ts',
    '../../shared/assembly/memory.ts',
    'pixel-rows.ts',
    'rows.ts',
  ]);
});

describe('at full size', () => {
  it.each<[string, Kind, Sampling]>([
    ['grey', 'grey', grey],
    ['4:4:4', 'ycc', full],
    ['4:2:2', 'ycc', [[2, 1], ...full.slice(1)]],
    ['4:4:0', 'ycc', [[1, 2], ...full.slice(1)]],
    ['4:2:0', 'ycc', halved],
    ['4:1:1', 'ycc', [[4, 1], ...full.slice(1)]],
    ['4:1:0', 'ycc', [[4, 2], ...full.slice(1)]],
    ['RGB', 'rgb', full],
    ['RGB of which green has the most samples', 'rgb', [full[0], [2, 2], full[2]] as Sampling],
  ])('gives the pixels of libjpeg: %s', async (_name, kind, sampling) => {
    for (const [width, height] of sizes) {
      const picture = coefficients(width, height, sampling);
      const expected = await sharp(jpegOf(picture, kind))
        .toColourspace('srgb')
        .ensureAlpha()
        .raw()
        .toBuffer();
      expect(rgba(picture, 0, kind).equals(expected), `${width} × ${height}`).toBe(true);
    }
  });

  it('takes the nearest sample where pixels are no multiple of samples', () => {
    const [height, width] = [9, 100];
    const picture = coefficients(width, height, [
      [3, 1],
      [2, 1],
      [2, 1],
    ]);
    const pixels = rgba(picture, 0, 'rgb');
    const across = Math.ceil((width * 2) / 3);
    const samples = rgba(alone(picture, 1, across, height), 0, 'grey');
    for (let y = 0; y < height; y += 1) {
      for (let x = 0; x < width; x += 1) {
        const nearest = Math.floor(((x + 0.5) * 2) / 3);
        expect(pixels[4 * (y * width + x) + 1]).toBe(samples[4 * (y * across + nearest)]);
      }
    }
  });

  it.each([
    [1023, 255],
    [-1023, 0],
  ])('clamps a block of only %i to %i', (level, expected) => {
    const picture = coefficients(8, 8, grey);
    picture.components[0]?.blocks.fill(0).fill(level, 0, 1);
    picture.components[0]?.steps.fill(16, 0, 1);
    expect([...rgba(picture, 0, 'grey')]).toEqual(
      Array.from({ length: 64 }, () => [expected, expected, expected, 255]).flat(),
    );
  });

  it('gives each row as soon as all that it depends on is there', () => {
    const picture = coefficients(20, 40, halved);
    expect(rowsPerMcuRow(picture, 0, 'ycc')).toEqual([15, 16, 9]);
    expect(rowsPerMcuRow(picture, 1, 'ycc')).toEqual([8, 8, 4]);
    expect(rowsPerMcuRow(picture, 0, 'grey')).toEqual([16, 16, 8]);
  });
});

describe('reduced', () => {
  it.each([1, 2, 3])(
    'each pixel is the mean of those it stands for, halved %i times',
    (halvings) => {
      const picture = coefficients(104, 64, grey, 0.3);
      const side = 1 << halvings;
      const whole = rgba(picture, 0, 'grey');
      const reduced = rgba(picture, halvings, 'grey');
      for (let y = 0; y < 64 / side; y += 1) {
        for (let x = 0; x < 104 / side; x += 1) {
          let sum = 0;
          for (let v = 0; v < side; v += 1) {
            for (let u = 0; u < side; u += 1) {
              sum += whole[4 * ((y * side + v) * 104 + x * side + u)] ?? Number.NaN;
            }
          }
          const difference = (reduced[4 * ((y * 104) / side + x)] ?? Number.NaN) - sum / side ** 2;
          expect(Math.abs(difference)).toBeLessThan(1);
        }
      }
    },
  );

  it('takes halved components as they are at half the size', () => {
    const [width, height] = [53, 39];
    const picture = coefficients(width, height, halved);
    const pixels = rgba(picture, 1, 'rgb');
    const [across, down] = [Math.ceil(width / 2), Math.ceil(height / 2)];
    for (const c of [1, 2]) {
      const samples = rgba(alone(picture, c, across, down), 0, 'grey');
      expect(channel(pixels, c)).toEqual(channel(samples, 0));
    }
  });

  it.each([1, 2, 3])('has its size rounded up, halved %i times', (halvings) => {
    for (const [width, height] of sizes) {
      const [across, down] = [width, height].map((side) => Math.ceil(side / 2 ** halvings));
      const pixels = rgba(coefficients(width, height, halved), halvings, 'ycc');
      expect(pixels.length).toBe(4 * (across ?? 0) * (down ?? 0));
    }
  });
});

describe('what cannot be', () => {
  it('is fewer components than colors', () => {
    expect(begun(coefficients(8, 8, grey)).beginPixels(0, kinds.ycc)).toBe(0);
  });

  it('is a picture wider than there is room', () => {
    expect(begun(coefficients(60000, 8, grey), 256).beginPixels(0, kinds.grey)).toBe(1);
    expect(begun(coefficients(60000, 8, grey), 18).beginPixels(0, kinds.grey)).toBe(0);
  });
});

function begun(picture: Coefficients, pages = 64): Kernel {
  const memory = new WebAssembly.Memory({ initial: pages });
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  const kernel: Kernel = { ...(exports as unknown as Kernel), memory };
  kernel.beginMemory();
  kernel.setFrame(source, picture.width, picture.height, picture.components.length);
  for (const [c, { horizontal, vertical }] of picture.components.entries()) {
    kernel.setSampling(source, c, horizontal, vertical);
  }
  kernel.beginFrame(source);
  for (const [c, { steps }] of picture.components.entries()) {
    new Uint16Array(memory.buffer, kernel.quantizationTable(source, c), 64).set(steps);
  }
  expect(kernel.allocateRows(source)).toBe(1);
  return kernel;
}

/** The rows of pixels that come after each row of MCUs. */
function rowsOf(picture: Coefficients, halvings: number, kind: Kind): Buffer[][] {
  const kernel = begun(picture);
  expect(kernel.beginPixels(halvings, kinds[kind])).toBe(1);
  const bytes = 4 * Math.ceil(picture.width / 2 ** halvings);
  return Array.from({ length: mcusDown(picture) }, (_, m) => {
    for (const [c, component] of picture.components.entries()) {
      const { blocks, blocksAcross, vertical } = component;
      const length = 64 * blocksAcross * vertical;
      const rows = new Int16Array(kernel.memory.buffer, kernel.blockRow(source, c, 0), length);
      rows.set(blocks.subarray(m * length, (m + 1) * length));
    }
    kernel.takeMcuRow(m);
    const rows: Buffer[] = [];
    for (let at = kernel.nextPixelRow(); at !== 0; at = kernel.nextPixelRow()) {
      rows.push(Buffer.from(new Uint8Array(kernel.memory.buffer, at, bytes)));
    }
    return rows;
  });
}

function rowsPerMcuRow(picture: Coefficients, halvings: number, kind: Kind): number[] {
  return rowsOf(picture, halvings, kind).map((rows) => rows.length);
}

function rgba(picture: Coefficients, halvings: number, kind: Kind): Buffer {
  return Buffer.concat(rowsOf(picture, halvings, kind).flat());
}

function channel(pixels: Buffer, c: number): number[] {
  return [...pixels].filter((_, i) => i % 4 === c);
}

function mcusDown({ components: [first] }: Coefficients): number {
  return first ? first.blocksDown / first.vertical : 0;
}

/** Made-up coefficients: blocks of none, few and many, in which high frequencies are weak. */
function coefficients(
  width: number,
  height: number,
  sampling: Sampling,
  strength = 1,
): Coefficients {
  const next = randomNumbers(width * 1000 + height);
  const across = 8 * Math.max(...sampling.map(([horizontal]) => horizontal));
  const down = 8 * Math.max(...sampling.map(([, vertical]) => vertical));
  const components = sampling.map(([horizontal, vertical]) => {
    const blocksAcross = Math.ceil(width / across) * horizontal;
    const blocksDown = Math.ceil(height / down) * vertical;
    const steps = Array.from({ length: 64 }, (_, k) => 1 + Math.floor(next() * (2 + k / 2)));
    const blocks = new Int16Array(64 * blocksAcross * blocksDown);
    for (let at = 0; at < blocks.length; at += 64) {
      const end = [1, 6, 15, 64][Math.floor(next() * 4)] ?? 64;
      const share = next();
      for (let k = 0; k < end; k += 1) {
        const range = k === 0 ? 1400 : next() < share ? 600 / (1 + k) : 0;
        blocks[at + k] = Math.round(((next() - 0.5) * range * strength) / (steps[k] ?? 1));
      }
    }
    return { horizontal, vertical, steps, blocks, blocksAcross, blocksDown };
  });
  return { width, height, components };
}

/** A component as a picture of its own, of the given number of samples. */
function alone(picture: Coefficients, c: number, width: number, height: number): Coefficients {
  const component = picture.components[c];
  if (!component) throw new Error(`There is no component ${c}.`);
  const blocksAcross = Math.ceil(width / 8);
  const blocksDown = Math.ceil(height / 8);
  const blocks = new Int16Array(64 * blocksAcross * blocksDown);
  for (let y = 0; y < blocksDown; y += 1) {
    const from = 64 * y * component.blocksAcross;
    blocks.set(component.blocks.subarray(from, from + 64 * blocksAcross), 64 * y * blocksAcross);
  }
  const { steps } = component;
  const components = [{ horizontal: 1, vertical: 1, steps, blocks, blocksAcross, blocksDown }];
  return { width, height, components };
}

/** Numerical Recipes' linear congruential generator, from 0 up to 1. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** DC codes of 4 bits for sizes up to 11, and AC codes of 8 bits: the place of the symbol in the list. */
const dcSymbols = Array.from({ length: 12 }, (_, size) => size);
const acSymbols = [
  0x00,
  0xf0,
  ...Array.from({ length: 160 }, (_, i) => (Math.floor(i / 10) << 4) | ((i % 10) + 1)),
];

/** A baseline file of one scan (T.81 annex B), all codes of a kind being equally long. */
function jpegOf({ width, height, components }: Coefficients, kind: Kind): Buffer {
  const adobeWithoutTransform = [...Buffer.from('Adobe'), 0, 100, 0, 0, 0, 0, 0];
  const frame = components.flatMap(({ horizontal, vertical }, c) => [
    c,
    (horizontal << 4) | vertical,
    c,
  ]);
  return Buffer.concat([
    Buffer.of(0xff, 0xd8),
    kind === 'rgb' ? segment(0xee, adobeWithoutTransform) : Buffer.of(),
    ...components.map(({ steps }, c) => segment(0xdb, [c, ...steps])),
    segment(0xc0, [8, ...twoBytes(height), ...twoBytes(width), components.length, ...frame]),
    segment(0xc4, [0x00, ...codeCounts(4, dcSymbols.length), ...dcSymbols]),
    segment(0xc4, [0x10, ...codeCounts(8, acSymbols.length), ...acSymbols]),
    segment(0xda, [components.length, ...components.flatMap((_, c) => [c, 0]), 0, 63, 0]),
    entropyCoded(components),
    Buffer.of(0xff, 0xd9),
  ]);
}

function segment(marker: number, content: readonly number[]): Buffer {
  return Buffer.of(0xff, marker, ...twoBytes(content.length + 2), ...content);
}

function twoBytes(value: number): number[] {
  return [value >> 8, value & 255];
}

function codeCounts(bits: number, count: number): number[] {
  return Array.from({ length: 16 }, (_, i) => (i + 1 === bits ? count : 0));
}

function entropyCoded(components: readonly Component[]): Buffer {
  const bits: string[] = [];
  const predictions = components.map(() => 0);
  const [first] = components;
  const mcusAcross = first ? first.blocksAcross / first.horizontal : 0;
  const mcus = first ? (mcusAcross * first.blocksDown) / first.vertical : 0;
  for (let mcu = 0; mcu < mcus; mcu += 1) {
    for (const [c, { horizontal, vertical, blocks, blocksAcross }] of components.entries()) {
      for (let i = 0; i < horizontal * vertical; i += 1) {
        const x = (mcu % mcusAcross) * horizontal + (i % horizontal);
        const y = Math.floor(mcu / mcusAcross) * vertical + Math.floor(i / horizontal);
        const at = 64 * (y * blocksAcross + x);
        const block = [...blocks.subarray(at, at + 64)];
        bits.push(codedBlock(block, predictions[c] ?? 0));
        predictions[c] = block[0] ?? 0;
      }
    }
  }
  const padded = bits.join('').replace(/(.{8})/g, '$1 ');
  const bytes = padded.split(' ').filter((byte) => byte !== '');
  return Buffer.from(
    bytes.flatMap((byte) => {
      const value = Number.parseInt(byte.padEnd(8, '1'), 2);
      return value === 0xff ? [0xff, 0] : [value];
    }),
  );
}

/** T.81 §F.1.2 */
function codedBlock([dc = 0, ...ac]: readonly number[], prediction: number): string {
  const difference = dc - prediction;
  let bits = inBits(sizeOf(difference), 4) + amplitude(difference);
  let run = 0;
  for (const value of ac) {
    if (value === 0) {
      run += 1;
      continue;
    }
    for (; run > 15; run -= 16) bits += inBits(acSymbols.indexOf(0xf0), 8);
    bits += inBits(acSymbols.indexOf((run << 4) | sizeOf(value)), 8) + amplitude(value);
    run = 0;
  }
  return run > 0 ? bits + inBits(acSymbols.indexOf(0), 8) : bits;
}

function sizeOf(value: number): number {
  return 32 - Math.clz32(Math.abs(value));
}

function amplitude(value: number): string {
  const size = sizeOf(value);
  if (size === 0) return '';
  return inBits(value < 0 ? value + 2 ** size - 1 : value, size);
}

function inBits(value: number, size: number): string {
  return value.toString(2).padStart(size, '0');
}
