import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { PngKernelExports } from '../../../../../../src/image/formats/png/kernel-exports.ts';
import { compiledKernel } from '../../../../../support/kernels.ts';

type Pixel = readonly [number, number, number, number];

let module: WebAssembly.Module;
let stage: PngKernelExports;
let memory: WebAssembly.Memory;

beforeAll(async () => {
  module = await compiledKernel('png', [
    '../../../wasm/assembly/memory.ts',
    'reduction/color-list.ts',
    'reduction/row-packer.ts',
    'reduction/survey.ts',
  ]);
});

beforeEach(link);

function link(): void {
  memory = new WebAssembly.Memory({ initial: 16 });
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  stage = exports as unknown as PngKernelExports;
  stage.beginMemory();
  stage.beginColors();
}

/** Puts a row of pixels into memory. */
function put(pixels: readonly Pixel[], bits: 8 | 16 = 8): number {
  const samples = pixels.flat();
  const at = stage.allocate((samples.length * bits) / 8 + 16);
  const view = new DataView(memory.buffer, at);
  for (const [i, sample] of samples.entries()) {
    if (bits === 8) view.setUint8(i, sample);
    else view.setUint16(2 * i, sample, true);
  }
  return at;
}

function surveyed(pixels: readonly Pixel[], keepsHidden = true): number {
  const at = put(pixels);
  stage.surveyRow(at, pixels.length, keepsHidden);
  return at;
}

function bytes(at: number, length: number): number[] {
  return [...new Uint8Array(memory.buffer, at, length)];
}

/** A row packed in a layout: color type, bit depth, key. */
function packed(pixels: readonly Pixel[], layout: [number, number, number], length: number) {
  const from = put(pixels);
  const to = stage.allocate(length + 16);
  stage.beginRowPacker(pixels.length);
  stage.setRowLayout(...layout);
  stage.packRow(from, pixels.length, to);
  return bytes(to, length);
}

const grey = (value: number, alpha = 255): Pixel => [value, value, value, alpha];

describe('what pixels have in common', () => {
  it('is seen wherever in a row the one stands that differs', () => {
    for (const length of [1, 3, 4, 5, 16, 17]) {
      for (let place = 0; place < length; place += 1) {
        link();
        const row = Array.from({ length }, () => grey(7));
        surveyed(row.with(place, [7, 7, 8, 255]));
        expect([stage.allGrey(), stage.allOpaque()]).toEqual([0, 1]);
        surveyed(row.with(place, grey(7, 0)));
        expect([stage.allOpaque(), stage.allOpaqueOrHidden()]).toEqual([0, 1]);
        surveyed(row.with(place, grey(7, 254)));
        expect(stage.allOpaqueOrHidden()).toBe(0);
      }
    }
  });

  it.each([
    [[0, 255], 1],
    [[0, 85, 170], 2],
    [[17, 34], 4],
    [[0, 1], 8],
  ])('is the least depth that holds the greys %j', (values, depth) => {
    surveyed(values.map((value) => grey(value)));
    expect(stage.greyDepth()).toBe(depth);
  });

  it('is the number of colours, up to 256 of them', () => {
    const all = Array.from({ length: 256 }, (_, i): Pixel => [i, 255 - i, 3 * (i % 9), 255]);
    surveyed([...all, ...all]);
    expect(stage.colorCount()).toBe(256);
    expect(bytes(stage.colorsAt(), 8)).toEqual([0, 255, 0, 255, 1, 254, 3, 255]);
    surveyed([[1, 2, 3, 4]]);
    expect(stage.colorCount()).toBe(-1);
  });

  it('is a colour that is hidden everywhere', () => {
    surveyed([[1, 2, 3, 0], grey(9), [1, 2, 3, 0]]);
    expect(stage.sharedHiddenColor()).toBe(0x03_02_01);
    surveyed([[1, 2, 4, 0]]);
    expect(stage.sharedHiddenColor()).toBe(-1);
  });

  it('is a grey that no opaque pixel has', () => {
    const used = Array.from({ length: 255 }, (_, i) => grey(i < 200 ? i : i + 1));
    stage.takeUsedGreys(put([...used, grey(200, 0), [200, 200, 201, 255]]), 257);
    expect(stage.unusedGrey()).toBe(200);
    stage.takeUsedGreys(put([grey(200)]), 1);
    expect(stage.unusedGrey()).toBe(-1);
  });

  it('is the same where hidden colours are cleared, unless they are kept', () => {
    const row = Array.from({ length: 9 }, (_, i): Pixel => [i, 1, 2, i % 2 === 0 ? 0 : 255]);
    expect(bytes(surveyed(row), 36)).toEqual(row.flat());
    const cleared = row.flatMap((pixel) => (pixel[3] === 0 ? grey(0, 0) : pixel));
    expect(bytes(surveyed(row, false), 36)).toEqual(cleared);
  });
});

