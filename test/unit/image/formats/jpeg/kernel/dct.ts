import { zigzag } from '../../../../../../src/image/formats/jpeg/quantization-tables.ts';

/** Basis function of the DCT (ITU-T T.81 §A.3.3). */
export function basis(frequency: number, sample: number): number {
  const scale = frequency === 0 ? Math.SQRT1_2 : 1;
  return (scale / 2) * Math.cos(((2 * sample + 1) * frequency * Math.PI) / 16);
}

/** A sample of a row of blocks, by the definition of the inverse DCT. */
export function sampleOf(row: Int16Array | undefined, x: number, y: number, step: number): number {
  let sum = 0;
  for (const [k, position] of zigzag.entries()) {
    const value = step * (row?.[(x >> 3) * 64 + k] ?? 0);
    sum += value * basis(position & 7, x & 7) * basis(position >> 3, y);
  }
  return sum;
}

/** The DCT of 8 × 8 samples, in zigzag order. */
export function transformed(sample: (x: number, y: number) => number): number[] {
  const samples = Array.from({ length: 64 }, (_, i) => sample(i & 7, i >> 3));
  return zigzag.map((position) =>
    samples.reduce(
      (sum, value, i) => sum + value * basis(position & 7, i & 7) * basis(position >> 3, i >> 3),
      0,
    ),
  );
}
