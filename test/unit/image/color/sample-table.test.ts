import { describe, expect, it } from 'vitest';
import { sampleTable, srgbLight } from '../../../../src/image/color/curves.ts';

describe('the table from 16-bit samples to 8-bit sRGB codes', () => {
  it('takes the high byte when the curve is sRGB already, rounded', () => {
    const table = sampleTable(srgbLight);
    expect(table.length).toBe(65536);
    expect(table).toEqual(Uint8Array.from({ length: 65536 }, (_, code) => Math.round(code / 257)));
  });

  it('spreads the dark end of a linear curve', () => {
    const table = sampleTable((code) => code);
    // sRGB's codes for light of 0, 1/4096, 1/255, 0.18, 0.5 and 1
    const codes = [0, 16, 257, 11796, 32768, 65535];
    expect(codes.map((code) => table[code])).toEqual([0, 1, 13, 118, 188, 255]);
    expect(new Set(table).size).toBe(256);
  });
});