describe('samples of 16 bits', () => {
  const surveyedDeep = (pixels: readonly Pixel[]) => {
    const at = put(pixels, 16);
    const rgba = stage.allocate(4 * pixels.length);
    stage.surveyDeepRow(at, pixels.length, true, rgba);
    return rgba;
  };

  it('are 8 bits where both bytes of all are the same', () => {
    const rgba = surveyedDeep([[0x1212, 0xffff, 0, 0xffff]]);
    expect(stage.allShallow()).toBe(1);
    expect(bytes(rgba, 4)).toEqual([0x12, 0xff, 0, 0xff]);
    expect(stage.colorCount()).toBe(1);
    surveyedDeep([[0x1212, 0xffff, 0x0100, 0xffff]]);
    expect(stage.allShallow()).toBe(0);
  });

  it('are grey or opaque where all are', () => {
    surveyedDeep([[300, 300, 300, 0xffff]]);
    expect([stage.allDeepGrey(), stage.allDeepOpaque()]).toEqual([1, 1]);
    surveyedDeep([[300, 300, 301, 0xfffe]]);
    expect([stage.allDeepGrey(), stage.allDeepOpaque()]).toEqual([0, 0]);
  });

  it.each([
    [0, [1, 44]],
    [4, [1, 44, 3, 232]],
    [2, [1, 44, 2, 0, 255, 255]],
    [6, [1, 44, 2, 0, 255, 255, 3, 232]],
  ])('are written high byte first in type %i', (colorType, expected) => {
    const from = put([[300, 512, 0xffff, 1000]], 16);
    const to = stage.allocate(16);
    stage.packDeep(from, 1, colorType, to);
    expect(bytes(to, expected.length)).toEqual(expected);
  });
});

describe('a packed row', () => {
  it.each([
    [1, [0b10110100, 0b10000000], [255, 0, 255, 255, 0, 255, 0, 0, 255]],
    [2, [0b11000110, 0b11000000], [255, 0, 85, 170, 255]],
    [4, [0xf0, 0x12, 0x30], [255, 0, 17, 34, 51]],
    [8, [255, 0, 1], [255, 0, 1]],
  ])('holds greys of %i bits from the highest bit down', (depth, expected, values) => {
    const row = values.map((value) => grey(value));
    expect(packed(row, [0, depth, -1], expected.length)).toEqual(expected);
  });

  it('holds the samples of its colour type', () => {
    const row: Pixel[] = [
      [1, 2, 3, 4],
      [5, 6, 7, 8],
    ];
    expect(packed(row, [2, 8, -1], 6)).toEqual([1, 2, 3, 5, 6, 7]);
    expect(packed(row, [6, 8, -1], 8)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(packed([grey(9, 3), grey(8, 2)], [4, 8, -1], 4)).toEqual([9, 3, 8, 2]);
  });

  it('holds a key where pixels are hidden', () => {
    const row: Pixel[] = [
      [1, 2, 3, 0],
      [5, 6, 7, 255],
    ];
    expect(packed(row, [2, 8, 0x0c0b0a], 6)).toEqual([10, 11, 12, 5, 6, 7]);
    expect(packed([grey(9, 0), grey(8)], [0, 8, 0x0a0a0a], 2)).toEqual([10, 8]);
  });

  it('holds what its colours are written as', () => {
    const colors = Array.from({ length: 200 }, (_, i): Pixel => [i, (i * 37) % 256, 40, 255]);
    const row = Array.from({ length: 999 }, (_, x) => (x * x) % 200);
    surveyed(colors);
    const order = colors.map((_, i) => (i * 7) % 200);
    new Uint8Array(memory.buffer).set(order, stage.colorIndicesAt());
    const pixels = row.map((i) => colors[i] ?? grey(0));
    expect(packed(pixels, [3, 8, -1], 999)).toEqual(row.map((i) => order[i]));
  });

  it('holds indices in their order', () => {
    const indices = stage.allocate(5);
    new Uint8Array(memory.buffer).set([0, 1, 2, 3, 0], indices);
    new Uint8Array(memory.buffer).set([3, 2, 1, 0], stage.indexOrderAt());
    stage.beginRowPacker(5);
    stage.setRowLayout(3, 2, -1);
    const to = stage.allocate(2);
    stage.packIndices(indices, 5, to);
    expect(bytes(to, 2)).toEqual([0b11100100, 0b11000000]);
  });
});
