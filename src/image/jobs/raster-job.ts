import type { RasterJob } from '../engines/raster.ts';
import type { ImageType } from '../inspect/inspection.ts';
import type { OptimizeOptions, Quality } from '../options.ts';
import type { ResizeTarget } from '../pixels/resize-target.ts';
import type { Source } from '../source.ts';
import { greyAs } from './grey.ts';
import { pixelSteps } from './pixel-steps.ts';

/** What the raster engine is to make of a picture, its colours carried by what the format knows. */
export function rasterJob(
  type: ImageType,
  source: Source,
  how: {
    readonly quality: Quality;
    readonly exact: boolean;
    /** Null: its size stays. */
    readonly target: ResizeTarget | null;
    readonly background: OptimizeOptions['background'];
  },
): RasterJob {
  const { quality, exact, target, background } = how;
  const { grey, toSrgb } = greyAs(type, source, background);
  const { profile } = source.color.nearLinear ?? source.color;
  return {
    engine: 'raster',
    type,
    quality,
    exact,
    grey,
    icc: toSrgb ? null : profile,
    pixels: { ...pixelSteps(type, source, target, background), toSrgb },
  };
}
