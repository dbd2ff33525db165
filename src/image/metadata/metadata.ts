import { startsWith } from '../container/assemble.ts';
import type { Orientation } from './exif-block.ts';
import { notXml } from './xmp-packet.ts';

/** What a file says beside its picture, in the form that every container can hold. */
export interface Metadata {
  /** An EXIF block: from its TIFF header on, without `Exif\0\0` (CIPA DC-008 §4.5). */
  readonly exif: Uint8Array | null;
  /** An XMP packet in UTF-8 (ISO 16684-1). */
  readonly xmp: Uint8Array | null;
  /** IPTC datasets, as they stand in Photoshop's image resource 0x0404 (IPTC-IIM 4.2 §1.6). */
  readonly iptc: Uint8Array | null;
  /** Statements of rights in texts of their own, as PNG has them; absent if there are none. */
  readonly texts?: RightsTexts;
}

/** Keywords of PNG, and what stands under them (PNG third edition §11.3.3.1). */
export interface RightsTexts {
  /** `Copyright`. */
  readonly notice: string | null;
  /** `Author`. */
  readonly author: string | null;
}

/** How a result shows its picture, and what its container has a place for. */
export interface Shown {
  /** EXIF orientation that the result needs as a tag; 1 when its pixels are upright. */
  readonly orientation: Orientation;
  /**
   * Width and height in pixels of the coded result when its pixels were turned, cut or resized; null if they are as
   * they were.
   */
  readonly newSize: { readonly width: number; readonly height: number } | null;
  /** The container has a place for IPTC (JPEG and PNG). */
  readonly holdsIptc: boolean;
  /** Where a copyright notice takes the fewest bytes; `xmp`: the container has no place for EXIF. */
  readonly noticesIn: NoticePlace;
}

/** Where a container has a copyright notice: in a text of its own, in EXIF, or in XMP alone. */
export type NoticePlace = 'text' | 'exif' | 'xmp';

export const noMetadata: Metadata = { exif: null, xmp: null, iptc: null };

/**
 * What a block begins with in an application segment of a JPEG: EXIF and XMP in APP1, Photoshop's
 * image resources, which hold IPTC, in APP13. Some writers put it into other containers too.
 * Sources: CIPA DC-008 §4.5.4, XMP part 3 §1.1.3.
 */
export const blockSignature = {
  exif: 'Exif\0\0',
  xmp: 'http://ns.adobe.com/xap/1.0/\0',
  photoshop: 'Photoshop 3.0\0',
} as const;

/**
 * Larger blocks are taken as none. A JPEG segment holds 64 KiB, and real blocks of other containers
 * are hardly longer; the bound is there because blocks are inflated, parsed and copied beside a
 * picture in memory, and a file may claim any length for them.
 */
export const maxBlockBytes = 256 * 1024;

/**
 * The most that the blocks of a file take at one moment: three of them, as they are read and as they
 * are written, and the text that one of them is unpacked from.
 */
export const metadataBytes = 10 * maxBlockBytes;

/** A block as it is, or null if it is empty or larger than `maxBlockBytes`. */
export function metadataBlock(bytes: Uint8Array): Uint8Array | null {
  return bytes.length > 0 && bytes.length <= maxBlockBytes ? bytes : null;
}

/**
 * An EXIF block from its TIFF header on, or null if it has none. JPEG has `Exif\0\0` before it; some writers put it
 * into other containers too. Source: CIPA DC-008 §4.5.2, TIFF 6.0 §2.
 */
export function exifBlock(bytes: Uint8Array): Uint8Array | null {
  const { exif } = blockSignature;
  const tiff = startsWith(bytes, exif) ? bytes.subarray(exif.length) : bytes;
  return startsWith(tiff, 'II*\0') || startsWith(tiff, 'MM\0*') ? metadataBlock(tiff) : null;
}

/** A block of no bytes would say "to the end of the file" in an AVIF, and nothing elsewhere. */
export function withoutEmpty({ exif, xmp, iptc, ...others }: Metadata): Metadata {
  return {
    ...others,
    exif: exif?.length ? exif : null,
    xmp: xmp?.length ? xmp : null,
    iptc: iptc?.length ? iptc : null,
  };
}

/**
 * The text in a statement of EXIF, IPTC or PNG: UTF-8 when it says so or is, otherwise ISO 8859-1. IIM has ISO 2022
 * escapes for others, which nobody writes.
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
