import type { OriginalJob } from './engines/original.ts';
import type { OxipngJob } from './engines/oxipng.ts';
import type { RasterJob } from './engines/raster.ts';
import type { ImageType, Inspection } from './inspect/inspection.ts';
import { uprightSize } from './inspect/upright-size.ts';
import type { OptimizeOptions, Quality } from './options.ts';
import { turnOf } from './orientation.ts';
import { autoQuality, equalQuality, sourceQuality } from './quality.ts';
import { type Refusal, refuseImage, refuseOptions } from './refusal.ts';
import { profileSpace, type Source } from './source.ts';

export type Job = RasterJob | OxipngJob | OriginalJob;

/**
 * What can be tried to answer in one format.
 * @returns jobs, of which the smallest result wins, or why the format is out
 */
export function jobsFor(
  type: ImageType,
  source: Source,
  options: OptimizeOptions,
): readonly Job[] | Refusal {
  return type === source.image.type
    ? sameFormat(source, options)
    : conversion(type, source, options);
}

const original: OriginalJob = { engine: 'original', verify: false };
const verifiedOriginal: OriginalJob = { engine: 'original', verify: true };

/** Without a change of format the original is always in the running: nothing ever grows. */
function sameFormat({ image }: Source, options: OptimizeOptions): readonly Job[] {
  const quality = options.quality === 'auto' ? automatic(image.type) : options.quality;
  const job: RasterJob = {
    engine: 'raster',
    type: image.type,
    quality,
    grey: image.isGrey,
    turn: image.type === 'avif' ? turnOf(image) : 1,
    background: null,
  };
  switch (image.type) {
    case 'png':
      return [{ engine: 'oxipng', optimiseAlpha: options.quality !== 'lossless' }, original];
    case 'jpeg': {
      // Coding again at a quality that the file does not have any more only adds damage; and this
      // engine would have to guess at the inks of a CMYK picture.
      if (isCmyk(image)) return [original];
      const worthwhile = quality !== 'lossless' && quality < sourceQuality(image);
      return worthwhile ? [job, original] : [verifiedOriginal];
    }
    case 'webp':
      // what was made lossless on purpose stays so, as a PNG does
      if (options.quality === 'auto' && image.compression === 'lossless') {
        return [{ ...job, quality: 'lossless' }, original];
      }
      return quality === 'lossless' && image.compression === 'lossy'
        ? [verifiedOriginal]
        : [job, original];
    case 'avif':
      return quality === 'lossless' || image.bitDepth > 8 || !isPlainRgb(image)
        ? [verifiedOriginal]
        : [job, original];
  }
}

function conversion(
  type: ImageType,
  { image, icc }: Source,
  options: OptimizeOptions,
): readonly Job[] | Refusal {
  if (isCmyk(image)) {
    return refuseImage('A CMYK picture keeps its inks only as JPEG: use format=keep.');
  }
  if (!isPlainRgb(image)) {
    return refuseImage(
      'The colour space of this picture cannot be carried into another format yet: use format=keep.',
    );
  }
  if (icc && profileSpace(icc) === 'grey' && type !== 'png' && type !== 'jpeg') {
    return refuseImage(
      'A picture with a grey profile cannot be carried into a colour format yet: use format=keep.',
    );
  }
  const quality = options.quality === 'auto' ? automaticFrom(image, type) : options.quality;
  const refused = options.quality === 'lossless' ? losesSamples(type, image) : null;
  if (refused) return refuseOptions(refused);
  const { width, height } = uprightSize(image);
  const side = longestSide[type];
  if (Math.max(width, height) > side) {
    return refuseOptions(`No side of a ${type} picture can be longer than ${side} pixels.`);
  }
  const { background } = options;
  return [{ engine: 'raster', type, quality, grey: image.isGrey, turn: turnOf(image), background }];
}

/** Why samples would change although `quality=lossless` forbids it, or null. */
function losesSamples(type: ImageType, image: Inspection): string | null {
  if (type === 'jpeg')
    return 'JPEG cannot hold another format without loss: leave quality=lossless away.';
  if (image.bitDepth > 8)
    return `Samples of ${image.bitDepth} bits cannot be kept in ${type}: leave quality=lossless away.`;
  return null;
}

/** In pixels: libjpeg's JPEG_MAX_DIMENSION, PNG third edition §11.2.1, RFC 9649 §2.5, AV1 §5.5.1. */
const longestSide = { jpeg: 65_500, png: 2 ** 31 - 1, webp: 16_383, avif: 65_536 } as const;

/** As `automatic`, but no finer than what a JPEG still has to give. */
function automaticFrom(image: Inspection, type: ImageType): Quality {
  if (image.type !== 'jpeg' || type === 'png') return automatic(type);
  return equalQuality(type, sourceQuality(image));
}

function automatic(type: ImageType): Quality {
  return type === 'png' ? 'lossless' : autoQuality[type];
}

function isCmyk(image: Inspection): boolean {
  return image.type === 'jpeg' && (image.colorSpace === 'cmyk' || image.colorSpace === 'ycck');
}

/**
 * Whether decoded samples are plain RGB, in sRGB or in what the ICC profile
 * says. Other descriptions (nclx of wide gamut or HDR, PNG's cICP) have no
 * place yet in the other containers, and colours must not shift silently.
 */
function isPlainRgb(image: Inspection): boolean {
  if (image.type === 'png') return image.colorChunk !== 'cICP';
  if (image.type !== 'avif' || image.nclx === null || image.icc.length > 0) return true;
  const { primaries, transfer } = image.nclx;
  return (primaries === 1 || primaries === 2) && [1, 2, 6, 13].includes(transfer);
}
