import { colorOf } from '../color/source-color.ts';
import { ContainerError } from '../container/assemble.ts';
import { ByteCursor, viewOf } from '../container/byte-cursor.ts';
import { fileTypeBrands } from '../container/iso-boxes.ts';
import { type Metadata, noMetadata, withoutEmpty } from '../metadata/metadata.ts';
import { turnedSize } from '../pixels/orientation.ts';
import { formats } from './all.ts';
import type { Placement, RowDecoder } from './coding.ts';
import {
  type ImageType,
  type InputType,
  inputFacts,
  isOutputType,
  type OutputType,
} from './facts.ts';
import { firstPictureDecoder } from './first-picture.ts';
import type { Format, Reader, Recoder, Transcoding, TrialForm, Writer } from './format.ts';
import type { FormatFacts, OutputFacts } from './format-facts.ts';
import type { Appearance, Inspection, InspectionResult, Source } from './inspection.ts';

type Formats = typeof formats;

/** The inspection of any readable picture, discriminated by its type. */
export type SourceImage = {
  [Type in InputType]: Formats[Type]['read'] extends Reader<infer Image> ? Image : never;
}[InputType];

export type ReadableFormat = Format & { readonly read: Reader<Inspection> };
export type WritableFormat = Format & {
  readonly facts: FormatFacts & { readonly output: OutputFacts };
  readonly write: Writer;
};

/** The format that created an inspection. */
export function formatOf({ type }: Inspection): ReadableFormat {
  const facts = inputFacts.find((one) => one.type === type);
  if (!facts) throw new TypeError(`${type} is not read`);
  // The reader takes the inspections that it has made.
  return formats[facts.type] as Format as ReadableFormat;
}

/** The decoder for a picture, or for the first picture of an animation if only that is used. */
export function decoderOf(image: Inspection): RowDecoder<Inspection> {
  const { decoder, animation } = formatOf(image).read;
  return image.isFirstOnly && animation ? firstPictureDecoder(decoder, animation) : decoder;
}

/** A format that can be requested. */
export function outputFormat(type: OutputType): WritableFormat {
  return formats[type];
}

/**
 * How a picture is converted to another format without pixels; undefined if it has to be decoded and encoded, as inks,
 * which become sRGB, have to.
 */
export function transcodingOf(image: Inspection, type: ImageType): Transcoding | undefined {
  if (type === image.type || !isOutputType(type)) return undefined;
  const { facts, write } = outputFormat(type);
  const areInks = formatOf(image).read.samples(image).kind === 'cmyk';
  return facts.output.sources?.includes(image.type) && !areInks ? write.transcoding : undefined;
}

/**
 * The recoder that makes a file of this type from a picture at its own size, without pixels; undefined if none does.
 */
export function recoderFor(image: Inspection, type: ImageType): Recoder<Inspection> | undefined {
  return type === image.type ? formatOf(image).read.recoder : transcodingOf(image, type)?.recoder;
}

/** The format used for trials: the format itself, unless its files cannot be decoded here. */
export function trialFormOf<Type extends ImageType>(
  type: Type,
): TrialForm & { readonly type: Type | OutputType } {
  const other = isOutputType(type) ? outputFormat(type).write.trialForm : undefined;
  if (!other) return { type, bytesShare: 1 };
  if (!isOutputType(other.type)) throw new TypeError(`${other.type} is not written`);
  return { ...other, type: other.type };
}

/** The writer of the files used for trials of a format. */
export function trialWriter(type: OutputType): Writer {
  return outputFormat(trialFormOf(type).type).write;
}

/**
 * Detects the type of a file and reads its headers, without decoding any pixels. Only the bytes count, not a name or
 * media type. Never throws, makes no allocation that grows with the file, and takes at most linear time.
 *
 * @example const result = inspect(bytes); if (result.kind === 'image' && result.image.type === 'jpeg')
 *   console.log(result.image.process);
 */
export function inspect(file: Uint8Array): InspectionResult<SourceImage> {
  const facts = inputFacts.find(({ recognizes }) => recognizes(file));
  if (facts) return formats[facts.type].read.inspect(file);
  const view = viewOf(file);
  return { kind: 'unsupported', what: foreignType(view, fileTypeBrands(view)) };
}

/** The most common kind of file of this length, as if its headers had been read. */
export function typicalSource(fileBytes: number): Source {
  const { read, typical } = formats.jpeg;
  const image = typical(fileBytes);
  const samples = read.samples(image);
  return { kind: 'source', image, fileBytes, icc: null, color: colorOf(samples, null) };
}

