import { rgbaToThumbHash } from 'thumbhash';
import { isOutputType } from '../formats/facts.ts';
import type { Source } from '../formats/inspection.ts';
import { uprightSize } from '../formats/registry.ts';
import { PaddedRows } from '../pixels/padded-rows.ts';
import { flattenRow, type Raster } from '../pixels/raster.ts';
import { type ResizeTarget, reducedSize, resizeTarget } from '../pixels/resize-target.ts';
import { gathered, rowsOf } from '../pixels/row-source.ts';
import type { Slices } from '../slices.ts';
import { fillFor, matteFor } from './obstacles.ts';
import type { OptimizeOptions } from './options.ts';
import { type Preview, plannedPreview, sizeBy } from './preview.ts';
import type { Result } from './result.ts';

/** The longest side of the picture that is hashed, in pixels; ThumbHash takes no longer one. */
const longestSide = 100;

/** CPU time of hashing, in milliseconds. */
const hashingMs = 1;

/** The copy of the finished picture that is hashed, not yet on its background; null if there is none. */
export function placeholderPreview(
  source: Source,
  file: Uint8Array,
  options: OptimizeOptions,
): Preview | null {
  if (options.placeholder === 'none') return null;
  const upright = uprightSize(source.image);
  const target = resizeTarget(upright, options);
  const result = target ?? upright;
  const shown = target ? reducedSize(target) : result;
  const planned = plannedPreview(source, file, target, sizeBy(reductionOf(result), shown));
  return planned && { ...planned, cpuMs: planned.cpuMs + hashingMs };
}

function reductionOf({ width, height }: { width: number; height: number }): number {
  return Math.min(1, longestSide / Math.max(width, height));
}

/** The ThumbHash of a finished picture in base64. @param made its preview */
export function* placeholderOf(
  made: Raster,
  { image }: Source,
  options: OptimizeOptions,
  { type }: Pick<Result, 'type'>,
): Slices<string> {
  const matte = matteFor(type, image, options);
  if (matte) flattenRow(new Uint8Array(made.data.buffer), matte);
  const target = resizeTarget(uprightSize(image), options);
  const fill = isOutputType(type) ? fillFor(type, options) : null;
  const shown = target?.place && fill ? yield* padded(made, target, fill) : made;
  const hash = rgbaToThumbHash(shown.width, shown.height, shown.data);
  return btoa(String.fromCharCode(...hash));
}

/** A preview with the margins of the result, reduced by the same factor. */
function padded(
  made: Raster,
  target: ResizeTarget,
  fill: ReturnType<typeof fillFor>,
): Slices<Raster> {
  const { width, height } = sizeBy(reductionOf(target), target);
  const { left, top, ...picture } = target.place ?? { left: 0, top: 0, ...target };
  const at = (start: number, free: number, room: number) =>
    free === 0 ? 0 : Math.round((start / free) * room);
  const place = {
    left: at(left, target.width - picture.width, width - made.width),
    top: at(top, target.height - picture.height, height - made.height),
    width: made.width,
    height: made.height,
  };
  return gathered(new PaddedRows(rowsOf(made), place, { width, height }, fill));
}
