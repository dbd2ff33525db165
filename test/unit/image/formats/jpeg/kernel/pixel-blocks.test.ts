import { beforeAll, describe, expect, it } from 'vitest';
import { zigzag } from '../../../../../../src/image/formats/jpeg/quantization-tables.ts';
import { compiledKernel } from '../../../../../support/kernels.ts';
import { Random } from '../../../../../support/random.ts';
import { basis, transformed } from './dct.ts';

interface Kernel {
  readonly memory: WebAssembly.Memory;
  beginMemory(): void;
  room(): number;
  setFrame(frame: number, width: number, height: number, count: number): void;
  setSampling(frame: number, c: number, horizontal: number, vertical: number): void;
  beginFrame(frame: number): void;
  allocateRows(frame: number): number;
  blockRow(frame: number, c: number, y: number): number;
  beginPixelBlocks(): number;
  pixelRow(y: number): number;
  takePixelRows(count: number): void;
  quantizationTable(frame: number, c: number): number;
  allocateRequantizer(): number;
  beginRequantizer(): void;
  takeSourceRow(c: number, y: number): number;
}

const source = 0;
const coded = 1;

let module: WebAssembly.Module;

beforeAll(async () => {
  module = await compiledKernel('jpeg', [
    '../../../wasm/assembly/memory.ts',
    'frame.ts',
    'frame.ts',
    'pixel-blocks.ts',
    'requantizer.ts',
  ]);
});

describe('coefficients of pixels', () => {
  it.each([
    [3, 32, 8],
    [3, 13, 5],
    [3, 1, 1],
    [1, 21, 8],
    [1, 8, 3],
  ])(
    'are those of T.81 and T.871, its edges repeated: %s, %s × %s',
    (components, width, height) => {
      const pixels = noise(width, height);
      const found = coefficients(components, width, height, pixels);
      const across = Math.ceil(width / 8);
      for (let c = 0; c < components; c += 1) {
        for (let x = 0; x < across; x += 1) {
          const expected = transformed((column, row) => {
            const px = Math.min(width - 1, 8 * x + column);
            const at = 4 * (Math.min(height - 1, row) * width + px);
            return sample(components === 1, c, pixels.subarray(at, at + 3));
          });
          const block = found[c]?.subarray(64 * x, 64 * x + 64) ?? [];
          for (const [k, value] of block.entries()) {
            // half a unit, and what f32 leaves of it
            expect(Math.abs(value - 8 * (expected[k] ?? 0)), `${c} ${x} ${k}`).toBeLessThan(0.51);
          }
        }
      }
    },
  );

  it('reach the ends of their range without turning round', () => {
    for (const [level, dc] of [
      [0, -8192],
      [255, 8128],
    ] as const) {
      const [luma, cb, cr] = coefficients(3, 8, 8, new Uint8Array(256).fill(level));
      expect(luma?.[0]).toBe(dc);
      for (const block of [luma?.subarray(1), cb, cr])
        expect(block?.every((v) => v === 0)).toBe(true);
    }
    for (const k of zigzag.keys()) {
      const pixels = extremesFor(k);
      const wanted = transformed((x, y) => (pixels[4 * (8 * y + x)] ?? 0) - 128)[k] ?? 0;
      expect(coefficients(1, 8, 8, pixels)[0]?.[k], `${k}`).toBe(Math.round(8 * wanted));
      expect(wanted).toBeGreaterThan(800);
    }
  });

  it('have no chroma where all colours are the same', () => {
    const pixels = noise(40, 8).map((_, i, all) => all[i & ~3] ?? 0);
    const [, cb, cr] = coefficients(3, 40, 8, pixels);
    expect(cb?.every((value) => value === 0)).toBe(true);
    expect(cr?.every((value) => value === 0)).toBe(true);
  });

  it('are counted in eighths until they are quantized, even with the finest steps', () => {
    const kernel = begin(1, 16, 8, 4);
    kernel.setFrame(coded, 16, 8, 1);
    kernel.setSampling(coded, 0, 1, 1);
    kernel.beginFrame(coded);
    for (const frame of [source, coded]) {
      const at = kernel.quantizationTable(frame, 0);
      new Uint16Array(kernel.memory.buffer, at, 64).fill(1);
      expect(kernel.allocateRows(frame)).toBe(1);
    }
    expect(kernel.beginPixelBlocks()).toBe(1);
    expect(kernel.allocateRequantizer()).toBe(1);
    kernel.beginRequantizer();
    write(kernel, 16, 8, noise(16, 8));
    expect(kernel.takeSourceRow(0, 0)).toBe(1);
    const [eighths, whole] = [source, coded].map((frame) => {
      return new Int16Array(kernel.memory.buffer, kernel.blockRow(frame, 0, 0), 128);
    });
    for (const [i, value] of (whole ?? []).entries()) {
      expect(Math.abs(value - (eighths?.[i] ?? 0) / 8)).toBeLessThan(2);
    }
  });

  it('are not begun where there is no room for rows of pixels', () => {
    const wide = begin(3, 3400, 8, 4);
    expect(wide.allocateRows(source)).toBe(1);
    expect(wide.room()).toBeLessThan(8 * 4 * 3400);
    expect(wide.beginPixelBlocks()).toBe(0);
  });
});

