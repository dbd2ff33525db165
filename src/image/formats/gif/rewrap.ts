import {
  ascii,
  assemble,
  type Build,
  ContainerError,
  type Sink,
} from '../../container/assemble.ts';
import { viewOf } from '../../container/byte-cursor.ts';
import { type Metadata, metadataBlock, noMetadata } from '../../metadata/metadata.ts';
import type { Rewrapper } from '../format.ts';
import type { Appearance } from '../inspection.ts';
import {
  extensionLabel,
  gifBlocks,
  introducer,
  readHeader,
  xmpApplication,
  xmpTrailer,
} from './blocks.ts';

/**
 * Copies header, frames, delays and loop count. Plain text blocks and unknown extensions are dropped, and comments
 * unless they are requested; EXIF, IPTC and profiles have no place in a GIF. A missing trailer is added if the copy is
 * then no longer than the file, and the data before it are complete.
 */
export const rewrapGif: Rewrapper = (_image, file, appearance) =>
  assemble(rewrappedGif(file, appearance));

/**
 * Returns the function that assembles a file around its encoded frames.
 * @throws ContainerError if the header cannot be read
 */
export function rewrappedGif(
  file: Uint8Array,
  { metadata, commentsOf }: Pick<Appearance, 'metadata' | 'commentsOf'>,
): Build {
  const view = viewOf(file);
  const header = readHeader(view);
  if (!header) throw new ContainerError('The GIF ends inside its header.');
  const { xmp } = metadata;
  return (sink) => {
    sink.write(xmp ? ascii('GIF89a') : file.subarray(0, 6));
    sink.write(file.subarray(6, header.end));
    writeLoop(sink, loopCount(file, header.end));
    if (commentsOf) writeComments(sink, commentsOf);
    writeXmp(sink, xmp);
    let control: Uint8Array | null = null;
    let isCut = false;
    for (const block of gifBlocks(view, header.end)) {
      const bytes = file.subarray(block.start, block.end);
      if (block.kind === 'control') control = bytes;
      if (block.kind !== 'image') continue;
      if (control) sink.write(control);
      sink.write(bytes);
      control = null;
      isCut = block.image.isCut;
    }
    if (!isCut && (xmp !== null || sink.position < file.length)) sink.write(trailer);
  };
}

const trailer = Uint8Array.of(introducer.trailer);

/** The loop count of a file; null if no block states it. */
function loopCount(file: Uint8Array, from: number): number | null {
  let count: number | null = null;
  for (const block of gifBlocks(viewOf(file), from)) {
    if (block.kind === 'loop') count = block.count;
  }
  return count;
}

/** @param count repetitions after the first playback, up to 65,535; 0: forever; null: no loop block */
export function writeLoop(sink: Pick<Sink, 'write'>, count: number | null): void {
  if (count === null) return;
  sink.write(Uint8Array.of(introducer.extension, extensionLabel.application, 11));
  sink.write(ascii('NETSCAPE2.0'));
  sink.write(Uint8Array.of(3, 1, count & 0xff, count >> 8, 0));
}

/** Writes all comments of a file unchanged. */
export function writeComments(sink: Pick<Sink, 'write'>, file: Uint8Array): void {
  const view = viewOf(file);
  const header = readHeader(view);
  if (!header) return;
  for (const { kind, start, end } of gifBlocks(view, header.end)) {
    if (kind === 'comment') sink.write(file.subarray(start, end));
  }
}

/**
 * Writes an XMP packet. A packet with a zero byte would end there; it is not valid UTF-8 XML anyway, and is omitted.
 */
export function writeXmp(sink: Pick<Sink, 'write'>, xmp: Uint8Array | null): void {
  if (xmp === null || xmp.includes(0)) return;
  sink.write(Uint8Array.of(introducer.extension, extensionLabel.application, 11));
  sink.write(ascii(xmpApplication));
  sink.write(xmp);
  sink.write(xmpTrailer);
}

/**
 * Returns the first XMP packet; no other metadata blocks of a GIF are read.
 * @throws ContainerError if the header cannot be read
 */
export function readGifMetadata(file: Uint8Array): Metadata {
  const view = viewOf(file);
  const header = readHeader(view);
  if (!header) throw new ContainerError('The GIF ends inside its header.');
  for (const block of gifBlocks(view, header.end)) {
    if (block.kind !== 'xmp') continue;
    const { offset, length } = block.packet;
    const xmp = metadataBlock(file.subarray(offset, offset + length));
    if (xmp) return { ...noMetadata, xmp };
  }
  return noMetadata;
}
