import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { typicalHuffmanTables } from '../../../../../src/image/formats/jpeg/huffman-tables.ts';
import { makeJpeg } from '../../../../support/jpeg-maker/jpeg-maker.ts';

describe('the typical Huffman tables', () => {
  it('are those that libjpeg writes if it does not optimize', async () => {
    const input = { width: 8, height: 8, channels: 3, background: 'red' } as const;
    const file = await sharp({ create: input }).jpeg({ optimiseCoding: false }).toBuffer();
    const { dc, ac } = typicalHuffmanTables;
    for (const [head, table] of [
      [0x00, dc[0]],
      [0x10, ac[0]],
      [0x01, dc[1]],
      [0x11, ac[1]],
    ] as const) {
      const content = [head, ...(table?.counts ?? []), ...(table?.symbols ?? [])];
      expect(file.includes(Buffer.from(content))).toBe(true);
    }
  });

  it('have codes for all that baseline needs', () => {
    for (const { symbols } of typicalHuffmanTables.dc) {
      expect(Array.from(symbols).sort((a, b) => a - b)).toEqual(
        Array.from({ length: 12 }, (_, i) => i),
      );
    }
    for (const { counts, symbols } of typicalHuffmanTables.ac) {
      expect(new Set(symbols).size).toBe(162);
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(162);
    }
  });

  it('decode files without tables', async () => {
    const { dc, ac } = typicalHuffmanTables;
    const [dcTable, acTable] = [dc[0], ac[0]];
    if (!dcTable || !acTable) throw new Error('no tables');
    const content = {
      ...{ width: 40, height: 24, components: [{}] },
      coefficients: (_: number, x: number, y: number) => [x * y * 40, 30 - x * 5, 0, y * 3],
      huffmanTables: { dc: dcTable, ac: acTable },
    };
    const pixels = (file: Uint8Array) => sharp(file).raw().toBuffer();
    const expected = await pixels(makeJpeg(content));
    const found = await pixels(makeJpeg({ ...content, withoutHuffmanTables: true }));
    expect(found.equals(expected)).toBe(true);
  });
});
