import { wholeOf } from '../animation/regions.ts';
import type { Source } from '../formats/inspection.ts';
import { placementOf, uprightSize } from '../formats/registry.ts';
import type { Raster, Size } from '../pixels/raster.ts';
import { codedTarget, type ResizeTarget } from '../pixels/resize-target.ts';
import type { Slices } from '../slices.ts';
import { fitsAlone, type Peak } from '../wasm/memory-ledger.ts';
import type { PixelSteps } from './candidates.ts';
import { preparingCpu } from './pixel-stages.ts';
import { PreparedPixels, preparingPeak } from './prepare-pixels.ts';
import { firstPictureOf } from './read-source.ts';

/** A small copy of a picture, or of a part of it, upright and without margins; of an animation, of its first frame. */
export interface Preview {
  readonly source: Source;
  readonly steps: PixelSteps;
  readonly peak: Peak;
  /** CPU time of making it, in milliseconds. */
  readonly cpuMs: number;
}

/**
 * Plans a preview; null if the picture cannot be decoded in the memory there is.
 * @param target the part to show; null for all of it
 * @param size of the preview, no larger than the part
 */
export function plannedPreview(
  whole: Source,
  file: Uint8Array,
  target: ResizeTarget | null,
  size: Size,
): Preview | null {
  const source = firstPictureOf(whole, file);
  const { image, color } = source;
  // Light beyond what screens show, and sequences of which no frame is read.
  if (image.frames > 1 || color.obstacle === 'hdr') return null;
  const { region: shown, turn } = placementOf(image);
  const region = target?.region ?? wholeOf(uprightSize(image));
  const steps: PixelSteps = {
    toSrgb: color.space !== 'rgb',
    target: codedTarget({ region, width: size.width, height: size.height }, image, shown, turn),
    turn,
    background: null,
  };
  const peak = preparingPeak(source, steps);
  if (!fitsAlone(peak, source.fileBytes)) return null;
  return { source, steps, peak, cpuMs: preparingCpu(source, steps) };
}

/** Makes a preview; null if the picture is damaged. */
export function* preview(file: Uint8Array, { source, steps }: Preview): Slices<Raster | null> {
  const pixels = new PreparedPixels(file, source);
  try {
    const made = yield* pixels.through(steps);
    return 'kind' in made ? null : { ...made, data: made.data.slice() };
  } finally {
    pixels.end();
  }
}

/** A size reduced by a factor of at most 1, to whole pixels. */
export function sizeBy(factor: number, { width, height }: Size): Size {
  const side = (length: number) => Math.max(1, Math.round(Math.min(1, factor) * length));
  return { width: side(width), height: side(height) };
}
