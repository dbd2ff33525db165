import { isAcceptedProfile } from '../color/accepted-profile.ts';
import { greyToSrgb } from '../color/srgb-profile.ts';
import {
  type ImageType,
  isOutputType,
  namesOf,
  type OutputType,
  sourcesOf,
} from '../formats/facts.ts';
import type { Inspection, Source } from '../formats/inspection.ts';
import { outputFormat, transcodingOf, uprightSize } from '../formats/registry.ts';
import type { Rgba } from '../pixels/padded-rows.ts';
import { type ResizeTarget, reducedSize, resizeTarget } from '../pixels/resize-target.ts';
import { type Refusal, refuseImage, refuseOptions } from '../refusal.ts';
import type { OptimizeOptions } from './options.ts';

// Why a request is not possible for a picture, as far as its headers reveal.

/** The color behind transparent pixels, as RGB bytes; null if they stay transparent or there are none. */
export type Matte = OptimizeOptions['background'];

/** The matte for a picture that becomes `type`. Frames of an animation stay transparent if the format supports it. */
export function matteFor(
  type: ImageType,
  image: Inspection,
  { background, flattens }: Pick<OptimizeOptions, 'background' | 'flattens'>,
): Matte {
  if (!image.hasAlpha) return null;
  const isFlattened = flattens && image.frames === 1;
  const holdsAlpha = !isOutputType(type) || outputFormat(type).facts.output.holdsAlpha;
  return isFlattened || !holdsAlpha ? background : null;
}

/** The color of margins: the background, otherwise transparent, or white where the format cannot be. */
export function fillFor(
  type: OutputType,
  { background }: Pick<OptimizeOptions, 'background'>,
): Rgba {
  if (background) return [...background, 255];
  return outputFormat(type).facts.output.holdsAlpha ? [0, 0, 0, 0] : [255, 255, 255, 255];
}

/** Why a format cannot be made from this kind of picture; null if it can. */
export function sourceObstacle(
  type: OutputType,
  image: Inspection,
  options: OptimizeOptions,
): Refusal | null {
  const { facts } = outputFormat(type);
  const sources = sourcesOf(facts);
  if (sources && !sources.some((source) => source.type === image.type)) {
    const only = `Only a ${namesOf(sources, 'or')} can become ${facts.name}`;
    return refuseOptions(`${only}: choose another format.`);
  }
  const isResized = resizeTarget(uprightSize(image), options) !== null;
  const detail = isResized ? null : transcodingOf(image, type)?.obstacle(image);
  return detail ? refuseImage(detail) : null;
}

/** Why decoding a picture and encoding it as `type` would change its colors; null if it would not. */
export function colorObstacle(
  type: OutputType,
  source: Source,
  matte: Matte | Rgba,
): Refusal | null {
  const { color } = source;
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
  const { toSrgb } = samplesAs(type, source, matte);
  const greyIcc = toSrgb && color.space === 'grey' ? color.profile : null;
  // Where no engine can read it either, browsers show the samples as sRGB.
  if (greyIcc && !greyToSrgb(greyIcc) && isAcceptedProfile(greyIcc)) {
    return refuseImage(
      'The grey profile of this picture cannot be carried into a colour format: use format=keep.',
    );
  }
  const { profile } = color.nearLinear ?? color;
  if (profile && !toSrgb && !outputFormat(type).facts.output.holdsProfiles) {
    return refuseImage(
      'The colour profile of this picture has no place in that format: choose another one.',
    );
  }
  return null;
}

/** Why `quality=lossless` is not possible, because samples would change; null if it is. */
export function lossOfSamples(
  type: OutputType,
  source: Source,
  { target, matte }: { readonly target: ResizeTarget | null; readonly matte: Matte },
): string | null {
  const { image } = source;
  const { name, output } = outputFormat(type).facts;
  const isOwn = type === image.type && !target && !matte;
  if (!output.isExact && !isOwn) {
    return `${name} cannot hold another format or size without loss: leave quality=lossless away.`;
  }
  if (!(target && isReduced(target)) && samplesAs(type, source, matte).toSrgb) {
    return source.color.space === 'cmyk'
      ? 'The inks of a CMYK picture become sRGB in another format, which changes samples: leave quality=lossless away.'
      : 'A grey profile has no place in this format, and without it samples change: leave quality=lossless away.';
  }
  if (image.bitDepth > 8) {
    return `Samples of ${image.bitDepth} bits cannot be kept here: leave quality=lossless away.`;
  }
  return null;
}

/** Whether pixels are combined, and not only cut off or surrounded. */
function isReduced(target: ResizeTarget): boolean {
  const { width, height } = reducedSize(target);
  return width < target.region.width || height < target.region.height;
}

/** How the samples of a picture are encoded. */
interface SampleCoding {
  /** Whether they are written as a single component. */
  readonly grey: boolean;
  /** Whether they are first converted to sRGB, from inks or from a gray profile. */
  readonly toSrgb: boolean;
}

/**
 * Inks become sRGB, which all formats can hold. A gray picture stays gray if the format supports it and its profile, if
 * any, is a gray one. WebP and AVIF support only RGB profiles, and a colored matte or margin requires one.
 */
export function samplesAs(
  type: OutputType,
  { image, color }: Source,
  matte: Matte | Rgba,
): SampleCoding {
  if (color.space === 'cmyk') return { grey: false, toSrgb: true };
  const { holdsGrey } = outputFormat(type).facts.output;
  const grey = holdsGrey && !(matte && isColored(matte));
  const profile = (color.nearLinear ?? color).profile;
  if (!image.isGrey) return { grey: false, toSrgb: false };
  if (!profile) return { grey, toSrgb: false };
  if (color.space !== 'grey') return { grey: false, toSrgb: false };
  return { grey, toSrgb: !grey };
}

function isColored([red = 0, green = 0, blue = 0]: readonly number[]): boolean {
  return red !== green || green !== blue;
}
