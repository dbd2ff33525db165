import { profileName } from '../color/icc-reader.ts';
import { colorOf, profileCounts } from '../color/source-color.ts';
import { isSrgb } from '../color/srgb-profile.ts';
import type { AnimationReader } from '../formats/animation-format.ts';
import { factsOf, type ImageType } from '../formats/facts.ts';
import type { Inspection, Source } from '../formats/inspection.ts';
import {
  formatOf,
  inspect,
  outputFormat,
  readMetadata,
  type SourceImage,
  uprightSize,
} from '../formats/registry.ts';
import type { MetadataKind } from '../metadata/metadata.ts';
import { type Unreadable, unsupportedFeature } from '../refusal.ts';
import { CodecError } from '../wasm/codec.ts';
import type { OptimizeOptions } from './options.ts';

/**
 * Reduces an animation to its first picture if only that is requested, or if it has a single frame and none of the
 * requested formats can be animated.
 */
export function effectiveSource<Image extends Inspection>(
  source: Source<Image>,
  file: Uint8Array,
  { animation, format, among }: Pick<OptimizeOptions, 'animation' | 'format' | 'among'>,
): Source<Image> {
  const isAlone = source.image.frameTotals?.frames === 1;
  const named = format === 'auto' ? among && [...among] : format === 'keep' ? null : [format];
  const moves = named?.some((type) => outputFormat(type).write.animation) ?? true;
  return animation === 'first' || (isAlone && !moves) ? firstPictureOf(source, file) : source;
}

/** Reduces an animation to its first picture, if the frames of its format are read. */
export function firstPictureOf<Image extends Inspection>(
  source: Source<Image>,
  file: Uint8Array,
): Source<Image> {
  const { image } = source;
  const { animation } = formatOf(image).read;
  if (image.frames === 1 || !animation) return source;
  const hasAlpha = image.hasAlpha || !coversCanvas(animation, file, image);
  const { frameTotals: _, ...own } = image;
  const first = { ...own, hasAlpha, frames: 1, isFirstOnly: true };
  return { ...source, image: first as Image };
}

/** Whether the first frame is as large as the canvas; if it cannot be read, decoding will fail. */
function coversCanvas(animation: AnimationReader, file: Uint8Array, image: Inspection): boolean {
  try {
    for (const { region } of animation.frames(file, image)) {
      return region.width === image.width && region.height === image.height;
    }
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
  }
  return true;
}

/** Reads the headers and the color profile of a file. */
export function readSource(file: Uint8Array): Source<SourceImage> | Unreadable {
  const headers = readHeaders(file);
  return headers.kind === 'source' ? withProfile(headers, file) : headers;
}

/** Reads the headers of a file, and nothing that is compressed: as if it had no color profile. */
export function readHeaders(file: Uint8Array): Source<SourceImage> | Unreadable {
  const result = inspect(file);
  if (result.kind !== 'image') return result;
  const { image } = result;
  const color = colorOf(formatOf(image).read.samples(image), null);
  return { kind: 'source', image, fileBytes: file.length, icc: null, color };
}

/** Adds the color profile of a file to its headers. */
export function withProfile<Image extends Inspection>(
  headers: Source<Image>,
  file: Uint8Array,
): Source<Image> | Unreadable {
  const { image } = headers;
  const { read } = formatOf(image);
  const icc = read.profile(file, image);
  if (icc === 'too-large') {
    return unsupportedFeature('A colour profile of more than 4 MiB is not supported.');
  }
  if (icc === 'excessive') {
    return unsupportedFeature(
      'A colour profile that is packed as no encoder does is not supported.',
    );
  }
  const samples = read.samples(image);
  const matters = icc !== null && profileCounts(icc, samples) && !isSrgb(icc);
  return { ...headers, icc: matters ? icc : null, color: colorOf(samples, icc) };
}

/** Whether reading the profile takes more than copying it. */
export function hasPackedProfile({ image }: Source): boolean {
  return image.icc.length > 0 && formatOf(image).read.hasPackedProfile === true;
}

/** What the headers of a file tell about its picture. */
export interface Description {
  readonly type: ImageType;
  readonly mediaType: string;
  /** Size in pixels, as a viewer shows it. */
  readonly width: number;
  readonly height: number;
  /** Number of frames; 1 for a still. */
  readonly frames: number;
  /** Bits per stored sample; for a palette PNG, bits per index. */
  readonly bitDepth: number;
  /** Whether pixels may be transparent. */
  readonly hasAlpha: boolean;
  /** The EXIF orientation, 1 to 8; 1 if there is none. */
  readonly orientation: number;
  /** Name of the embedded ICC profile; null if there is none, or it has no name. */
  readonly profile: string | null;
  /** Whether a gain map states how much brighter the picture is on an HDR screen. */
  readonly hasGainMap: boolean;
  readonly metadata: readonly MetadataKind[];
}

/** @param image the result of `inspect` for `file` */
export function describe(file: Uint8Array, image: SourceImage): Description {
  const { type, bitDepth, hasAlpha, orientation } = image;
  const icc = formatOf(image).read.profile(file, image);
  const { exif, xmp, iptc } = readMetadata(image, file);
  const blocks = { exif, xmp, iptc };
  const kinds: readonly MetadataKind[] = ['exif', 'xmp', 'iptc'];
  return {
    ...{ type, mediaType: factsOf(type).mediaType },
    ...uprightSize(image),
    frames: image.frameTotals?.frames ?? image.frames,
    ...{ bitDepth, hasAlpha, orientation },
    profile: icc instanceof Uint8Array ? profileName(icc) : null,
    hasGainMap: image.gainMap !== undefined,
    metadata: kinds.filter((kind) => (blocks[kind]?.length ?? 0) > 0),
  };
}
