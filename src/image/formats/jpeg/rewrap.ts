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

/** Two bytes of the 65535 that a segment may have are its length. */
const maxContentBytes = 65533;

/** 14 bytes are the signature and the numbers. */
const iccChunkBytes = maxContentBytes - 14;
const maxIccChunks = 255;

/**
 * Keeps what decoding needs, through the end of the first image, and of the application segments
 * JFIF (without thumbnail, never added where there was none) and Adobe, because both say what the
 * components mean. Order: SOI, JFIF, EXIF, XMP, IPTC, ICC, ISO 21496-1, Adobe, MPF, coding segments as
 * they stood.
 *
 * A missing end marker is added when that makes the copy no longer than the file.
 *
 * Limit: a block that does not fit one segment of 65,533 bytes with its signature is left out. EXIF
 * may not be split (CIPA DC-008 §4.5.4), and few readers put the parts of the others together.
 * Sources: ITU-T T.81 §B.2, T.871 §10, T.872 §6.5.3, ICC.1:2010 annex B.4, XMP part 3 §1.1.3.
 */
export const rewrapJpeg: Rewrapper = (_image, file, appearance) =>
  assemble(rewrappedJpeg(file, appearance));

/**
 * The file that `rewrapJpeg` makes, to be written later, with its gain map behind it.
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
      // segments that no scan follows say nothing about the picture
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

/** The file of the gain map that a picture has behind it. */
function gainMapBehind({ gainMap }: Appearance): Uint8Array<ArrayBuffer> | null {
  return gainMap?.kind === 'picture' ? gainMap.map : null;
}

/** Bytes that a gain map takes behind a picture. */
export function gainMapBytes(appearance: Appearance): number {
  return gainMapBehind(appearance)?.length ?? 0;
}

/**
 * Puts a gain map behind a picture whose head was made for it, and its place into that head.
 * @param picture in parts, of which the first begins with the head
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

/** The index of images comes last in a head, and the length of the picture is known last. */
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
 * What comes before the coded picture: the start marker, and all that says what its samples mean and
 * where it comes from.
 * @throws ContainerError if the structure of the file cannot be read or cannot carry the profile
 */
export function jpegHead(file: Uint8Array, appearance: Appearance): Uint8Array {
  return headOf(applicationSegments(file), appearance);
}

/** The content of JFIF 1.01 with pixels that are square and no thumbnail (ITU-T T.871 §10.1). */
const plainJfif = Uint8Array.of(0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0);

/**
 * What comes before a picture that was coded from pixels.
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
    // to be completed
    ...(gainMap?.kind === 'picture' ? [new Uint8Array(multiPictureBytes)] : []),
  );
}

/** What a file says of gain maps in its XMP, beside what that says otherwise. */
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

/** A picture states the version alone. */
function isoSegment({ kind, statement: { iso } }: GainMapRole): Uint8Array {
  const content = kind === 'map' && iso ? iso : isoVersion;
  return segment(marker.app2, ascii(isoSignature), content);
}

/**
 * Contents of the JFIF and Adobe segments that count: the last before the first scan, as in libjpeg.
 * Both are cut to their fixed part, which leaves out JFIF's thumbnail.
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

/** File offset of its header. */
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
 * The first usable block of each kind before the first scan. Extended XMP, which goes on in segments
 * of its own, is not read: what people wrote is in the standard packet.
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
