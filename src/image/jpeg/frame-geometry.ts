import type { JpegInspection } from '../inspect/inspection.ts';

/** What one component comes to in a frame, as the kernel counts it (ITU-T T.81 §A.1.1, §A.2). */
export interface ComponentGeometry {
  readonly horizontal: number;
  readonly vertical: number;
  /** Blocks in a row and rows of blocks that belong to the picture. */
  readonly blocksAcross: number;
  readonly blocksDown: number;
  /** Blocks in a row of MCUs. */
  readonly paddedAcross: number;
}

/** Sampling factors of a component. */
export type Sampling = Pick<ComponentGeometry, 'horizontal' | 'vertical'>;

/** Those of a picture's components; of a single one they mean nothing, and are 1 (T.81 §A.2.2). */
export function samplingOf({ components }: JpegInspection): readonly Sampling[] {
  if (components.length === 1) return [{ horizontal: 1, vertical: 1 }];
  return components.map(({ horizontal, vertical }) => ({ horizontal, vertical }));
}

/** How many samples of luma there are for one of chroma in a YCbCr picture. */
export function lumaPerChroma([luma, chroma]: readonly Sampling[]): number {
  if (!luma || !chroma) return 1;
  return (luma.horizontal * luma.vertical) / (chroma.horizontal * chroma.vertical);
}

/** Geometry of all components of a frame. */
export function frameGeometry(
  { width, height }: { readonly width: number; readonly height: number },
  sampling: readonly Sampling[],
): readonly ComponentGeometry[] {
  const across = Math.max(...sampling.map(({ horizontal }) => horizontal));
  const down = Math.max(...sampling.map(({ vertical }) => vertical));
  const mcusAcross = Math.ceil(width / (8 * across));
  return sampling.map(({ horizontal, vertical }) => ({
    horizontal,
    vertical,
    blocksAcross: Math.ceil(Math.ceil((width * horizontal) / across) / 8),
    blocksDown: Math.ceil(Math.ceil((height * vertical) / down) / 8),
    paddedAcross: mcusAcross * horizontal,
  }));
}
