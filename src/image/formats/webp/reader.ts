import { ContainerError } from '../../container/assemble.ts';
import { ByteCursor } from '../../container/byte-cursor.ts';
import { broken, type Unreadable } from '../../refusal.ts';

/** Of a chunk: four characters of type and its length. */
export const webpChunkHeaderBytes = 8;

const riffHeaderBytes = 12;

export interface WebpChunk {
  readonly type: string;
  /** With its header, without the padding byte. */
  readonly bytes: Uint8Array;
}

/**
 * The chunks of the RIFF container; what follows its stated end is none. Source: RFC 9649 §2.3.
 *
 * @throws ContainerError at a chunk that is longer than the container
 */
export function* webpChunks(file: Uint8Array): Generator<WebpChunk> {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const end = webpChunkHeaderBytes + new ByteCursor(view, 4, 8, 'little').uint32();
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

export interface WebpFrame {
  readonly compression: 'lossy' | 'lossless';
  /** In pixels, 1 to 16384. */
  readonly width: number;
  readonly height: number;
  /** Of a lossless bitstream, whether it says that it uses alpha; lossy ones carry none themselves. */
  readonly hasAlpha: boolean;
}

/** Reads the frame header of a `VP8 ` chunk. Source: RFC 6386 §9.1. */
export function readLossyFrame(data: ByteCursor): WebpFrame | Unreadable {
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
export function readLosslessFrame(data: ByteCursor): WebpFrame | Unreadable {
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
