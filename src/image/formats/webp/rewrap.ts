import {
  ascii,
  assemble,
  type Build,
  ContainerError,
  type Sink,
} from '../../container/assemble.ts';
import { ByteCursor, viewOf } from '../../container/byte-cursor.ts';
import { exifBlock, type Metadata, metadataBlock, noMetadata } from '../../metadata/metadata.ts';
import { isUnreadable } from '../../refusal.ts';
import type { Rewrapper } from '../format.ts';
import type { Appearance, Inspection } from '../inspection.ts';
import {
  announcesAlpha,
  chunkHeaderBytes,
  extendedFlag,
  nextChunk,
  openContainer,
  readFrame,
  type WebpChunk,
} from './reader.ts';

/** The image data, which may be the only content of a file. */
interface Picture {
  /** Writes its chunks, each at an even offset. */
  write(sink: Sink): void;
  readonly isAnimation: boolean;
  readonly hasAlpha: boolean;
  /** Whether there are several chunks, which requires VP8X. */
  readonly isExtended: boolean;
}

/**
 * Copies the image data, into the simple file format if possible. Frames of an animation keep only their headers and
 * image chunks. IPTC is left out, because WebP cannot hold it.
 *
 * A missing padding byte after the image is added if that does not make the copy longer than the original. Source: RFC
 * 9649 §2.3–2.7.
 */
export const rewrapWebp: Rewrapper = (image, file, appearance) =>
  assemble(rewrappedWebp(image, file, appearance));

/** The result of `rewrapWebp` as a build that is not yet written. */
export function rewrappedWebp(
  image: Inspection,
  file: Uint8Array,
  { icc, metadata }: Appearance,
): Build {
  const { exif, xmp } = metadata;
  const picture = image.frames > 1 ? animation(file, image.hasAlpha) : still(file);
  const isExtended = picture.isExtended || [icc, exif, xmp].some((block) => block !== null);
  const flags =
    (picture.isAnimation ? extendedFlag.animation : 0) |
    (picture.hasAlpha ? extendedFlag.alpha : 0) |
    (icc ? extendedFlag.icc : 0) |
    (exif ? extendedFlag.exif : 0) |
    (xmp ? extendedFlag.xmp : 0);

  return (sink) => {
    writeHeader(sink, 'RIFF', sink.total - chunkHeaderBytes);
    sink.write(ascii('WEBP'));
    if (isExtended) {
      writeHeader(sink, 'VP8X', 10);
      sink.write(
        Uint8Array.of(flags, 0, 0, 0, ...uint24(image.width - 1), ...uint24(image.height - 1)),
      );
    }
    if (icc) writeBlock(sink, 'ICCP', icc);
    picture.write(sink);
    if (exif) writeBlock(sink, 'EXIF', exif);
    if (xmp) writeBlock(sink, 'XMP ', xmp);
    if (icc || exif || xmp || sink.position < file.length) pad(sink);
  };
}

/** The first image, with the preceding alpha chunk if it is lossy and the alpha counts. */
function still(file: Uint8Array): Picture {
  const mayHaveAlpha = announcesAlpha(viewOf(file));
  let alpha: WebpChunk | undefined;
  for (const chunk of chunksOf(file)) {
    if (chunk.type === 'ALPH' && mayHaveAlpha) alpha = chunk;
    if (chunk.type === 'VP8 ') {
      const list = alpha ? [alpha, chunk] : [chunk];
      const hasAlpha = alpha !== undefined;
      return { write: writing(file, list), isAnimation: false, hasAlpha, isExtended: hasAlpha };
    }
    if (chunk.type === 'VP8L') {
      const frame = readFrame(viewOf(file), chunk);
      const hasAlpha = frame !== undefined && !isUnreadable(frame) && frame.hasAlpha;
      return { write: writing(file, [chunk]), isAnimation: false, hasAlpha, isExtended: false };
    }
  }
  throw new ContainerError('The WebP has no image.');
}

function writing(file: Uint8Array, chunks: readonly WebpChunk[]): Picture['write'] {
  return (sink) => {
    for (const chunk of chunks) writeChunk(sink, file, chunk);
  };
}

