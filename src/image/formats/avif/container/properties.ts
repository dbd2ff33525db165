import { ascii, joinBytes, uint16 } from '../../../container/assemble.ts';
import { ByteCursor, viewOf } from '../../../container/byte-cursor.ts';

/** Code points of ITU-T H.273. */
export interface Nclx {
  readonly primaries: number;
  readonly transfer: number;
  readonly matrix: number;
  readonly fullRange: boolean;
}

/** The code points of ITU-T H.273 that are written, or have a meaning of their own. */
export const codePoint = {
  unspecified: 2,
  bt709Primaries: 1,
  srgbTransfer: 13,
  bt601Matrix: 6,
  identityMatrix: 0,
} as const;

/** A region in whole pixels of the coded picture, before rotation and mirroring. */
export interface CleanAperture {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export type AvifChroma = '400' | '420' | '422' | '444';

/** Counterclockwise rotation in degrees (ISO/IEC 23008-12 §6.5.10). */
export type AvifRotation = 0 | 90 | 180 | 270;

/**
 * The sides that are exchanged (ISO/IEC 23008-12:2022 §6.5.12): `top-bottom` is axis 0 (EXIF 4), `left-right` is axis 1
 * (EXIF 2). The 2017 edition named the axes the other way round; libavif and libheif follow the current one.
 */
export type AvifMirror = 'none' | 'top-bottom' | 'left-right';

/*
 * Item properties (ISO/IEC 23008-12 §6.5). Each function takes the content of a box in `ipco`, which begins with
 * version and flags if the property is a full box.
 */

/** Item properties that affect how a picture looks (ISO/IEC 23008-12 §6.5). */
export const pictureProperties: ReadonlySet<string> = new Set([
  ...['ispe', 'pixi', 'pasp', 'colr', 'auxC', 'av1C', 'a1op', 'a1lx', 'lsel'],
  ...['clap', 'irot', 'imir', 'clli', 'mdcv', 'cclv', 'amve', 'reve', 'ndwt', 'iscl', 'rloc'],
]);

export interface SpatialExtents {
  /** Size in pixels. */
  readonly width: number;
  readonly height: number;
}

/** Reads `ispe` (ISO/IEC 23008-12 §6.5.3); undefined if truncated. */
export function readSpatialExtents(content: Uint8Array): SpatialExtents | undefined {
  const cursor = openFullProperty(content);
  const width = cursor.uint32();
  const height = cursor.uint32();
  return cursor.overrun ? undefined : { width, height };
}

export interface Av1Configuration {
  readonly bitDepth: 8 | 10 | 12;
  readonly chroma: AvifChroma;
}

/** Reads `av1C` (AV1 Codec ISO Media File Format Binding §2.3); undefined if truncated or of another version. */
export function readAv1Configuration(content: Uint8Array): Av1Configuration | undefined {
  const cursor = openProperty(content);
  const markerAndVersion = cursor.uint8();
  cursor.skip(1);
  const bits = cursor.uint8();
  if (cursor.overrun || markerAndVersion !== 0x81) return undefined;
  const isHighBitDepth = (bits & 0x40) !== 0;
  const isTwelveBit = (bits & 0x20) !== 0;
  return {
    bitDepth: isHighBitDepth ? (isTwelveBit ? 12 : 10) : 8,
    chroma: av1Chroma((bits & 0x10) !== 0, (bits & 0x08) !== 0, (bits & 0x04) !== 0),
  };
}

function av1Chroma(monochrome: boolean, halfWidth: boolean, halfHeight: boolean): AvifChroma {
  if (monochrome) return '400';
  if (!halfWidth) return '444';
  return halfHeight ? '420' : '422';
}

/** Reads `colr` of kind `nclx` (ISO/IEC 14496-12 §12.1.5); undefined for other kinds. */
export function readNclx(content: Uint8Array): Nclx | undefined {
  const cursor = openProperty(content);
  if (cursor.text(4) !== 'nclx') return undefined;
  const primaries = cursor.uint16();
  const transfer = cursor.uint16();
  const matrix = cursor.uint16();
  const fullRange = (cursor.uint8() & 0x80) !== 0;
  return cursor.overrun ? undefined : { primaries, transfer, matrix, fullRange };
}

/** The content of `colr` of kind `nclx`. */
export function writeNclx({ primaries, transfer, matrix, fullRange }: Nclx): Uint8Array {
  const range = Uint8Array.of(fullRange ? 0x80 : 0);
  return joinBytes(ascii('nclx'), uint16(primaries, transfer, matrix), range);
}

/** The ICC profile in a `colr` box, restricted (`rICC`) or not; undefined for `nclx`. */
export function readColorProfile(content: Uint8Array): Uint8Array | undefined {
  const kind = openProperty(content).text(4);
  return kind === 'prof' || kind === 'rICC' ? content.subarray(4) : undefined;
}

const rotations = [0, 90, 180, 270] as const;

/** Reads `irot` (ISO/IEC 23008-12 §6.5.10). */
export function readRotation(content: Uint8Array): AvifRotation {
  return rotations[openProperty(content).uint8() & 3] ?? 0;
}

/** Reads `imir` (ISO/IEC 23008-12:2022 §6.5.12). */
export function readMirror(content: Uint8Array): AvifMirror {
  const axis = openProperty(content).uint8() & 1;
  return axis === 0 ? 'top-bottom' : 'left-right';
}

/**
 * Reads `clap` as whole pixels. The box contains the size, and the distance of its center from the picture's center, as
 * fractions (ISO/IEC 14496-12 §12.1.4.1); MIAF (ISO/IEC 23000-22 §7.3.6.7) requires whole pixels inside the picture.
 * Null if they are not: browsers then show the whole picture.
 */
export function readCleanAperture(
  content: Uint8Array,
  picture: SpatialExtents,
): CleanAperture | null {
  const cursor = openProperty(content);
  const width = cursor.uint32() / cursor.uint32();
  const height = cursor.uint32() / cursor.uint32();
  const horizontalOffset = cursor.int32() / cursor.uint32();
  const verticalOffset = cursor.int32() / cursor.uint32();
  const left = horizontalOffset + (picture.width - width) / 2;
  const top = verticalOffset + (picture.height - height) / 2;
  const numbers = [left, top, width, height];
  if (cursor.overrun || !numbers.every(Number.isInteger)) return null;
  const isInside =
    left >= 0 && top >= 0 && left + width <= picture.width && top + height <= picture.height;
  return width > 0 && height > 0 && isInside ? { left, top, width, height } : null;
}

const alphaTypes = [
  'urn:mpeg:mpegB:cicp:systems:auxiliary:alpha',
  'urn:mpeg:hevc:2015:auxid:1',
] as const;

/** Whether `auxC` (ISO/IEC 23008-12 §6.5.8) has one of the alpha types of MIAF (ISO/IEC 23000-22 §7.3.5.2). */
export function isAlphaType(content: Uint8Array): boolean {
  const cursor = openFullProperty(content);
  const text = cursor.text(Math.min(cursor.remaining, 64));
  return alphaTypes.some((type) => text.startsWith(`${type}\0`));
}

function openProperty(content: Uint8Array): ByteCursor {
  return new ByteCursor(viewOf(content), 0, content.length);
}

function openFullProperty(content: Uint8Array): ByteCursor {
  const cursor = openProperty(content);
  cursor.skip(4);
  return cursor;
}
