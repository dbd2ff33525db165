import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import type { Halvings } from '../../../../../src/image/formats/coding.ts';
import { halved } from '../../../../../src/image/formats/jpeg/decode.ts';
import { jpegReadingBytes } from '../../../../../src/image/formats/jpeg/memory.ts';
import { arena } from '../../../../../src/image/wasm/arena.ts';
import type { Factors } from '../../../../support/jpeg-maker/content.ts';
import { Random } from '../../../../support/random.ts';
import { readJpegRows } from '../../../../support/rows.ts';
import { jpegInspection } from './inspected.ts';
import { layouts, made, samplings } from './made-jpegs.ts';

const sizes = [
  [1, 1],
  [1, 17],
  [17, 1],
  [8, 8],
  [9, 33],
  [37, 18],
  [97, 61],
] as const;

const named = Object.entries<Factors>(samplings);

describe('the pixels of a JPEG', () => {
  it.each(named)('are those of libjpeg at any size: %s', async (_name, factors) => {
    for (const [width, height] of sizes) {
      const file = made(width, height, factors, { jfif: true });
      expect(rows(file).equals(await expected(file)), `${width} × ${height}`).toBe(true);
    }
  });

  it.each(Object.entries(layouts))(
    'are those of libjpeg however they are laid out: %s',
    async (_name, layout) => {
      for (const [name, factors] of named) {
        const file = made(83, 57, factors, { jfif: true, ...layout(factors.length) });
        expect(rows(file).equals(await expected(file)), name).toBe(true);
      }
    },
  );

  it.each([
    ['the Adobe segment says so', { adobe: 0 as const }],
    ['their ids do', { components: [...'RGB'].map((id) => ({ id: id.charCodeAt(0) })) }],
  ])('are red, green and blue where %s', async (_name, more) => {
    const file = made(40, 30, samplings['4:4:4'], more);
    expect(jpegInspection(file).colorSpace).toBe('rgb');
    expect(rows(file).equals(await expected(file))).toBe(true);
  });

  it('keep their edges where samples leave the range', async () => {
    const coefficients = (_c: number, bx: number, by: number) =>
      Array.from({ length: 64 }, (_, k) =>
        k === 0 ? 900 * (((bx + by) % 3) - 1) : k < 9 ? 90 : 0,
      );
    for (const factors of [samplings.grey, samplings['4:4:4'], samplings['4:2:0']]) {
      const file = made(50, 40, factors, { jfif: true, coefficients });
      expect(rows(file).equals(await expected(file))).toBe(true);
    }
  });

  it('are the same however many fill bytes stand in the data', async () => {
    const file = await sharp(noise(160), { raw: { width: 160, height: 160, channels: 3 } })
      .jpeg({ quality: 95 })
      .toBuffer();
    for (const fill of [1, 2, 997, 3500, 9001, 65_535]) {
      const filled = withFill(file, fill);
      expect(filled.length).toBeGreaterThan(file.length + 20 * fill);
      expect(rows(filled).equals(rows(file)), `${fill}`).toBe(true);
    }
  });

  it('are as many as the reduced picture has', () => {
    for (const [name, factors] of named) {
      for (const scans of [layouts['one scan'], layouts['progressive scans']]) {
        const file = made(83, 57, factors, { jfif: true, ...scans?.(factors.length) });
        for (const halvings of [1, 2, 3] as const) {
          const side = halved(83, halvings) * halved(57, halvings);
          expect(rows(file, halvings).length, `${name}, ${halvings}`).toBe(4 * side);
        }
      }
    }
  });

  it('keep their mean when they are reduced', async () => {
    const file = made(160, 128, samplings['4:2:0'], { jfif: true });
    const mean = average(await expected(file));
    for (const halvings of [0, 1, 2, 3] as const) {
      expect(Math.abs(average(rows(file, halvings)) - mean)).toBeLessThan(1);
    }
  });
});

function rows(file: Uint8Array, halvings: Halvings = 0): Buffer {
  const image = jpegInspection(file);
  arena.reserve(jpegReadingBytes(image, file.length));
  const all: Uint8Array[] = [];
  readJpegRows(file, image, halvings, (row) => all.push(row.slice()));
  return Buffer.concat(all);
}

/** RGBA as libjpeg decodes it. */
function expected(file: Uint8Array): Promise<Buffer> {
  const { isGrey } = jpegInspection(file);
  const picture = sharp(file, { failOn: 'warning' });
  // one channel would stay one
  return (isGrey ? picture.toColourspace('srgb') : picture).ensureAlpha().raw().toBuffer();
}

function average(samples: Buffer): number {
  return samples.reduce((sum, sample) => sum + sample, 0) / samples.length;
}

/** RGB that takes many bytes, FF among them. */
function noise(side: number): Buffer {
  const random = new Random(3);
  return Buffer.from(Array.from({ length: 3 * side * side }, () => random.word() & 0xff));
}

/** Puts fill bytes before the first hundred bytes FF 00 of the data: to libjpeg FF…FF 00 is FF 00. */
function withFill(file: Buffer, fill: number): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  let from = 0;
  for (let i = 0; i < 100; i += 1) {
    const at = file.indexOf(
      Buffer.from([0xff, 0]),
      Math.max(from, file.indexOf('\xff\xda', 'latin1')) + 14,
    );
    if (at < 0) break;
    parts.push(file.subarray(from, at), new Uint8Array(fill).fill(0xff));
    from = at;
  }
  return new Uint8Array(Buffer.concat([...parts, file.subarray(from)]));
}
