import type { JpegInspection } from '../inspect/inspection.ts';
import type { Sampling } from './frame-geometry.ts';

/**
 * From this quality on chroma keeps the samples it has: halving it saved up to 9 % of the bytes at
 * equal SSIMULACRA2 near 65, and cost up to 17 % near 85.
 */
const fullChroma = 78;

/**
 * The sampling of a YCbCr picture that has more chroma than one sample for four pixels and could do
 * with that; null for any other.
 */
export function halvedSampling(
  { colorSpace, components }: JpegInspection,
  quality: number,
): readonly Sampling[] | null {
  if (colorSpace !== 'ycbcr' || quality >= fullChroma) return null;
  const [luma, ...chroma] = components;
  const isPlain = chroma.every(({ horizontal, vertical }) => horizontal === 1 && vertical === 1);
  if (!luma || !isPlain || luma.horizontal > 2 || luma.vertical > 2) return null;
  if (luma.horizontal === 2 && luma.vertical === 2) return null;
  return components.map((_, c) =>
    c === 0 ? { horizontal: 2, vertical: 2 } : { horizontal: 1, vertical: 1 },
  );
}