function animation(file: Uint8Array, hasAlpha: boolean): Picture {
  const mayHaveAlpha = announcesAlpha(viewOf(file));
  const write = (sink: Sink) => {
    let hasLoopCount = false;
    for (const chunk of chunksOf(file)) {
      if (chunk.type === 'ANMF') writeFrame(sink, file, chunk, mayHaveAlpha);
      if (chunk.type !== 'ANIM' || hasLoopCount) continue;
      const end = Math.min(chunk.end, chunk.start + loopCountBytes);
      writeBlock(sink, 'ANIM', file.subarray(chunk.start, end));
      hasLoopCount = true;
    }
  };
  return { write, isAnimation: true, hasAlpha, isExtended: true };
}

/** Size of the background color and loop count in an ANIM chunk (RFC 9649 §2.7.1.1); further bytes are ignored. */
const loopCountBytes = 6;

/** Writes a frame without chunks that are not part of its picture. */
function writeFrame(sink: Sink, file: Uint8Array, anmf: WebpChunk, mayHaveAlpha: boolean): void {
  const picture = pictureChunks(file, anmf, mayHaveAlpha);
  const length = picture.reduce(
    (sum, { start, end }) => sum + paddedBytes(end - start),
    frameBytes,
  );
  if (length >= anmf.end - anmf.start) {
    writeChunk(sink, file, anmf);
    return;
  }
  pad(sink);
  writeHeader(sink, 'ANMF', length);
  sink.write(file.subarray(anmf.start, anmf.start + frameBytes));
  for (const chunk of picture) writeChunk(sink, file, chunk);
  pad(sink);
}

/** Size of the header of an ANMF chunk, before its image chunks. */
const frameBytes = 16;

/** Padded size of a chunk with a payload of this length. */
function paddedBytes(length: number): number {
  return chunkHeaderBytes + length + (length % 2);
}

/**
 * The image chunks of a frame: its first bitstream, with the last preceding alpha chunk if it is lossy and the alpha
 * counts.
 */
function pictureChunks(
  file: Uint8Array,
  anmf: WebpChunk,
  mayHaveAlpha: boolean,
): readonly WebpChunk[] {
  const cursor = new ByteCursor(viewOf(file), anmf.start + frameBytes, anmf.end, 'little');
  let alpha: WebpChunk | undefined;
  for (let chunk = nextChunk(cursor); chunk; chunk = nextChunk(cursor)) {
    if (chunk.type === 'ALPH' && mayHaveAlpha) alpha = chunk;
    if (chunk.type === 'VP8L') return [chunk];
    if (chunk.type === 'VP8 ') return alpha ? [alpha, chunk] : [chunk];
  }
  throw new ContainerError('A WebP animation frame has no image.');
}

/** The chunks up to the end of the container, or to one that exceeds it, which `inspectWebp` has accepted. */
function* chunksOf(file: Uint8Array): Generator<WebpChunk> {
  const { cursor } = openContainer(viewOf(file));
  for (let chunk = nextChunk(cursor); chunk; chunk = nextChunk(cursor)) yield chunk;
}

/** Chunks begin at even offsets. */
function pad(sink: Sink): void {
  if (sink.position % 2 === 1) sink.write(Uint8Array.of(0));
}

/** Copies a chunk from the original file. */
function writeChunk(sink: Sink, file: Uint8Array, { start, end }: WebpChunk): void {
  pad(sink);
  sink.write(file.subarray(start - chunkHeaderBytes, end));
}

function writeBlock(sink: Sink, type: string, block: Uint8Array): void {
  pad(sink);
  writeHeader(sink, type, block.length);
  sink.write(block);
}

function writeHeader(sink: Sink, type: string, length: number): void {
  sink.write(ascii(type));
  sink.write(Uint8Array.of(...uint24(length), (length >>> 24) & 0xff));
}

/** The bytes of a 24-bit number, little-endian. */
function uint24(value: number): [number, number, number] {
  return [value & 0xff, (value >>> 8) & 0xff, (value >>> 16) & 0xff];
}

/**
 * The first usable EXIF and XMP chunks, regardless of the VP8X flags, which some writers forget. Source: RFC 9649
 * §2.7.1.5.
 */
export function readWebpMetadata(file: Uint8Array): Metadata {
  let { exif, xmp } = noMetadata;
  for (const { type, start, end } of chunksOf(file)) {
    const payload = file.subarray(start, end);
    if (type === 'EXIF') exif ??= exifBlock(payload);
    if (type === 'XMP ') xmp ??= metadataBlock(payload);
  }
  return { exif, xmp, iptc: null };
}
