import type { ImageType, Inspection } from '../inspect/inspection.ts';
import { uprightSize } from '../inspect/upright-size.ts';
import type { OptimizeOptions } from '../options.ts';
import type { ResizeTarget } from '../pixels/resize-target.ts';
import { type Refusal, refuseOptions } from '../refusal.ts';
import type { Source } from '../source.ts';
import { automaticQualityFrom } from './automatic-quality.ts';
import { greyAs } from './grey.ts';
import type { Job } from './job.ts';
import { colorObstacle } from './obstacles.ts';
import { pixelSteps } from './pixel-steps.ts';

/** In pixels: libjpeg's JPEG_MAX_DIMENSION, PNG third edition §11.2.1, RFC 9649 §2.5, AV1 §5.5.1. */
const longestSide = { jpeg: 65_500, png: 2 ** 31 - 1, webp: 16_383, avif: 65_536 } as const;

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
  const { image, color } = source;
  const { background } = options;
  const obstacle = colorObstacle(type, source, background);
  if (obstacle) return obstacle;
  const exact = options.quality === 'lossless';
  const refused = exact ? losesSamples(type, image) : null;
  if (refused) return refuseOptions(refused);
  const whole = uprightSize(image);
  const { width, height } = target ?? whole;
  const side = longestSide[type];
  if (Math.max(width, height) > side) {
    return refuseOptions(`No side of a ${type} picture can be longer than ${side} pixels.`);
  }
  const reduction = target ? target.width / target.region.width : 1;
  const { grey, toSrgb } = greyAs(type, source, background);
  return [
    {
      engine: 'raster',
      type,
      quality:
        options.quality === 'auto' ? automaticQualityFrom(image, type, reduction) : options.quality,
      exact,
      grey,
      icc: toSrgb ? null : (color.nearLinear ?? color).profile,
      pixels: pixelSteps(type, source, target, background),
    },
  ];
}

/** Why samples would change although `quality=lossless` forbids it, or null. */
function losesSamples(type: ImageType, image: Inspection): string | null {
  if (type === 'jpeg') {
    return 'JPEG cannot hold another format or size without loss: leave quality=lossless away.';
  }
  if (image.bitDepth > 8) {
    return `Samples of ${image.bitDepth} bits cannot be kept here: leave quality=lossless away.`;
  }
  return null;
}
