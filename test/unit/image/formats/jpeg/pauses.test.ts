import sharp from 'sharp';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { encodeJpegRows } from '../../../../../src/image/formats/jpeg/encode.ts';
import type { JpegKernel } from '../../../../../src/image/formats/jpeg/kernel.ts';
import { jpegDrainingBytes } from '../../../../../src/image/formats/jpeg/memory.ts';
import { noMetadata } from '../../../../../src/image/metadata/metadata.ts';
import { pacedRows, rowsOf } from '../../../../../src/image/pixels/row-source.ts';
import { Arena, arena } from '../../../../../src/image/wasm/arena.ts';
import { Random } from '../../../../support/random.ts';
import { rasterOf } from '../../../../support/rows.ts';
import { type Change, recoding, withoutRoomForTokens } from './recoding.ts';

/** Side in pixels, and number of blocks in a row, of which there are as many. */
const side = 2048;
const across = side / 8;

/** Blocks that are read or coded within 50 ms, however many coefficients they have. */
const maxBlocks = 50_000;

async function greyJpeg(progressive: boolean): Promise<Uint8Array> {
  const flat = sharp({ create: { width: side, height: side, channels: 3, background: '#888' } });
  const grey = flat.toColourspace('b-w');
  return new Uint8Array(await grey.jpeg({ quality: 90, progressive }).toBuffer());
}

type KernelFunction = keyof JpegKernel;

/** The most rows of blocks between two pauses for which each function is called. */
async function mostRows(
  progressive: boolean,
  names: readonly KernelFunction[],
  change: Change = (kernel) => kernel,
): Promise<Partial<Record<KernelFunction, number>>> {
  const file = await greyJpeg(progressive);
  arena.reserve(48 * 2 ** 20);
  const rows: Partial<Record<KernelFunction, number>> = {};
  const most: Partial<Record<KernelFunction, number>> = {};
  const counting: Change = (kernel) => {
    const counted = names.map((name) => {
      const call = kernel[name] as (...values: number[]) => number;
      const counts = (...values: number[]) => {
        rows[name] = (rows[name] ?? 0) + 1;
        most[name] = Math.max(most[name] ?? 0, rows[name]);
        return call(...values);
      };
      return [name, counts];
    });
    return Object.assign(Object.create(kernel), Object.fromEntries(counted));
  };
  const work = recoding(file, 60, (kernel) => change(counting(kernel)));
  while (!work.next().done) for (const name of names) rows[name] = 0;
  return most;
}

describe('between two pauses', () => {
  it.each<[string, boolean, readonly KernelFunction[]]>([
    ['sequential', false, ['readMcuRow', 'takeSourceRow', 'keepRow', 'codeScanRow']],
    ['progressive', true, ['readProgressiveRow', 'loadRow', 'takeSourceRow', 'codeScanRow']],
  ])(
    'only some rows of a %s picture are read, quantized and coded',
    async (_, progressive, names) => {
      const most = await mostRows(progressive, names);
      for (const name of names) {
        expect(most[name], name).toBeGreaterThan(0);
        expect(across * (most[name] ?? 0), name).toBeLessThan(maxBlocks);
      }
    },
  );

  it('only some rows of a picture are streamed', async () => {
    const { codeMcuRow } = await mostRows(false, ['codeMcuRow'], withoutRoomForTokens);
    expect(codeMcuRow).toBeGreaterThan(0);
    expect(across * (codeMcuRow ?? 0)).toBeLessThan(maxBlocks);
  });
});

describe('a JPEG whose result is drained', () => {
  it('leaves no piece of it behind where it is ended', () => {
    const random = new Random(2);
    const noise = rasterOf(400, 400, () => random.word() & 255);
    const settings = { quality: 100, grey: false, lowMemory: true, drains: true };
    const begin = () => {
      const memory = new Arena(4);
      memory.reserve(jpegDrainingBytes(noise, settings));
      const appearance = { icc: null, metadata: noMetadata };
      const run = { memory, appearance, maxBytes: 2 ** 22, bufferBytes: 2 ** 22 };
      return encodeJpegRows(pacedRows(rowsOf(noise), 100), settings, run);
    };
    let pauses = 0;
    for (const whole = begin(); !whole.next().done; ) pauses += 1;
    const work = begin();
    for (let pause = 0; pause < pauses; pause += 1) work.next();
    const freed = vi.spyOn(ArrayBuffer.prototype, 'transfer');
    onTestFinished(() => freed.mockRestore());
    work.return([]);
    expect(freed).toHaveBeenCalled();
  });
});
