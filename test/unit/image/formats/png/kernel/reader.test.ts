import { deflateSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { compiledKernel } from '../../../../../support/kernels.ts';
import {
  channelCounts,
  filteredRows,
  layouts,
  type Picture,
  randomNumbers,
} from '../png-writer.ts';
import { bytesAt, linked, status } from './inflating.ts';

interface Kernel {
  beginMemory(): void;
  allocate(bytes: number): number;
  setPicture(
    width: number,
    height: number,
    colorType: number,
    bitDepth: number,
    isInterlaced: number,
  ): void;
  setKey(red: number, green: number, blue: number): void;
  allocateReader(): number;
  startReading(): number;
  readRow(): number;
  sourceRow(): number;
  endReading(): number;
  expandDeepRow(to: number): void;
}

let module: WebAssembly.Module;

beforeAll(async () => {
  module = await compiledKernel('png', [
    '../../../wasm/assembly/memory.ts',
    'reader/expand.ts',
    'reader/rows.ts',
    'reader/expand.ts',
    'reader/rows.ts',
  ]);
});

function begun(picture: Picture, stream: Uint8Array = deflateSync(filteredRows(picture))) {
  const kernel = linked<Kernel>(module, stream, 999);
  const { width, height, colorType, bitDepth, interlaced } = picture;
  kernel.setPicture(width, height, colorType, bitDepth, interlaced ? 1 : 0);
  expect(kernel.allocateReader()).toBe(1);
  return kernel;
}

function noise(width: number, height: number, [colorType, bitDepth]: (typeof layouts)[number]) {
  const random = randomNumbers(width * 1000 + height * 10 + bitDepth);
  const values = Array.from({ length: width * height * 4 }, () => random(2 ** bitDepth));
  const sample = (x: number, y: number, channel: number) =>
    values[(y * width + x) * 4 + channel] ?? 0;
  return { width, height, colorType, bitDepth, sample };
}

/** The packed samples of a row, padded with zeros (PNG third edition §7.2). */
function packed({ width, colorType, bitDepth, sample }: Picture, y: number): Buffer {
  const bits = Array.from({ length: width * channelCounts[colorType] }, (_, i) => {
    const x = Math.floor(i / channelCounts[colorType]);
    const value = sample(x, y, i % channelCounts[colorType]);
    return value.toString(2).padStart(bitDepth, '0');
  }).join('');
  return Buffer.from((bits.match(/.{1,8}/g) ?? []).map((b) => parseInt(b.padEnd(8, '0'), 2)));
}

const sides = Array.from({ length: 9 }, (_, i) => i + 1);

describe.each([false, true])('rows of a picture, interlaced: %s', (interlaced) => {
  it.each(layouts)(
    'come from the top, in every size up to 9 × 9 and as often as wanted: type %i, %i bits',
    { tags: 'slow' },
    (...layout) => {
      for (const width of [...sides, 33]) {
        for (const height of sides) {
          const picture = { ...noise(width, height, layout), interlaced };
          const kernel = begun(picture);
          for (let run = 0; run < 2; run += 1) {
            expect(kernel.startReading()).toBe(status.sound);
            for (let y = 0; y < height; y += 1) {
              expect(kernel.readRow()).toBe(status.sound);
              const wanted = packed(picture, y);
              expect(
                bytesAt(kernel, kernel.sourceRow(), wanted.length),
                `row ${y} of ${width} × ${height}`,
              ).toEqual(wanted);
            }
            expect(kernel.endReading()).toBe(status.sound);
          }
        }
      }
    },
  );

  it('can be begun anew in the middle', () => {
    const picture = { ...noise(40, 30, [6, 8]), interlaced };
    const kernel = begun(picture);
    for (const rows of [0, 1, 9, 29, 30]) {
      expect(kernel.startReading()).toBe(status.sound);
      for (let y = 0; y < rows; y += 1) kernel.readRow();
      if (rows > 0) {
        expect(bytesAt(kernel, kernel.sourceRow(), 160)).toEqual(packed(picture, rows - 1));
      }
    }
    expect(kernel.endReading()).toBe(status.sound);
  });

  it('are damaged where their stream is too short, too long, or has an unknown filter', () => {
    const picture = { ...noise(20, 20, [2, 8]), interlaced };
    const rows = filteredRows(picture);
    const outcome = (bytes: Buffer) => {
      const kernel = begun(picture, deflateSync(bytes));
      const statuses = [kernel.startReading()];
      for (let y = 0; y < 20; y += 1) statuses.push(kernel.readRow());
      statuses.push(kernel.endReading());
      return statuses.find((each) => each !== status.sound);
    };
    const unknown = Buffer.from(rows);
    unknown.writeUInt8(5, 0);
    expect(outcome(rows)).toBe(undefined);
    expect(outcome(unknown)).toBe(status.badFilter);
    expect(outcome(Buffer.concat([rows, Buffer.of(0)]))).toBe(status.surplus);
    for (const length of [0, 1, 100, rows.length / 2, rows.length - 1]) {
      expect(outcome(rows.subarray(0, length))).toBe(status.missing);
    }
  });
});

describe('rows of 16-bit samples', () => {
  const opaque = 65_535;

  it.each([
    [0, (a: number) => [a, a, a, opaque]],
    [2, (a: number, b: number, c: number) => [a, b, c, opaque]],
    [4, (a: number, b: number) => [a, a, a, b]],
    [6, (a: number, b: number, c: number, d: number) => [a, b, c, d]],
  ] as const)('become RGBA of 16 bits: color type %i', (colorType, pixel) => {
    for (const width of [1, 2, 3, 8, 15]) {
      const picture = noise(width, 2, [colorType, 16]);
      const kernel = begun(picture);
      const to = kernel.allocate(8 * (width + 1));
      kernel.startReading();
      for (let y = 0; y < 2; y += 1) {
        kernel.readRow();
        kernel.expandDeepRow(to);
        const wanted = Array.from({ length: width }, (_, x) => {
          const [a = 0, b = 0, c = 0, d = 0] = [0, 1, 2, 3].map((i) => picture.sample(x, y, i));
          return pixel(a, b, c, d);
        }).flat();
        expect([...new Uint16Array(kernel.memory.buffer, to, 4 * width)]).toEqual(wanted);
      }
    }
  });

  it.each([0, 2] as const)('have one colour that is transparent: color type %i', (colorType) => {
    const picture: Picture = {
      ...{ width: 4, height: 1, colorType, bitDepth: 16 },
      sample: (x, _, channel) => 0x0102 + (x === channel + 1 ? 1 : 0),
    };
    const kernel = begun(picture);
    kernel.setKey(0x0102, 0x0102, 0x0102);
    const to = kernel.allocate(8 * 5);
    kernel.startReading();
    kernel.readRow();
    kernel.expandDeepRow(to);
    const alphas = [...new Uint16Array(kernel.memory.buffer, to, 16)].filter((_, i) => i % 4 === 3);
    expect(alphas).toEqual(colorType === 0 ? [0, opaque, 0, 0] : [0, opaque, opaque, opaque]);
  });
});
