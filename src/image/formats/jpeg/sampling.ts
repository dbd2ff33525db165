import { pixelFullChroma, recodedFullChroma } from './facts.ts';
import type { JpegInspection } from './inspect.ts';

/** Sampling factors of a component, 1 to 4 each (ITU-T T.81 §A.1.1). */
export interface Sampling {
  readonly horizontal: number;
  readonly vertical: number;
}

/** Sampling factors of a picture's components; of a single one they mean nothing, and are 1 (T.81 §A.2.2). */
export function samplingOf({ components }: JpegInspection): readonly Sampling[] {
  if (components.length === 1) return [{ horizontal: 1, vertical: 1 }];
  return components.map(({ horizontal, vertical }) => ({ horizontal, vertical }));
}

/** How many samples of luma there are for one of chroma in a YCbCr picture. */
export function lumaPerChroma([luma, chroma]: readonly Sampling[]): number {
  if (!luma || !chroma) return 1;
  return (luma.horizontal * luma.vertical) / (chroma.horizontal * chroma.vertical);
}

const plain: Sampling = { horizontal: 1, vertical: 1 };
const full = [plain, plain, plain];
const halved = [{ horizontal: 2, vertical: 2 }, plain, plain];

/** The sampling of pixels as they come, of 1 or 3 components. */
export function pixelSampling(components: number): readonly Sampling[] {
  return full.slice(0, components);
}

/** The samplings to be tried for pixels, in this order; the last one suits every picture. */
export function pixelSamplings({
  quality,
  grey,
}: Pick<JpegSettings, 'quality' | 'grey'>): readonly (readonly Sampling[])[] {
  if (grey) return [[plain]];
  return quality < pixelFullChroma ? [halved, full] : [full];
}

/**
 * 4:2:0 for a YCbCr picture with more chroma than that, at a quality that does not need it; null for
 * any other.
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

/** How a JPEG is written. */
export interface JpegSettings {
  /** 1–100: as much like the original as libjpeg's result of the same number. */
  readonly quality: number;
  /** One component instead of three. */
  readonly grey: boolean;
  /** Coefficients are computed again for each scan instead of being kept, which takes somewhat more bytes and time. */
  readonly lowMemory?: boolean;
  /** With little memory: the result does not stay in it, but is drained into buffers. */
  readonly drains?: boolean;
}
