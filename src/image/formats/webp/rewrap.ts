import { ascii, assemble, ContainerError, type Sink } from '../../container/assemble.ts';
import { viewOf } from '../../container/byte-cursor.ts';
import { exifBlock, type Metadata, metadataBlock, noMetadata } from '../../metadata/metadata.ts';
import { isUnreadable } from '../../refusal.ts';
import type { Rewrapper } from '../format.ts';
import {
  chunkHeaderBytes,
  extendedFlag,
  nextChunk,
  openContainer,
  readFrame,
  type WebpChunk,
} from './reader.ts';

/** The picture itself, as chunks of the old file that may stand in a file without anything else. */
interface Picture {
  chunks(): Iterable<WebpChunk>;
  readonly isAnimation: boolean;
  readonly hasAlpha: boolean;
  /** Several chunks, which only VP8X allows. */
  readonly isExtended: boolean;
}

/**
 * Keeps the image data, and writes the simple file format when nothing asks for more. Frames of an
 * animation are kept as they are, unknown chunks inside them too. IPTC has no place in a WebP and is
 * left out.
 *
 * A padding byte that the file forgot behind its image is added when that makes the copy no longer.
 * Source: RFC 9649 §2.3–2.7.
 */
export const rewrapWebp: Rewrapper = (image, file, { icc, metadata }) => {
  const { exif, xmp } = metadata;
  const picture = image.frames > 1 ? animation(file, image.hasAlpha) : still(file);
  const isExtended = picture.isExtended || [icc, exif, xmp].some((block) => block !== null);
  const flags =
    (picture.isAnimation ? extendedFlag.animation : 0) |
    (picture.hasAlpha ? extendedFlag.alpha : 0) |
    (icc ? extendedFlag.icc : 0) |
    (exif ? extendedFlag.exif : 0) |
    (xmp ? extendedFlag.xmp : 0);

  return assemble((sink) => {
    writeHeader(sink, 'RIFF', sink.total - chunkHeaderBytes);
    sink.write(ascii('WEBP'));
    if (isExtended) {
      writeHeader(sink, 'VP8X', 10);
      sink.write(
        Uint8Array.of(flags, 0, 0, 0, ...uint24(image.width - 1), ...uint24(image.height - 1)),
      );
    }
    if (icc) writeBlock(sink, 'ICCP', icc);
    for (const chunk of picture.chunks()) {
      pad(sink);
      sink.write(file.subarray(chunk.start - chunkHeaderBytes, chunk.end));
    }
    if (exif) writeBlock(sink, 'EXIF', exif);
    if (xmp) writeBlock(sink, 'XMP ', xmp);
    if (icc || exif || xmp || sink.position < file.length) pad(sink);
  });
};

/** The first image, with the alpha that stands before it when it is a lossy one. */
function still(file: Uint8Array): Picture {
  let alpha: WebpChunk | undefined;
  for (const chunk of chunksOf(file)) {
    if (chunk.type === 'ALPH') alpha = chunk;
    if (chunk.type === 'VP8 ') {
      const list = alpha ? [alpha, chunk] : [chunk];
      const hasAlpha = alpha !== undefined;
      return { chunks: () => list, isAnimation: false, hasAlpha, isExtended: hasAlpha };
    }
    if (chunk.type === 'VP8L') {
      const frame = readFrame(viewOf(file), chunk);
      const hasAlpha = frame !== undefined && !isUnreadable(frame) && frame.hasAlpha;
      return { chunks: () => [chunk], isAnimation: false, hasAlpha, isExtended: false };
    }
  }
  throw new ContainerError('The WebP has no image.');
}

function animation(file: Uint8Array, hasAlpha: boolean): Picture {
  function* frames(): Generator<WebpChunk> {
    for (const chunk of chunksOf(file)) {
      if (chunk.type === 'ANIM' || chunk.type === 'ANMF') yield chunk;
    }
  }
  return { chunks: frames, isAnimation: true, hasAlpha, isExtended: true };
}

/** @throws ContainerError at a chunk that is longer than the container */
function* chunksOf(file: Uint8Array): Generator<WebpChunk> {
  const { cursor } = openContainer(viewOf(file));
  while (cursor.remaining > 0) {
    const chunk = nextChunk(cursor);
    if (!chunk) throw new ContainerError('A WebP chunk is longer than what holds it.');
    yield chunk;
  }
}

/** Chunks begin at even offsets. */
function pad(sink: Sink): void {
  if (sink.position % 2 === 1) sink.write(Uint8Array.of(0));
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

/** Little-endian. */
function uint24(value: number): [number, number, number] {
  return [value & 0xff, (value >>> 8) & 0xff, (value >>> 16) & 0xff];
}

/**
 * The first usable EXIF and XMP chunk, whatever the VP8X flags say of them: writers forget the
 * flags, and what is there is what people mean to keep. Source: RFC 9649 §2.7.1.5.
 *
 * @throws ContainerError when the chunks cannot be read
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
