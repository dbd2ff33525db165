import { isNearLinear } from '../color/curves.ts';
import { greyToSrgb } from '../color/srgb-profile.ts';
import type { ImageType } from '../formats/facts.ts';
import { longestSide } from '../formats/facts.ts';
import type { Quality } from '../formats/format.ts';
import { sourceQuality } from '../formats/jpeg/quantization-tables.ts';
import type { SourceImage } from '../formats/registry.ts';
import { uprightSize } from '../formats/registry.ts';
import { turnOf } from '../pixels/orientation.ts';
import { codedTarget, type ResizeTarget } from '../pixels/resize-target.ts';
import { type Refusal, refuseImage, refuseOptions } from '../refusal.ts';
import type { RasterJob } from './encode.ts';
import type { OriginalJob } from './finish.ts';
import type { OptimizeOptions } from './options.ts';
import type { Job } from './plan.ts';
import type { PixelSteps } from './prepare-pixels.ts';
import { autoQuality, equalQuality } from './quality.ts';
import type { Source } from './read-source.ts';

const original: OriginalJob = { engine: 'original', verify: false };
const verifiedOriginal: OriginalJob = { engine: 'original', verify: true };

/** Jobs for a picture that keeps its format and size: the original is always in the running, so nothing ever grows. */
export function keptJobs(source: Source, options: OptimizeOptions): readonly Job[] | Refusal {
  const { image } = source;
  const quality = options.quality === 'auto' ? automaticQuality(image.type) : options.quality;
  const exact = options.quality === 'lossless';
  const isAlone = options.format !== 'auto';
  const coded = () =>
    rasterJob(image.type, source, { quality, exact, target: null, background: null });
  switch (image.type) {
    case 'png':
      return [
        {
          engine: 'png-stream',
          quality: paletteQuality(source, quality),
          exact,
          isAlone,
        },
      ];
    case 'jpeg': {
      // coding at a quality that the file does not have any more would only add damage
      const isWorthwhile = quality !== 'lossless' && quality < sourceQuality(image);
      return [
        { engine: 'jpeg-coefficients', quality: isWorthwhile ? quality : 'lossless', isAlone },
      ];
    }
    case 'webp': {
      if (!holdsSides('webp', image)) return [verifiedOriginal];
      // samples that stay as they are keep what the file says of them
      const job = { ...coded(), grey: image.isGrey, icc: source.icc };
      // what was made lossless on purpose stays so
      if (options.quality === 'auto' && image.compression === 'lossless') {
        return [{ ...job, quality: 'lossless' }, original];
      }
      return exact && image.compression === 'lossy' ? [verifiedOriginal] : [job, original];
    }
    case 'avif':
      return exact || image.bitDepth > 8 || colorObstacle('avif', source, null)
        ? [verifiedOriginal]
        : [coded(), original];
  }
}

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

/** What the raster engine is to make of a picture, its colours carried by what the format knows. */
function rasterJob(
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

/** What happens to the pixels of a picture between decoding and coding it as `type`. */
function pixelSteps(
  type: ImageType,
  { image }: Source,
  target: ResizeTarget | null,
  background: PixelSteps['background'],
): Omit<PixelSteps, 'toSrgb'> {
  // the tag goes on with the file where the format stays and has one
  const turn = type === image.type && type !== 'avif' ? 1 : turnOf(image);
  const base = image.type === 'avif' ? image.cleanAperture : null;
  return {
    target: codedTarget(target, image, base, turnOf(image)),
    turn,
    background: type === 'jpeg' && image.hasAlpha ? background : null,
  };
}

/** How a grey picture is coded. */
interface GreyCoding {
  /** As one component, where the format knows that. */
  readonly grey: boolean;
  /** Its samples leave their grey profile for sRGB first. */
  readonly toSrgb: boolean;
}

/**
 * A grey picture stays one where the format can hold it and its profile, if it
 * has one, is for grey. WebP and AVIF take profiles for RGB only; so does a
 * JPEG that a coloured ground shows through.
 */
function greyAs(
  type: ImageType,
  { image, color }: Source,
  background: OptimizeOptions['background'],
): GreyCoding {
  const ground = type === 'jpeg' && image.hasAlpha ? background : null;
  const holdsGrey = type === 'jpeg' ? !(ground && isColored(ground)) : type === 'png';
  const profile = (color.nearLinear ?? color).profile;
  if (!image.isGrey) return { grey: false, toSrgb: false };
  if (!profile) return { grey: holdsGrey, toSrgb: false };
  if (color.space !== 'grey') return { grey: false, toSrgb: false };
  return { grey: holdsGrey, toSrgb: !holdsGrey };
}

function isColored([red, green, blue]: readonly [number, number, number]): boolean {
  return red !== green || green !== blue;
}

function isCmyk(image: SourceImage): boolean {
  return image.type === 'jpeg' && (image.colorSpace === 'cmyk' || image.colorSpace === 'ycck');
}

/** Why the colours of a picture would not survive decoding and coding as `type`, or null. */
function colorObstacle(
  type: ImageType,
  source: Source,
  background: OptimizeOptions['background'],
): Refusal | null {
  const { image, color } = source;
  if (isCmyk(image)) {
    return refuseImage(
      'The inks of a CMYK picture cannot be carried into another format or size: use format=keep without width and height.',
    );
  }
  if (color.obstacle === 'hdr') {
    return refuseImage(
      'The light of an HDR picture (PQ or HLG) cannot be carried into another format or size: use format=keep without width and height.',
    );
  }
  if (color.obstacle === 'deep') {
    return refuseImage(
      'The 16-bit samples of this picture would show bands in 8 bits under its profile: use format=keep without width and height.',
    );
  }
  if (color.obstacle === 'unknown') {
    return refuseImage(
      'The colour space of this picture is not known well enough to change its format or size: use format=keep without width and height.',
    );
  }
  if (greyAs(type, source, background).toSrgb && color.profile && !greyToSrgb(color.profile)) {
    return refuseImage(
      'The grey profile of this picture cannot be carried into a colour format: use format=keep.',
    );
  }
  return null;
}

/** What `quality=auto` means in a format. */
function automaticQuality(type: ImageType): Quality {
  return autoQuality[type];
}

/**
 * The same, but no finer than what a JPEG still has to give. Reduced to less
 * than half of its sides its damage is gone, and the reduced picture has all
 * the detail that its size can hold.
 * @param reduction side of the result over side of the source
 */
function automaticQualityFrom(image: SourceImage, type: ImageType, reduction: number): Quality {
  if (image.type !== 'jpeg' || type === 'png' || reduction < 0.5) return automaticQuality(type);
  return equalQuality(type, sourceQuality(image));
}

/**
 * What a quality comes to for a PNG. Its colours are compared as sRGB's are, so where codes mean light that
 * is spread otherwise by far, all of them are kept.
 */
function paletteQuality({ color }: Source, quality: Quality): Quality {
  const isComparable = !color.obstacle && !color.curves.some(isNearLinear);
  return isComparable && quality !== 100 ? quality : 'lossless';
}

function holdsSides(
  type: ImageType,
  { width, height }: { readonly width: number; readonly height: number },
): boolean {
  return Math.max(width, height) <= longestSide[type];
}
