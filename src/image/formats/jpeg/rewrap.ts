import {
  ascii,
  assemble,
  type Build,
  ContainerError,
  joinBytes,
  startsWith,
} from '../../container/assemble.ts';
import {
  gainMapPacket,
  isoSignature,
  isoVersion,
  withGainMapDirectory,
} from '../../metadata/gain-map.ts';
import { iptcResource, readIptcResource } from '../../metadata/iptc.ts';
import {
  blockSignature,
  exifBlock,
  type Metadata,
  metadataBlock,
  noMetadata,
} from '../../metadata/metadata.ts';
import type { Rewrapper } from '../format.ts';
import type { Appearance, GainMapRole } from '../inspection.ts';
import { multiPictureBytes, multiPictureSegment } from './multi-picture.ts';
import { imageParts, marker } from './segments.ts';

/** Maximum content of a segment in bytes: 65535 without the two bytes of its length. */
const maxContentBytes = 65533;

/** Maximum length of a profile's chunk, without 14 bytes for signature and numbers. */
const iccChunkBytes = maxContentBytes - 14;
const maxIccChunks = 255;

/**
 * Keeps the segments that decoding needs, up to the end of the first image, and of the application segments JFIF
 * (without thumbnail, never added) and Adobe, which define the color space. Order: SOI, JFIF, EXIF, XMP, IPTC, ICC, ISO
 * 21496-1, Adobe, MPF, coding segments in their order.
 *
 * A missing end marker is added if that makes the copy no longer than the file.
 *
 * Limit: a block that does not fit into one segment of 65,533 bytes with its signature is dropped. EXIF must not be
 * split (CIPA DC-008 §4.5.4), and few readers join the parts of other blocks. Sources: ITU-T T.81 §B.2, T.871 §10,
 * T.872 §6.5.3, ICC.1:2010 annex B.4, XMP part 3 §1.1.3.
 */
export const rewrapJpeg: Rewrapper = (_image, file, appearance) =>
  assemble(rewrappedJpeg(file, appearance));

/**
 * Prepares the result of `rewrapJpeg`, followed by its gain map, to be written later.
 * @throws ContainerError if the structure of the file cannot be read or cannot carry the profile
 */
export function rewrappedJpeg(file: Uint8Array, appearance: Appearance): Build {
  const head = jpegHead(file, appearance);
  const lastScan = startOfLastScan(file);
  const map = gainMapBehind(appearance);
  return (sink) => {
    if (map && sink.total > 0) completeHead(head, head.length, sink.total - map.length, map);
    sink.write(head);
    let hasEnd = false;
    for (const { kind, start, end } of imageParts(file)) {
      if (kind === 'application') continue;
      // Segments after the last scan do not affect the picture.
      if (kind === 'coding' && start > lastScan) continue;
      if (kind === 'end') hasEnd = true;
      sink.write(file.subarray(start, end));
    }
    if (!hasEnd && sink.position + 2 <= file.length) {
      sink.write(Uint8Array.of(0xff, marker.eoi));
    }
    if (map) sink.write(map);
  };
}

/** The gain map that follows a picture. */
function gainMapBehind({ gainMap }: Appearance): Uint8Array<ArrayBuffer> | null {
  return gainMap?.kind === 'picture' ? gainMap.map : null;
}

/** Length in bytes of the gain map that follows a picture. */
export function gainMapBytes(appearance: Appearance): number {
  return gainMapBehind(appearance)?.length ?? 0;
}

/**
 * Appends a gain map to a picture, and completes the head of the picture with its position.
 * @param picture parts of the picture, the first of which begins with the head
 */
export function withGainMap(
  picture: readonly Uint8Array[],
  headBytes: number,
  appearance: Appearance,
): readonly Uint8Array[] {
  const map = gainMapBehind(appearance);
  const [first] = picture;
  if (!map || !first) return picture;
  const pictureBytes = picture.reduce((sum, { length }) => sum + length, 0);
  completeHead(first, headBytes, pictureBytes, map);
  return [...picture, map];
}

/** Fills in the image index, the last segment of the head, now that the length of the picture is known. */
function completeHead(
  file: Uint8Array,
  headBytes: number,
  pictureBytes: number,
  map: Uint8Array,
): void {
  const at = headBytes - multiPictureBytes;
  file.set(multiPictureSegment(at, pictureBytes, map.length), at);
}

/**
 * Writes the segments before the coded picture: the start marker, color information and metadata.
 * @throws ContainerError if the structure of the file cannot be read or cannot carry the profile
 */
export function jpegHead(file: Uint8Array, appearance: Appearance): Uint8Array {
  return headOf(applicationSegments(file), appearance);
}

/** The content of JFIF 1.01 for square pixels, without thumbnail (ITU-T T.871 §10.1). */
const plainJfif = Uint8Array.of(0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0);

/**
 * Writes the segments before a picture that was encoded from pixels.
 * @throws ContainerError if a JPEG cannot carry the profile
 */
export function codedHead(appearance: Appearance): Uint8Array {
  return headOf({ jfif: plainJfif }, appearance);
}

