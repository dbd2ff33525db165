import { ByteCursor } from '../../container/byte-cursor.ts';
import { broken, type Unreadable } from '../../refusal.ts';

/** Of a chunk: four characters of type and its length. */
export const chunkHeaderBytes = 8;

/** `RIFF`, the length of what follows, and `WEBP`. */
const fileHeaderBytes = 12;

/** Bits of the first byte of a `VP8X` chunk (RFC 9649 §2.7.1.2). */
export const extendedFlag = {
  animation: 0x02,
  xmp: 0x04,
  exif: 0x08,
  alpha: 0x10,
  icc: 0x20,
} as const;

/** A chunk of a RIFF container (RFC 9649 §2.3). */
export interface WebpChunk {
  readonly type: string;
  /** File offsets of the payload, without the padding byte. */
  readonly start: number;
  readonly end: number;
}

/**
 * The container of a file: a cursor at its first chunk whose window ends where the container says
 * that it does, or where the file ends. What follows the stated end belongs to no chunk.
 */
export function openContainer(view: DataView): {
  readonly cursor: ByteCursor;
  /** The file ends before the length that it states. */
  readonly isTruncated: boolean;
} {
  const size = new ByteCursor(view, 4, chunkHeaderBytes, 'little').uint32();
  const end = chunkHeaderBytes + size;
  return {
    cursor: new ByteCursor(view, fileHeaderBytes, end, 'little'),
    isTruncated: end > view.byteLength || view.byteLength < fileHeaderBytes,
  };
}

/**
 * Reads the chunk at the cursor and moves past it; undefined when it is longer than what holds it.
 * Payloads are padded to even lengths; the very last padding byte is often forgotten. Every chunk
 * takes 8 bytes at least, so a loop over chunks always ends. Source: RFC 9649 §2.3.
 */
export function nextChunk(cursor: ByteCursor): WebpChunk | undefined {
  const type = cursor.text(4);
  const length = cursor.uint32();
  const start = cursor.position;
  if (cursor.overrun || length > cursor.remaining) return undefined;
  cursor.skip(Math.min(length + (length & 1), cursor.remaining));
  return { type, start, end: start + length };
}

export interface WebpFrame {
  readonly compression: 'lossy' | 'lossless';
  /** In pixels, 1 to 16384. */
  readonly width: number;
  readonly height: number;
  /** Of a lossless bitstream, whether it says that it uses alpha; lossy ones carry none themselves. */
  readonly hasAlpha: boolean;
}

/** The header of the frame that a chunk holds; undefined when it holds no image. */
export function readFrame(view: DataView, chunk: WebpChunk): WebpFrame | Unreadable | undefined {
  const data = new ByteCursor(view, chunk.start, chunk.end, 'little');
  if (chunk.type === 'VP8 ') return readLossyFrame(data);
  if (chunk.type === 'VP8L') return readLosslessFrame(data);
  return undefined;
}

/** Reads the frame header of a `VP8 ` chunk. Source: RFC 6386 §9.1. */
function readLossyFrame(data: ByteCursor): WebpFrame | Unreadable {
  const tag = data.uint24();
  const startCode = data.uint24();
  const width = data.uint16() & 0x3fff;
  const height = data.uint16() & 0x3fff;
  if (data.overrun) return broken('The lossy WebP image ends inside its header.');
  const isKeyFrame = (tag & 1) === 0;
  const version = (tag >> 1) & 7;
  const isShown = ((tag >> 4) & 1) === 1;
  if (!isKeyFrame || !isShown || version > 3 || startCode !== 0x2a019d) {
    return broken('The lossy WebP image does not begin with a valid key frame.');
  }
  if (width === 0 || height === 0) return broken('The WebP has a width or height of zero.');
  return { compression: 'lossy', width, height, hasAlpha: false };
}

/** Reads the header of a `VP8L` chunk. Source: RFC 9649 §3.4. */
function readLosslessFrame(data: ByteCursor): WebpFrame | Unreadable {
  const signature = data.uint8();
  const bits = data.uint32();
  if (data.overrun) return broken('The lossless WebP image ends inside its header.');
  if (signature !== 0x2f || bits >>> 29 !== 0) {
    return broken('The lossless WebP image does not begin with a valid header.');
  }
  return {
    compression: 'lossless',
    width: (bits & 0x3fff) + 1,
    height: ((bits >>> 14) & 0x3fff) + 1,
    hasAlpha: ((bits >>> 28) & 1) === 1,
  };
}
