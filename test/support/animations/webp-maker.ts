import sharp, { type WebpOptions } from 'sharp';
import type { Region } from '../../../src/image/pixels/raster.ts';

/** A frame as described in a WebP (RFC 9649 §2.7.1.1, chunk ANMF). */
export interface WebpFrame {
  /** Its offsets are even. */
  readonly region: Region;
  /** Its picture: chunks ALPH, VP8 and VP8L of a still image, as returned by `webpStill`. */
  readonly chunks: Uint8Array;
  /** In milliseconds, below 2²⁴. */
  readonly duration: number;
  /** Blends the frame with the canvas; otherwise it overwrites the canvas. */
  readonly blend?: boolean;
  /** Makes the region transparent when the time of the frame is over. */
  readonly dispose?: boolean;
}

export interface WebpContent {
  readonly width: number;
  readonly height: number;
  /** Blue, green, red, alpha: a hint that viewers may ignore, and browsers do. */
  readonly background?: readonly [number, number, number, number];
  /** Number of plays; 0: endless. */
  readonly loop: number;
  readonly frames: readonly WebpFrame[];
  /** Whether the header declares alpha; true if absent. */
  readonly alpha?: boolean;
  readonly icc?: Uint8Array;
  readonly exif?: Uint8Array;
  readonly xmp?: Uint8Array;
  /** Adds chunks of unknown types before the frames, between the first two, and at the end. */
  readonly unknown?: boolean;
}

/** A WebP with this content, whether valid or not. */
export function makeWebp(content: WebpContent): Buffer {
  const { width, height, background = [0, 0, 0, 0], loop, frames, icc, exif, xmp } = content;
  const has = { icc: icc !== undefined, exif: exif !== undefined, xmp: xmp !== undefined };
  const flags =
    (has.icc ? 0x20 : 0) |
    ((content.alpha ?? true) ? 0x10 : 0) |
    (has.exif ? 0x08 : 0) |
    (has.xmp ? 0x04 : 0) |
    0x02;
  const header = Buffer.from([flags, 0, 0, 0, ...le24(width - 1), ...le24(height - 1)]);
  const unknown = content.unknown ? [webpChunk('note', Buffer.from('odd'))] : [];
  const chunks = [
    webpChunk('VP8X', header),
    ...(icc ? [webpChunk('ICCP', icc)] : []),
    webpChunk('ANIM', Buffer.from([...background, loop & 255, loop >> 8])),
    ...unknown,
    ...frames.slice(0, 1).map(frameChunk),
    ...unknown,
    ...frames.slice(1).map(frameChunk),
    ...(exif ? [webpChunk('EXIF', exif)] : []),
    ...(xmp ? [webpChunk('XMP ', xmp)] : []),
    ...unknown,
  ];
  return webpChunk('RIFF', Buffer.concat([Buffer.from('WEBP'), ...chunks]));
}

export interface WebpStill {
  /** The chunks, for a frame. */
  readonly chunks: Buffer;
  /** The pixels that they decode to, straight RGBA. */
  readonly pixels: Buffer;
}

/** Encodes a picture of straight RGBA as chunks of a frame. */
export async function webpStill(
  { width, height }: { readonly width: number; readonly height: number },
  rgba: Buffer,
  options: WebpOptions = { lossless: true, exact: true },
): Promise<WebpStill> {
  const file = await sharp(rgba, { raw: { width, height, channels: 4 } })
    .webp({ effort: 1, ...options })
    .toBuffer();
  const images = [...webpChunks(file)].filter(({ type }) => /^(ALPH|VP8 |VP8L)$/.test(type));
  return {
    chunks: Buffer.concat(images.map(({ type, data }) => webpChunk(type, data))),
    pixels: await sharp(file).ensureAlpha().raw().toBuffer(),
  };
}

/** The chunks of a file or, from another offset, of a frame. */
export function* webpChunks(
  file: Buffer,
  from = 12,
): Generator<{ readonly type: string; readonly data: Buffer }> {
  for (let at = from; at + 8 <= file.length; ) {
    const length = file.readUInt32LE(at + 4);
    yield {
      type: file.toString('latin1', at, at + 4),
      data: file.subarray(at + 8, at + 8 + length),
    };
    at += 8 + length + (length & 1);
  }
}

/** A chunk with its length, padded to even length. */
export function webpChunk(type: string, data: Uint8Array): Buffer {
  const bytes = Buffer.alloc(8 + data.length + (data.length & 1));
  bytes.write(type, 'latin1');
  bytes.writeUInt32LE(data.length, 4);
  bytes.set(data, 8);
  return bytes;
}

function frameChunk({ region, chunks, duration, blend, dispose }: WebpFrame): Buffer {
  const header = Buffer.from([
    ...le24(region.left / 2),
    ...le24(region.top / 2),
    ...le24(region.width - 1),
    ...le24(region.height - 1),
    ...le24(duration),
    (blend ? 0 : 2) | (dispose ? 1 : 0),
  ]);
  return webpChunk('ANMF', Buffer.concat([header, chunks]));
}

function le24(value: number): number[] {
  return [value & 255, (value >> 8) & 255, value >> 16];
}
