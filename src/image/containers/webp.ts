import { ByteCursor } from '../inspect/byte-cursor.ts';
import { isRefusal } from '../inspect/refusal.ts';
import { readLosslessFrame } from '../inspect/webp-bitstream.ts';
import { assemble, type Sink } from './assemble.ts';
import { ascii } from './byte-strings.ts';
import { ContainerError } from './container-error.ts';
import { orientationBlock } from './orientation-block.ts';
import type { Rewrapper } from './rewrapper.ts';

/** Bits of the first VP8X byte (RFC 9649 §2.7.1.2). */
const flag = { animation: 0x02, exif: 0x08, alpha: 0x10, icc: 0x20 } as const;

const riffHeaderBytes = 12;
const chunkHeaderBytes = 8;

interface Chunk {
  readonly type: string;
  /** With its header, without the padding byte. */
  readonly bytes: Uint8Array;
}

/** The picture itself, as chunks that may stand in a file without anything else. */
interface Picture {
  chunks(): Iterable<Chunk>;
  readonly isAnimation: boolean;
  readonly hasAlpha: boolean;
  /** Several chunks, which only VP8X allows. */
  readonly isExtended: boolean;
}

/**
 * Keeps the image data, and writes the simple file format when nothing asks for more. Frames of an
 * animation are kept as they are, unknown chunks inside them too.
 *
 * A forgotten padding byte at the end is added when that makes the copy no longer than the file.
 * Source: RFC 9649 §2.3–2.7.
 */
export const rewrapWebp: Rewrapper = (image, file, { icc, orientation }) => {
  const picture = image.frames > 1 ? animation(file, image.hasAlpha) : still(file);
  const isExtended = picture.isExtended || icc !== null || orientation !== 1;
  const flags =
    (picture.isAnimation ? flag.animation : 0) |
    (picture.hasAlpha ? flag.alpha : 0) |
    (icc ? flag.icc : 0) |
    (orientation !== 1 ? flag.exif : 0);

  return assemble((sink) => {
    writeHeader(sink, 'RIFF', sink.total - chunkHeaderBytes);
    sink.write(ascii('WEBP'));
    if (isExtended) {
      writeHeader(sink, 'VP8X', 10);
      sink.write(
        Uint8Array.of(flags, 0, 0, 0, ...uint24(image.width - 1), ...uint24(image.height - 1)),
      );
    }
    if (icc) {
      writeHeader(sink, 'ICCP', icc.length);
      sink.write(icc);
    }
    for (const chunk of picture.chunks()) {
      pad(sink);
      sink.write(chunk.bytes);
    }
    if (orientation !== 1) {
      const block = orientationBlock(orientation);
      pad(sink);
      writeHeader(sink, 'EXIF', block.length);
      sink.write(block);
    }
    if (sink.position < file.length) pad(sink);
  });
};

/** The first image, with the alpha that stands before it when it is a lossy one. */
function still(file: Uint8Array): Picture {
  let alpha: Chunk | undefined;
  for (const chunk of chunks(file)) {
    if (chunk.type === 'ALPH') alpha = chunk;
    if (chunk.type === 'VP8 ') {
      const list = alpha ? [alpha, chunk] : [chunk];
      const hasAlpha = alpha !== undefined;
      return { chunks: () => list, isAnimation: false, hasAlpha, isExtended: hasAlpha };
    }
    if (chunk.type === 'VP8L') {
      const { buffer, byteOffset, byteLength } = chunk.bytes;
      const view = new DataView(buffer, byteOffset, byteLength);
      const frame = readLosslessFrame(new ByteCursor(view, chunkHeaderBytes, byteLength, 'little'));
      const hasAlpha = !isRefusal(frame) && frame.hasAlpha;
      return { chunks: () => [chunk], isAnimation: false, hasAlpha, isExtended: false };
    }
  }
  throw new ContainerError('The WebP has no image.');
}

function animation(file: Uint8Array, hasAlpha: boolean): Picture {
  function* frames(): Generator<Chunk> {
    for (const chunk of chunks(file)) {
      if (chunk.type === 'ANIM' || chunk.type === 'ANMF') yield chunk;
    }
  }
  return { chunks: frames, isAnimation: true, hasAlpha, isExtended: true };
}

/** The chunks of the RIFF container; what follows its stated end is none. */
function* chunks(file: Uint8Array): Generator<Chunk> {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const end = chunkHeaderBytes + new ByteCursor(view, 4, 8, 'little').uint32();
  const cursor = new ByteCursor(view, riffHeaderBytes, end, 'little');
  while (cursor.remaining > 0) {
    const start = cursor.position;
    const type = cursor.text(4);
    const length = cursor.uint32();
    if (cursor.overrun || length > cursor.remaining) {
      throw new ContainerError('A WebP chunk is longer than what holds it.');
    }
    cursor.skip(length);
    yield { type, bytes: file.subarray(start, cursor.position) };
    cursor.skip(Math.min(length & 1, cursor.remaining));
  }
}

/** Chunks begin at even offsets. */
function pad(sink: Sink): void {
  if (sink.position % 2 === 1) sink.write(Uint8Array.of(0));
}

function writeHeader(sink: Sink, type: string, length: number): void {
  sink.write(ascii(type));
  sink.write(Uint8Array.of(...uint24(length), (length >>> 24) & 0xff));
}

/** Little-endian. */
function uint24(value: number): [number, number, number] {
  return [value & 0xff, (value >>> 8) & 0xff, (value >>> 16) & 0xff];
}