function begin(components: number, width: number, height: number, pages: number): Kernel {
  const memory = new WebAssembly.Memory({ initial: pages });
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  const kernel = { ...(exports as unknown as Omit<Kernel, 'memory'>), memory };
  kernel.beginMemory();
  kernel.setFrame(source, width, height, components);
  for (let c = 0; c < components; c += 1) kernel.setSampling(source, c, 1, 1);
  kernel.beginFrame(source);
  return kernel;
}

/** Of each component of a picture of at most 8 rows, in eighths. */
function coefficients(components: number, width: number, height: number, pixels: Uint8Array) {
  const kernel = begin(components, width, height, 4);
  expect(kernel.allocateRows(source) && kernel.beginPixelBlocks()).toBe(1);
  write(kernel, width, height, pixels);
  const across = Math.ceil(width / 8);
  return Array.from({ length: components }, (_, c) => {
    return new Int16Array(kernel.memory.buffer, kernel.blockRow(source, c, 0), 64 * across);
  });
}

function write(kernel: Kernel, width: number, height: number, pixels: Uint8Array): void {
  const bytes = new Uint8Array(kernel.memory.buffer);
  for (let y = 0; y < height; y += 1) {
    bytes.set(pixels.subarray(4 * width * y, 4 * width * (y + 1)), kernel.pixelRow(y));
  }
  kernel.takePixelRows(height);
}

/** RGBA; alpha is noise as well, of which nothing may be seen. */
function noise(width: number, height: number): Uint8Array {
  const random = new Random(width);
  return Uint8Array.from({ length: 4 * width * height }, () => random.word() & 255);
}

/** Black and white so that one coefficient gets as large as can be. */
function extremesFor(k: number): Uint8Array {
  const position = zigzag[k] ?? 0;
  const pixels = new Uint8Array(256);
  for (let i = 0; i < 64; i += 1) {
    const wave = basis(position & 7, i & 7) * basis(position >> 3, i >> 3);
    pixels.fill(wave > 0 ? 255 : 0, 4 * i, 4 * i + 4);
  }
  return pixels;
}

/** T.871 §7, level-shifted. */
function sample(isGrey: boolean, c: number, [r = 0, g = 0, b = 0]: Uint8Array): number {
  if (isGrey) return r - 128;
  if (c === 0) return 0.299 * r + 0.587 * g + 0.114 * b - 128;
  if (c === 1) return (-0.299 / 1.772) * r - (0.587 / 1.772) * g + 0.5 * b;
  return 0.5 * r - (0.587 / 1.402) * g - (0.114 / 1.402) * b;
}
