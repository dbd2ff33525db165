import { describe, expect, it } from 'vitest';
import type { Halvings } from '../../../../../src/image/formats/coding.ts';
import { jpegReadingBytes } from '../../../../../src/image/formats/jpeg/memory.ts';
import { arena } from '../../../../../src/image/wasm/arena.ts';
import type { Factors, JpegContent } from '../../../../support/jpeg-maker/content.ts';
import { readJpegRows } from '../../../../support/rows.ts';
import { jpegInspection } from './inspected.ts';
import { inkSamplings, layouts, made } from './made-jpegs.ts';
import { samples } from './recoding.ts';

const named = Object.entries<Factors>(inkSamplings);

describe('the inks of a JPEG', () => {
  it.each([
    ['CMYK as Adobe writes it', 0],
    ['YCCK', 2],
    ['CMYK of others', undefined],
  ] as const)('are those that libjpeg decodes, as amounts: %s', async (_name, adobe) => {
    for (const [name, factors] of named) {
      for (const [layoutName, layout] of Object.entries(layouts)) {
        const file = made(83, 57, factors, { ...(adobe !== undefined && { adobe }), ...layout(4) });
        const decoded = await samples(file);
        // libvips inverts them all.
        const expected = adobe === undefined ? decoded.map((value) => 255 - value) : decoded;
        expect(inks(file).equals(expected), `${name}, ${layoutName}`).toBe(true);
      }
    }
  });

  it('are inverted where there is a segment of Adobe, and only there', () => {
    const [, factors] = named[0] ?? ['', []];
    const dark = { coefficients: () => [-900, ...Array(63).fill(0)] };
    const corner = (more: Partial<JpegContent>) =>
      [...inks(made(16, 16, factors, { ...dark, ...more }))].slice(0, 4);
    expect(corner({})).toEqual([0, 0, 0, 0]);
    expect(corner({ adobe: 0 })).toEqual([255, 255, 255, 255]);
  });

  it('can be read at half the size', () => {
    const file = made(64, 48, inkSamplings['four components'], { adobe: 0 });
    const { width, height } = jpegInspection(file);
    expect(inks(file, 1)).toHaveLength((4 * width * height) / 4);
  });
});

/** Rows of amounts of cyan, magenta, yellow and black, in the memory that is predicted. */
function inks(file: Uint8Array, halvings: Halvings = 0): Buffer {
  const image = jpegInspection(file);
  arena.reserve(jpegReadingBytes(image, file.length));
  const all: Uint8Array[] = [];
  readJpegRows(file, image, halvings, (row) => all.push(row.slice()));
  return Buffer.concat(all);
}
