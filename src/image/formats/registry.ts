import { type StoredProfile, storedProfile } from '../color/stored-profile.ts';
import { ContainerError } from '../container/assemble.ts';
import { ByteCursor } from '../container/byte-cursor.ts';
import { type Metadata, noMetadata } from '../metadata/metadata.ts';
import { fileTypeBrands } from './avif/boxes.ts';
import { type AvifInspection, inspectAvif } from './avif/inspect.ts';
import { readAvifMetadata } from './avif/metadata.ts';
import { rewrapAvif } from './avif/rewrap.ts';
import type { ImageType } from './facts.ts';
import type { Appearance, Inspection, InspectionResult, Rewrapper } from './format.ts';
import { inspectJpeg, type JpegInspection } from './jpeg/inspect.ts';
import { readJpegMetadata, rewrapJpeg } from './jpeg/rewrap.ts';
import { inspectPng, type PngInspection } from './png/inspect.ts';
import { pngMetadata } from './png/metadata.ts';
import { pngProfile, storedPngProfile } from './png/profile.ts';
import { rewrapPng } from './png/rewrap.ts';
import { inspectWebp, type WebpInspection } from './webp/inspect.ts';
import { readWebpMetadata, rewrapWebp } from './webp/rewrap.ts';

/**
 * Says what kind of image a whole file is and what its headers tell, without decoding any of it.
 * The bytes decide, no name or media type does. Never throws, allocates nothing that grows with the
 * file, and takes time linear in its length at most.
 *
 * @example
 * const result = inspect(bytes);
 * if (result.kind === 'image' && result.image.type === 'jpeg') console.log(result.image.process);
 */
export function inspect(bytes: Uint8Array): InspectionResult<SourceImage> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const magic = new ByteCursor(view, 0, view.byteLength).text(Math.min(12, view.byteLength));

  if (magic.startsWith('\xff\xd8')) return inspectJpeg(view);
  if (magic.startsWith('\x89PNG')) return inspectPng(view);
  if (magic.startsWith('RIFF') && magic.slice(8) === 'WEBP') return inspectWebp(view);
  const brands = fileTypeBrands(view);
  if (brands.includes('avif') || brands.includes('avis')) return inspectAvif(view, brands);
  return { kind: 'unsupported', what: foreignType(view, brands) };
}

/** First bytes of formats that people do send, as ISO 8859-1. */
const signatures: readonly (readonly [signature: string, name: string])[] = [
  ['GIF87a', 'GIF'],
  ['GIF89a', 'GIF'],
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

/** Comments and a DOCTYPE may come before the root element; further than this nobody looks. */
const svgSearchBytes = 1024;

/**
 * The name of an image format that we know of but do not read, or `unknown`. A hint for an error
 * message: `brands` are those of an ISO base media file.
 */
function foreignType(view: DataView, brands: readonly string[]): string {
  const cursor = new ByteCursor(view, 0, view.byteLength);
  const text = cursor.text(Math.min(svgSearchBytes, cursor.remaining));
  const known = signatures.find(([signature]) => text.startsWith(signature));
  if (known) return known[1];
  if (brands.some((brand) => heifBrands.includes(brand))) return 'HEIC';
  // "BM" alone begins too many texts: the reserved words after the size are zero.
  if (/^BM[\s\S]{4}\0\0\0\0/.test(text)) return 'BMP';
  if (/^(\xef\xbb\xbf)?\s*</.test(text) && /<svg[\s>]/.test(text)) return 'SVG';
  return 'unknown';
}

const readers = {
  jpeg: readJpegMetadata,
  png: pngMetadata,
  webp: readWebpMetadata,
  avif: readAvifMetadata,
} satisfies Record<ImageType, (file: Uint8Array) => Metadata>;

/**
 * The EXIF, XMP and IPTC blocks of a file; `image` is what `inspect` says of `file`. They are
 * subarrays of it, except where they were deflated, in hexadecimal or in pieces. A block that is
 * damaged or larger than `maximumBlockBytes` is null, and all are when the structure of the file cannot be read.
 * An EXIF block begins with a TIFF header; nothing else about the blocks is checked. Never throws,
 * and takes time linear in the file.
 */
export function readMetadata(image: Inspection, file: Uint8Array): Metadata {
  try {
    return readers[image.type as ImageType](file);
  } catch (error) {
    if (error instanceof ContainerError) return noMetadata;
    throw error;
  }
}

const rewrappers = {
  jpeg: rewrapJpeg,
  png: rewrapPng,
  webp: rewrapWebp,
  avif: rewrapAvif,
} satisfies Record<ImageType, Rewrapper>;

/**
 * A copy of `file` whose coded pixel data is untouched, with all metadata that does not change how
 * the picture looks taken out, and exactly this ICC profile and these blocks in place; empty blocks
 * are none. `image` is what `inspect` says of `file`. Animations stay animations. When nothing is
 * added, the copy is no longer than the file. Takes time linear in the file, and memory for the copy.
 *
 * Limits: what a container has no place for is left out. That is IPTC in WebP and AVIF, a block
 * longer than a JPEG segment, and every new block in an AVIF that can only be changed in place (a
 * sequence, or see `rewrapAvif`).
 *
 * @throws ContainerError when the structure of the file cannot be read or cannot carry the profile
 *
 * @example
 * rewrap(image, photo, { icc: iccProfile(image, photo), metadata: noMetadata });
 */
export function rewrap(
  image: Inspection,
  file: Uint8Array,
  { icc, metadata }: Appearance,
): Uint8Array<ArrayBuffer> {
  return rewrappers[image.type as ImageType](image, file, {
    icc,
    metadata: withoutEmpty(metadata),
  });
}

/** A block of no bytes would say "to the end of the file" in an AVIF, and nothing elsewhere. */
function withoutEmpty({ exif, xmp, iptc }: Metadata): Metadata {
  return {
    exif: exif?.length ? exif : null,
    xmp: xmp?.length ? xmp : null,
    iptc: iptc?.length ? iptc : null,
  };
}

/** The same; null when the structure of the file cannot carry what is asked. */
export function rewrapReadable(
  image: Inspection,
  file: Uint8Array,
  appearance: Appearance,
): Uint8Array<ArrayBuffer> | null {
  try {
    return rewrap(image, file, appearance);
  } catch (error) {
    if (error instanceof ContainerError) return null;
    throw error;
  }
}

export type SourceImage = JpegInspection | PngInspection | WebpInspection | AvifInspection;

/**
 * Width and height in pixels as a viewer shows the picture: EXIF orientations 5 to 8 exchange them;
 * an AVIF is first cut to its clean aperture, then turned.
 */
export function uprightSize(image: SourceImage): { width: number; height: number } {
  if (image.type === 'avif') {
    const { width, height } = image.cleanAperture ?? image;
    const turned = image.rotation === 90 || image.rotation === 270;
    return turned ? { width: height, height: width } : { width, height };
  }
  return image.orientation >= 5
    ? { width: image.height, height: image.width }
    : { width: image.width, height: image.height };
}

export function readProfile(image: Inspection, file: Uint8Array): StoredProfile {
  return image.type === 'png' ? storedPngProfile(file, image.icc) : storedProfile(file, image.icc);
}

export function iccProfile(image: Inspection, file: Uint8Array): Uint8Array | null {
  if (image.type === 'png') return pngProfile(file, image.icc);
  const profile = storedProfile(file, image.icc);
  return profile === 'too-large' ? null : profile;
}
