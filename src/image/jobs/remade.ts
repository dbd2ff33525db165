import type { ImageType } from '../inspect/inspection.ts';
import { uprightSize } from '../inspect/upright-size.ts';
import type { OptimizeOptions } from '../options.ts';
import type { ResizeTarget } from '../pixels/resize-target.ts';
import { type Refusal, refuseOptions } from '../refusal.ts';
import type { Source } from '../source.ts';
import { automaticQualityFrom, paletteQuality } from './automatic-quality.ts';
import { greyAs } from './grey.ts';
import type { Job } from './job.ts';
import { holdsSides, longestSide } from './longest-side.ts';
import { colorObstacle } from './obstacles.ts';
import { rasterJob } from './raster-job.ts';

/**
 * The job for a picture that changes its format or size, and so is decoded and coded anew.
 * @param target null: its size stays
 */
export function remadeJobs(
  type: ImageType,
  source: Source,
  options: OptimizeOptions,
  target: ResizeTarget | null,
): readonly Job[] | Refusal {
  const { image } = source;
  const { background } = options;
  const obstacle = colorObstacle(type, source, background);
  if (obstacle) return obstacle;
  const exact = options.quality === 'lossless';
  const refused = exact ? losesSamples(type, source, target) : null;
  if (refused) return refuseOptions(refused);
  const whole = uprightSize(image);
  const { width, height } = target ?? whole;
  if (!holdsSides(type, { width, height })) {
    return refuseOptions(
      `No side of a ${type} picture can be longer than ${longestSide[type]} pixels.`,
    );
  }
  const reduction = target ? target.width / target.region.width : 1;
  const staysLossless =
    type === 'webp' && image.type === 'webp' && image.compression === 'lossless';
  const automatic = staysLossless ? 'lossless' : automaticQualityFrom(image, type, reduction);
  const wanted = options.quality === 'auto' ? automatic : options.quality;
  const quality = type === 'png' ? paletteQuality(source, wanted) : wanted;
  return [rasterJob(type, source, { quality, exact, target, background })];
}

/** Why samples would change although `quality=lossless` forbids it, or null. */
function losesSamples(type: ImageType, source: Source, target: ResizeTarget | null): string | null {
  const { image } = source;
  if (type === 'jpeg') {
    return 'JPEG cannot hold another format or size without loss: leave quality=lossless away.';
  }
  if (!target && greyAs(type, source, null).toSrgb) {
    return 'A grey profile has no place in this format, and without it samples change: leave quality=lossless away.';
  }
  if (image.bitDepth > 8) {
    return `Samples of ${image.bitDepth} bits cannot be kept here: leave quality=lossless away.`;
  }
  return null;
}
