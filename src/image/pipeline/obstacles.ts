import { greyToSrgb } from '../color/srgb-profile.ts';
import {
  type ImageType,
  isOutputType,
  namesOf,
  type OutputType,
  sourcesOf,
} from '../formats/facts.ts';
import type { Inspection, Source } from '../formats/inspection.ts';
import { formatOf, outputFormat, transcodingOf, uprightSize } from '../formats/registry.ts';
import { type ResizeTarget, resizeTarget } from '../pixels/resize-target.ts';
import { type Refusal, refuseImage, refuseOptions } from '../refusal.ts';
import type { OptimizeOptions } from './options.ts';

// Why a picture cannot become what was asked for, as far as its headers tell.

/** What transparent pixels are laid on, as RGB bytes; null: they stay, or there are none. */
export type Ground = OptimizeOptions['background'];

/** What a picture that becomes `type` is laid on: frames of an animation stay transparent where the format holds that. */
export function groundFor(
  type: ImageType,
  image: Inspection,
  { background, flattens }: Pick<OptimizeOptions, 'background' | 'flattens'>,
): Ground {
  if (!image.hasAlpha) return null;
  const isFlattened = flattens && image.frames === 1;
  const holdsAlpha = !isOutputType(type) || outputFormat(type).facts.output.holdsAlpha;
  return isFlattened || !holdsAlpha ? background : null;
}

/** Why a picture is not of the kind that a format is made of, or null. */
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

/** Why the colours of a picture would not survive decoding and encoding as `type`, or null. */
export function colorObstacle(type: OutputType, source: Source, ground: Ground): Refusal | null {
  const { image, color } = source;
  if (formatOf(image).read.samples(image).kind === 'cmyk') {
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
  const { toSrgb } = greyAs(type, source, ground);
  if (toSrgb && color.profile && !greyToSrgb(color.profile)) {
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

/** Why samples would change although `quality=lossless` forbids it, or null. */
export function lossOfSamples(
  type: OutputType,
  source: Source,
  { target, ground }: { readonly target: ResizeTarget | null; readonly ground: Ground },
): string | null {
  const { image } = source;
  const { name, output } = outputFormat(type).facts;
  const isOwn = type === image.type && !target && !ground;
  if (!output.isExact && !isOwn) {
    return `${name} cannot hold another format or size without loss: leave quality=lossless away.`;
  }
  if (!target && greyAs(type, source, ground).toSrgb) {
    return 'A grey profile has no place in this format, and without it samples change: leave quality=lossless away.';
  }
  if (image.bitDepth > 8) {
    return `Samples of ${image.bitDepth} bits cannot be kept here: leave quality=lossless away.`;
  }
  return null;
}

/** How a grey picture is encoded. */
interface GreyCoding {
  /** As one component, where the format knows that. */
  readonly grey: boolean;
  /** Its samples leave their grey profile for sRGB first. */
  readonly toSrgb: boolean;
}

/**
 * A grey picture stays one where the format can hold it and its profile, if it
 * has one, is for grey. WebP and AVIF take profiles for RGB only; so does a
 * picture that a coloured ground shows through.
 */
export function greyAs(type: OutputType, { image, color }: Source, ground: Ground): GreyCoding {
  const { holdsGrey } = outputFormat(type).facts.output;
  const grey = holdsGrey && !(ground && isColored(ground));
  const profile = (color.nearLinear ?? color).profile;
  if (!image.isGrey) return { grey: false, toSrgb: false };
  if (!profile) return { grey, toSrgb: false };
  if (color.space !== 'grey') return { grey: false, toSrgb: false };
  return { grey, toSrgb: !grey };
}

function isColored([red, green, blue]: readonly [number, number, number]): boolean {
  return red !== green || green !== blue;
}
