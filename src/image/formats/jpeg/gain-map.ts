import { ContainerError, startsWith } from '../../container/assemble.ts';
import { type ByteRange, viewOf } from '../../container/byte-cursor.ts';
import {
  appleGainMap,
  type GainMapStatement,
  gainMapInDirectory,
  isoSignature,
  mentionsGainMap,
  readGainMapProperties,
  readIsoStatement,
} from '../../metadata/gain-map.ts';
import { blockSignature } from '../../metadata/metadata.ts';
import { mentions } from '../../metadata/xmp-packet.ts';
import type { InspectionResult } from '../inspection.ts';
import { inspectJpeg, type JpegGainMap, type JpegInspection } from './inspect.ts';
import { listedImages } from './multi-picture.ts';
import { imageParts, marker } from './segments.ts';

/**
 * Reads the headers of a JPEG, and those of the gain map after it, if there is one: a separate JPEG that is listed in a
 * directory in the picture's XMP (Ultra HDR Image Format v1.1) or in its image index (CIPA DC-007), and has metadata as
 * XMP or by ISO 21496-1.
 *
 * If the gain map is missing or invalid, the file counts as an ordinary JPEG.
 */
export function inspectWithGainMap(file: Uint8Array): InspectionResult<JpegInspection> {
  const result = inspectJpeg(viewOf(file));
  if (result.kind !== 'image') return result;
  const gainMap = findGainMap(file);
  return gainMap ? { kind: 'image', image: { ...result.image, gainMap } } : result;
}

/** @returns `bound` for a gain map of Apple, which depends on maker notes; null if there is none */
function findGainMap(file: Uint8Array): JpegGainMap | 'bound' | null {
  const picture = headersOf(file);
  if (!picture) return null;
  const directory = picture.xmp && gainMapInDirectory(picture.xmp);
  if (directory === null && picture.images.length === 0) return null;
  const end = endOfImage(file);
  // The directory has precedence: its offsets count from the end of the picture, so they stay valid if headers are
  // edited.
  const stated = directory === null ? [] : [end + directory];
  const starts = new Set([...stated, ...picture.images]);
  return firstGainMap(
    file,
    picture,
    [...starts].filter((start) => start >= end),
  );
}

/** Data about gain maps in the headers of an image. */
interface Headers {
  readonly xmp: Uint8Array | null;
  /** Data after the signature of ISO 21496-1. */
  readonly iso: Uint8Array | null;
  /** File offsets of further images, as listed. */
  readonly images: readonly number[];
}

/** Reads the headers of an image; null if they are damaged. */
function headersOf(file: Uint8Array): Headers | null {
  try {
    return readHeaders(file);
  } catch (error) {
    if (error instanceof ContainerError) return null;
    throw error;
  }
}

function readHeaders(file: Uint8Array): Headers {
  let xmp: Uint8Array | null = null;
  let iso: Uint8Array | null = null;
  let images: readonly number[] = [];
  for (const { code, start, end } of imageParts(file)) {
    if (code === marker.sos) break;
    if (code !== marker.app1 && code !== marker.app2) continue;
    const content = file.subarray(start + 4, end);
    if (code === marker.app1 && startsWith(content, blockSignature.xmp)) {
      xmp ??= content.subarray(blockSignature.xmp.length);
    }
    if (code !== marker.app2) continue;
    if (startsWith(content, isoSignature)) iso ??= content.subarray(isoSignature.length);
    if (images.length === 0) images = listedImages(content, start + 4);
  }
  return { xmp, iso, images };
}

/** File offset of the end of the first image. */
function endOfImage(file: Uint8Array): number {
  let last = file.length;
  for (const { end } of imageParts(file)) last = end;
  return last;
}

/** Maximum length of a gain map's headers in bytes; cameras write a few hundred bytes to a few kilobytes. */
const maxHeaderBytes = 256 * 1024;

function firstGainMap(
  file: Uint8Array,
  picture: Headers,
  starts: readonly number[],
): JpegGainMap | 'bound' | null {
  const isDeclared = picture.iso !== null || (picture.xmp !== null && mentionsGainMap(picture.xmp));
  let isBound = false;
  for (const start of starts) {
    // SOI and the first byte of another marker.
    if (!startsWith(file.subarray(start), '\xff\xd8\xff')) continue;
    const headers = headersOf(file.subarray(start, start + maxHeaderBytes));
    if (!headers) continue;
    const statement = statementOf(headers);
    // Only the first image with gain map metadata is inspected as a whole.
    if (statement) return isDeclared ? gainMapAt(file, start, statement) : null;
    isBound ||= headers.xmp !== null && mentions(headers.xmp, [appleGainMap]);
  }
  return isBound ? 'bound' : null;
}

/** Maximum length of a gain map's profile in bytes: one segment; those of cameras have a few hundred bytes. */
const maxProfileBytes = 65_519;

function statementOf({ xmp, iso }: Headers): GainMapStatement | null {
  const statement = {
    xmp: xmp && readGainMapProperties(xmp),
    iso: iso && readIsoStatement(iso),
  };
  return statement.xmp || statement.iso ? statement : null;
}

function gainMapAt(
  file: Uint8Array,
  start: number,
  statement: GainMapStatement,
): JpegGainMap | null {
  const rest = file.subarray(start);
  const result = inspectJpeg(viewOf(rest));
  if (result.kind !== 'image' || !isUsable(result.image)) return null;
  const at: ByteRange = { offset: start, length: endOfImage(rest) };
  return { at, image: result.image, statement };
}

/** Whether a gain map is gray or color, and complete according to its headers. */
function isUsable({ colorSpace, hasEndMarker, icc }: JpegInspection): boolean {
  const profileBytes = icc.reduce((sum, { length }) => sum + length, 0);
  const hasColors = colorSpace !== 'cmyk' && colorSpace !== 'ycck';
  return hasColors && hasEndMarker && profileBytes <= maxProfileBytes;
}