function headOf(
  { jfif, adobe }: { readonly jfif?: Uint8Array; readonly adobe?: Uint8Array },
  { icc, metadata, gainMap }: Appearance,
): Uint8Array {
  if (icc && icc.length > iccChunkBytes * maxIccChunks) {
    throw new ContainerError('The ICC profile is too large for a JPEG.');
  }
  return joinBytes(
    Uint8Array.of(0xff, marker.soi),
    ...(jfif ? [segment(marker.app0, jfif)] : []),
    ...metadataSegments(gainMap ? withGainMapXmp(metadata, gainMap) : metadata),
    ...iccSegments(icc),
    ...(gainMap?.statement.iso ? [isoSegment(gainMap)] : []),
    ...(adobe ? [segment(marker.app14, adobe)] : []),
    // Filled in later.
    ...(gainMap?.kind === 'picture' ? [new Uint8Array(multiPictureBytes)] : []),
  );
}

/** Adds gain map metadata to XMP. */
function withGainMapXmp(metadata: Metadata, role: GainMapRole): Metadata {
  const { xmp } = role.statement;
  if (!xmp) return metadata;
  const maxBytes = maxContentBytes - blockSignature.xmp.length;
  return {
    ...metadata,
    xmp:
      role.kind === 'map'
        ? gainMapPacket(xmp)
        : withGainMapDirectory(metadata.xmp, role.map.length, maxBytes),
  };
}

/** The ISO 21496-1 segment: metadata in a gain map, only the version in the picture. */
function isoSegment({ kind, statement: { iso } }: GainMapRole): Uint8Array {
  const content = kind === 'map' && iso ? iso : isoVersion;
  return segment(marker.app2, ascii(isoSignature), content);
}

/**
 * Contents of the JFIF and Adobe segments that apply: the last ones before the first scan, as in libjpeg. Both are
 * truncated to their fixed part, which drops JFIF's thumbnail.
 */
function applicationSegments(file: Uint8Array): { jfif?: Uint8Array; adobe?: Uint8Array } {
  const found: { jfif?: Uint8Array; adobe?: Uint8Array } = {};
  for (const { code, start, end } of imageParts(file)) {
    if (code === marker.sos) break;
    const content = file.subarray(start + 4, end);
    if (code === marker.app0 && content.length >= 14 && startsWith(content, 'JFIF\0')) {
      found.jfif = content.slice(0, 14).fill(0, 12);
    }
    if (code === marker.app14 && content.length >= 12 && startsWith(content, 'Adobe')) {
      found.adobe = content.subarray(0, 12);
    }
  }
  return found;
}

/** File offset of the last scan's header. */
function startOfLastScan(file: Uint8Array): number {
  let lastScan = 0;
  for (const { kind, code, start } of imageParts(file)) {
    if (kind === 'coding' && code === marker.sos) lastScan = start;
  }
  return lastScan;
}

function* metadataSegments({ exif, xmp, iptc }: Metadata): Generator<Uint8Array> {
  const blocks = [
    { code: marker.app1, signature: blockSignature.exif, block: exif },
    { code: marker.app1, signature: blockSignature.xmp, block: xmp },
    {
      code: marker.app13,
      signature: blockSignature.photoshop,
      block: iptc && iptcResource(iptc),
    },
  ];
  for (const { code, signature, block } of blocks) {
    if (!block || signature.length + block.length > maxContentBytes) continue;
    yield segment(code, ascii(signature), block);
  }
}

function* iccSegments(icc: Appearance['icc']): Generator<Uint8Array> {
  if (!icc) return;
  const count = Math.ceil(icc.length / iccChunkBytes);
  for (let i = 0; i < count; i++) {
    const chunk = icc.subarray(i * iccChunkBytes, (i + 1) * iccChunkBytes);
    yield segment(marker.app2, ascii('ICC_PROFILE\0'), Uint8Array.of(i + 1, count), chunk);
  }
}

function segment(code: number, ...content: Uint8Array[]): Uint8Array {
  const length = content.reduce((sum, part) => sum + part.length, 2);
  return joinBytes(Uint8Array.of(0xff, code, length >> 8, length & 0xff), ...content);
}

/**
 * Reads the first usable block of each kind before the first scan. Extended XMP, which is in separate segments, is not
 * read: text written by people is in the standard packet.
 *
 * @throws ContainerError if the headers cannot be read
 */
export function readJpegMetadata(file: Uint8Array): Metadata {
  let { exif, xmp, iptc } = noMetadata;
  for (const { code, start, end } of imageParts(file)) {
    if (code === marker.sos) break;
    const content = file.subarray(start + 4, end);
    const after = (signature: string) =>
      startsWith(content, signature) ? content.subarray(signature.length) : null;
    if (code === marker.app1) {
      if (startsWith(content, blockSignature.exif)) exif ??= exifBlock(content);
      const packet = after(blockSignature.xmp);
      if (packet) xmp ??= metadataBlock(packet);
    }
    if (code === marker.app13) {
      const resources = after(blockSignature.photoshop);
      if (resources) iptc ??= readIptcResource(resources);
    }
  }
  return { exif, xmp, iptc };
}