/** How a picture is shown: by the transforms of its container, otherwise by its EXIF orientation. */
export function placementOf(image: Inspection): Placement {
  const { read } = formatOf(image);
  return read.placement?.(image) ?? { region: null, turn: image.orientation };
}

/** Width and height in pixels as a viewer shows the picture: cropped, then rotated. */
export function uprightSize(image: Inspection): { width: number; height: number } {
  const { region, turn } = placementOf(image);
  return turnedSize(region ?? image, turn);
}

/**
 * The EXIF, XMP and IPTC blocks of a file. They are subarrays of it unless they were compressed, hexadecimal or
 * fragmented. A block that is damaged or larger than `maxBlockBytes` is null, and all are null if the structure of the
 * file cannot be read. An EXIF block begins with a TIFF header; nothing else about the blocks is checked. Never throws,
 * and takes time linear in the file.
 * @param image the result of `inspect` for `file`
 */
export function readMetadata(image: Inspection, file: Uint8Array): Metadata {
  try {
    return formatOf(image).read.metadata(file);
  } catch (error) {
    if (error instanceof ContainerError) return noMetadata;
    throw error;
  }
}

/**
 * Copies a file without changing its coded pixel data, removes all metadata that does not affect how the picture looks,
 * and embeds exactly the given ICC profile and metadata blocks; empty blocks are left out. Animations stay animations.
 * If nothing is added, the copy is no longer than the file. Takes time linear in the file, and memory for the copy.
 *
 * Limits: what a container cannot hold is left out: IPTC in WebP and AVIF, a block longer than a JPEG segment, and
 * every new block in an AVIF that can only be changed in place (a sequence, or see `rewrapAvif`).
 *
 * @param image the result of `inspect` for `file`
 * @throws ContainerError if the structure of the file cannot be read or cannot carry the profile
 */
export function rewrap(
  image: Inspection,
  file: Uint8Array,
  { icc, metadata, commentsOf }: Appearance,
): Uint8Array<ArrayBuffer> {
  const kept = { icc, metadata: withoutEmpty(metadata), ...(commentsOf ? { commentsOf } : {}) };
  return formatOf(image).read.rewrap(image, file, kept);
}

/** Signatures of unsupported formats that users may send, as ISO 8859-1. */
const signatures: readonly (readonly [signature: string, name: string])[] = [
  ['II*\0', 'TIFF'],
  ['MM\0*', 'TIFF'],
  ['II+\0', 'TIFF'],
  ['MM\0+', 'TIFF'],
  ['\xff\x0a', 'JPEG XL'],
  ['\0\0\0\x0cJXL \r\n\x87\n', 'JPEG XL'],
  ['\0\0\0\x0cjP  \r\n\x87\n', 'JPEG 2000'],
  ['\xff\x4f\xff\x51', 'JPEG 2000'],
  ['II\xbc', 'JPEG XR'],
  ['8BPS', 'PSD'],
  ['\0\0\x01\0', 'ICO'],
  ['%PDF-', 'PDF'],
];

/** HEIF brands; `mif1` and `msf1` name no codec, and without an AV1 brand they are HEVC in practice. */
const heifBrands = ['heic', 'heix', 'hevc', 'hevx', 'heim', 'heis', 'hevm', 'hevs', 'mif1', 'msf1'];

/** How far to search for the root element, which comments and a DOCTYPE may precede. */
const svgSearchBytes = 1024;

/**
 * The name of a known but unsupported image format, or `unknown`; a hint for error messages.
 * @param brands those of an ISO base media file
 */
function foreignType(view: DataView, brands: readonly string[]): string {
  const cursor = new ByteCursor(view, 0, view.byteLength);
  const text = cursor.text(Math.min(svgSearchBytes, cursor.remaining));
  const known = signatures.find(([signature]) => text.startsWith(signature));
  if (known) return known[1];
  if (brands.some((brand) => heifBrands.includes(brand))) return 'HEIC';
  // "BM" alone is too weak a signature; the reserved words after the size are zero.
  if (/^BM[\s\S]{4}\0\0\0\0/.test(text)) return 'BMP';
  if (/^(\xef\xbb\xbf)?\s*</.test(text) && /<svg[\s>]/.test(text)) return 'SVG';
  return 'unknown';
}
