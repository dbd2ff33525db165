import { startsWith } from '../container/assemble.ts';
import type { Orientation } from './exif-block.ts';
import { notXml } from './xmp-packet.ts';

/** Metadata of a file, independent of its container. */
export interface Metadata {
  /** An EXIF block, starting with its TIFF header, without `Exif\0\0` (CIPA DC-008 §4.5). */
  readonly exif: Uint8Array | null;
  /** An XMP packet in UTF-8 (ISO 16684-1). */
  readonly xmp: Uint8Array | null;
  /** IPTC datasets, as in Photoshop's image resource 0x0404 (IPTC-IIM 4.2 §1.6). */
  readonly iptc: Uint8Array | null;
  /** Rights statements in separate texts, as in PNG; absent if there are none. */
  readonly texts?: RightsTexts;
}

/** Texts under keywords of PNG (PNG third edition §11.3.3.1). */
export interface RightsTexts {
  /** Text under `Copyright`. */
  readonly notice: string | null;
  /** Text under `Author`. */
  readonly author: string | null;
}

/** How the picture is stored in a result, and which metadata its container supports. */
export interface Shown {
  /** EXIF orientation that the result needs as a tag; 1 if its pixels are upright. */
  readonly orientation: Orientation;
  /** Size of the coded result if the picture was rotated, cropped or resized; else null. */
  readonly newSize: NewSize | null;
  /** Whether samples have become sRGB that were inks, so that what is stated about those is untrue. Default: false. */
  readonly isNowSrgb?: boolean;
  /** Whether the container has a place for IPTC (JPEG and PNG). */
  readonly holdsIptc: boolean;
  /** Where a copyright notice takes the fewest bytes. */
  readonly noticesIn: NoticePlace;
}

/** A size in pixels that is not that of the source. */
export interface NewSize {
  readonly width: number;
  readonly height: number;
  /** Pixels per pixel of the source, across and down; null if the picture was rotated or cropped. */
  readonly scale: { readonly x: number; readonly y: number } | null;
}

/** The place for a copyright notice: a separate text, EXIF, or XMP because the container has no place for EXIF. */
export type NoticePlace = 'text' | 'exif' | 'xmp';

/** A kind of metadata block. */
export type MetadataKind = 'exif' | 'xmp' | 'iptc';

export const noMetadata: Metadata = { exif: null, xmp: null, iptc: null };

/**
 * Signatures of blocks in application segments of a JPEG: EXIF and XMP in APP1, Photoshop's image resources, which
 * contain IPTC, in APP13. Some writers add them in other containers, too. Sources: CIPA DC-008 §4.5.4, XMP part 3
 * §1.1.3.
 */
export const blockSignature = {
  exif: 'Exif\0\0',
  xmp: 'http://ns.adobe.com/xap/1.0/\0',
  photoshop: 'Photoshop 3.0\0',
} as const;

/**
 * Maximum length of a block in bytes; longer ones are ignored. A JPEG segment contains up to 64 KiB, and real blocks in
 * other containers are hardly longer. The limit is needed because blocks are decompressed, parsed and copied while a
 * picture is in memory, and a file may claim any length.
 */
export const maxBlockBytes = 256 * 1024;

/**
 * Maximum memory of a file's blocks in bytes: three blocks, each as read and as written, and the text from which one of
 * them is decoded.
 */
export const metadataBytes = 10 * maxBlockBytes;

/** Returns the block, or null if it is empty or longer than `maxBlockBytes`. */
export function metadataBlock(bytes: Uint8Array): Uint8Array | null {
  return bytes.length > 0 && bytes.length <= maxBlockBytes ? bytes : null;
}

/**
 * Returns an EXIF block starting with its TIFF header, or null if it has none. In JPEG it follows `Exif\0\0`, which
 * some writers add in other containers, too. Source: CIPA DC-008 §4.5.2, TIFF 6.0 §2.
 */
export function exifBlock(bytes: Uint8Array): Uint8Array | null {
  const { exif } = blockSignature;
  const tiff = startsWith(bytes, exif) ? bytes.subarray(exif.length) : bytes;
  return startsWith(tiff, 'II*\0') || startsWith(tiff, 'MM\0*') ? metadataBlock(tiff) : null;
}

/** Removes empty blocks: in an AVIF, a length of 0 would mean "to the end of the file". */
export function withoutEmpty({ exif, xmp, iptc, ...others }: Metadata): Metadata {
  return {
    ...others,
    exif: exif?.length ? exif : null,
    xmp: xmp?.length ? xmp : null,
    iptc: iptc?.length ? iptc : null,
  };
}

/**
 * Decodes a text of EXIF, IPTC or PNG: as UTF-8 if declared or valid, else as ISO 8859-1. IIM also allows other
 * character sets by ISO 2022 escapes, which are not used in practice.
 */
export function textOf(data: Uint8Array, isUtf8 = false): string {
  const text = isUtf8 || isValidUtf8(data) ? new TextDecoder().decode(data) : latin1(data);
  return text.replace(notXml, '').trim();
}

function isValidUtf8(data: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(data);
    return true;
  } catch {
    return false;
  }
}

function latin1(data: Uint8Array): string {
  let text = '';
  for (const byte of data) text += String.fromCharCode(byte);
  return text;
}
