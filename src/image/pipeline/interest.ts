import smartcrop, { type CropResult } from 'smartcrop';
import type { Source } from '../formats/inspection.ts';
import { uprightSize } from '../formats/registry.ts';
import type { Raster, Size } from '../pixels/raster.ts';
import { centerPosition, type Position, resizeTarget } from '../pixels/resize-target.ts';
import type { Slices } from '../slices.ts';
import type { OptimizeOptions } from './options.ts';
import { type Preview, plannedPreview, preview, sizeBy } from './preview.ts';

// `position=auto`: the part of a picture to crop to is the one with the most detail, skin and color.

/** Lengths in pixels of the shorter side that is looked at, as `smartcrop` recommends, and of the longer one at most. */
const shorterSide = 256;
const longerSide = 1024;

/** CPU time of the search, in milliseconds per megapixel that is looked at. */
const searchMs = 200;

/** What is looked at to find the part to crop to; null if nothing is cropped, or the position is given. */
export function interestPreview(
  source: Source,
  file: Uint8Array,
  options: OptimizeOptions,
): Preview | null {
  if (options.position !== 'auto' || options.fit !== 'cover') return null;
  const upright = uprightSize(source.image);
  if (resizeTarget(upright, options) === null) return null;
  const sides = [upright.width, upright.height];
  const factor = Math.min(shorterSide / Math.min(...sides), longerSide / Math.max(...sides));
  const size = sizeBy(factor, upright);
  const planned = plannedPreview(source, file, null, size);
  return planned && { ...planned, cpuMs: planned.cpuMs + searchingMs(size) };
}

/** The middle of the part with the most interest; the middle of the picture if it cannot be looked at. */
export function* interestIn(
  file: Uint8Array,
  planned: Preview,
  { width, height }: Pick<OptimizeOptions, 'width' | 'height'>,
): Slices<Position> {
  const [position = centerPosition] = yield* interestsIn(file, planned, [{ width, height }]);
  return position;
}

/** The same for crops to several boxes, from one look at the picture. */
export function* interestsIn(
  file: Uint8Array,
  planned: Preview,
  boxes: readonly Pick<OptimizeOptions, 'width' | 'height'>[],
): Slices<readonly Position[]> {
  const raster = yield* preview(file, planned);
  const positions: Position[] = [];
  for (const { width, height } of boxes) {
    const crop = raster && width && height ? bestCrop(raster, width / height) : null;
    positions.push(crop && raster ? middleOf(crop, raster) : centerPosition);
    if (raster) yield searchingMs(raster);
  }
  return positions;
}

function middleOf(crop: Crop, { width, height }: Size): Position {
  return { x: (crop.x + crop.width / 2) / width, y: (crop.y + crop.height / 2) / height };
}

/** CPU time of the search for a crop in a preview, in milliseconds. */
export function searchingMs({ width, height }: Size): number {
  return (searchMs * width * height) / 1e6;
}

/** Part of a picture in pixels, and how much of what is of interest lies well inside it. */
type Crop = CropResult['topCrop'] & { readonly score: { readonly total: number } };

/** `smartcrop` with operations on rasters instead of a canvas, which its types do not know. */
const cropping = smartcrop as unknown as {
  crop(
    raster: Raster,
    settings: object,
    use: (found: { topCrop: Crop | null; crops?: readonly Crop[] }) => void,
  ): void;
};

/**
 * What the score of a crop must be, and by how much it must exceed that of the middle. Where what is of interest is
 * everywhere, as with leaves or pebbles, the best crop is merely the one that cuts the least of it. Chosen by eye for
 * photos, whose best crops score -0.002 to 0.002.
 */
const leastScore = -0.0003;
const leastGain = 0.0002;

/** The crop with the highest score; null if none is much better than the middle. */
function bestCrop(raster: Raster, aspect: number): Crop | null {
  let best: Crop | null = null;
  const imageOperations = { open: settled, getData: settled };
  // All crops are told only for debugging.
  const settings = { width: aspect, height: 1, prescale: false, debug: true, imageOperations };
  cropping.crop(raster, settings, ({ topCrop, crops = [] }) => {
    const offMiddle = ({ x, y, width, height }: Crop) =>
      Math.abs(x + width / 2 - raster.width / 2) + Math.abs(y + height / 2 - raster.height / 2);
    const [middle] = crops.toSorted((a, b) => offMiddle(a) - offMiddle(b));
    if (!topCrop || !middle || topCrop.score.total < leastScore) return;
    if (topCrop.score.total - middle.score.total >= leastGain) best = topCrop;
  });
  return best;
}

/** What stands in for a promise, and calls back at once, because slices of work wait for nothing. */
function settled<Value>(value: Value) {
  return {
    // biome-ignore lint/suspicious/noThenProperty: the library chains promises
    then: <Next>(use: (value: Value) => Next) => settled(use(value)),
  };
}
