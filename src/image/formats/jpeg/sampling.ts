import { pixelFullChroma, recodedFullChroma } from './facts.ts';
import type { JpegInspection } from './inspect.ts';

/** Sampling factors of a component, 1 to 4 each (ITU-T T.81 §A.1.1). */
export interface Sampling {
  readonly horizontal: number;
  readonly vertical: number;
}

/** Sampling factors of a picture's components; 1 for a single component, where they mean nothing (T.81 §A.2.2). */
export function samplingOf({ components }: JpegInspection): readonly Sampling[] {
  if (components.length === 1) return [{ horizontal: 1, vertical: 1 }];
  return components.map(({ horizontal, vertical }) => ({ horizontal, vertical }));
}

/** Number of luma samples per chroma sample in a YCbCr picture. */
export function lumaPerChroma([luma, chroma]: readonly Sampling[]): number {
  if (!luma || !chroma) return 1;
  return (luma.horizontal * luma.vertical) / (chroma.horizontal * chroma.vertical);
}

const plain: Sampling = { horizontal: 1, vertical: 1 };
const full = [plain, plain, plain];
const halved = [{ horizontal: 2, vertical: 2 }, plain, plain];

/** The sampling of pixels with 1 or 3 components. */
export function pixelSampling(components: number): readonly Sampling[] {
  return full.slice(0, components);
}

/** The samplings to try for pixels, in order; the last one suits all pictures. */
export function pixelSamplings({
  quality,
  grey,
}: Pick<JpegSettings, 'quality' | 'grey'>): readonly (readonly Sampling[])[] {
  if (grey) return [[plain]];
  return quality < pixelFullChroma ? [halved, full] : [full];
}

/**
 * Returns 4:2:0 for a YCbCr picture with more chroma samples, at a quality that does not need them; else null.
 */
export function halvedSampling(
  { colorSpace, components }: JpegInspection,
  quality: number,
): readonly Sampling[] | null {
  if (colorSpace !== 'ycbcr' || quality >= recodedFullChroma) return null;
  const [luma, ...chroma] = components;
  const isPlain = chroma.every(({ horizontal, vertical }) => horizontal === 1 && vertical === 1);
  if (!luma || !isPlain || luma.horizontal > 2 || luma.vertical > 2) return null;
  if (luma.horizontal === 2 && luma.vertical === 2) return null;
  return components.map((_, c) =>
    c === 0 ? { horizontal: 2, vertical: 2 } : { horizontal: 1, vertical: 1 },
  );
}

/** Settings for encoding pixels as JPEG. */
export interface JpegSettings {
  /** Quality from 1 to 100: results look as similar to the original as those of libjpeg at the same quality. */
  readonly quality: number;
  /** Whether to write one component instead of three. */
  readonly grey: boolean;
  /** Whether to compute coefficients again for each scan instead of keeping them: somewhat more bytes and time. */
  readonly lowMemory?: boolean;
  /** With `lowMemory`: whether to drain the result into buffers. */
  readonly drains?: boolean;
}
