import { ascii, joinBytes } from '../../container/assemble.ts';
import type { Region } from '../../pixels/raster.ts';
import type { Appearance } from '../inspection.ts';
import type { Pointer, WebpKernel } from './kernel.ts';
import { kernelConstants } from './kernel-exports.ts';
import { chunkHeaderBytes, extendedFlag } from './reader.ts';

/** An encoded picture. */
export interface CodedPicture {
  readonly width: number;
  readonly height: number;
  readonly hasAlpha: boolean;
  /** The image chunks in order, each in parts. */
  readonly chunks: readonly CodedChunk[];
}

export interface CodedChunk {
  readonly type: 'ALPH' | 'VP8 ' | 'VP8L';
  readonly parts: readonly Uint8Array[];
}

/**
 * Assembles a WebP file around a picture, in parts; in the simple format if possible. WebP cannot hold IPTC. The
 * profile and metadata blocks are copied, because the file that they lie in may be freed for the result. Source: RFC
 * 9649 §2.3–2.7.
 */
export function webpParts({ icc, metadata }: Appearance, picture: CodedPicture): Uint8Array[] {
  const { exif, xmp } = metadata;
  const isExtended = [icc, exif, xmp].some((block) => block !== null) || picture.chunks.length > 1;
  const chunks = [
    ...(isExtended ? chunk('VP8X', [extendedHeader({ icc, exif, xmp }, picture)]) : []),
    ...(icc ? chunk('ICCP', [icc.slice()]) : []),
    ...picture.chunks.flatMap(({ type, parts }) => chunk(type, parts)),
    ...(exif ? chunk('EXIF', [exif.slice()]) : []),
    ...(xmp ? chunk('XMP ', [xmp.slice()]) : []),
  ];
  return [header('RIFF', 4 + lengthOf(chunks)), ascii('WEBP'), ...chunks];
}

/** An encoded animation. */
export interface CodedAnimation extends Pick<CodedPicture, 'width' | 'height' | 'hasAlpha'> {
  /** 0 for infinite. */
  readonly plays: number;
  /** Its `ANMF` chunks, in parts. */
  readonly frames: readonly Uint8Array[];
}

/** Assembles an animated WebP file, in parts. Profile and metadata blocks are copied. Source: RFC 9649 §2.7. */
export function animatedWebpParts(
  { icc, metadata }: Appearance,
  animation: CodedAnimation,
): Uint8Array[] {
  const { exif, xmp } = metadata;
  const chunks = [
    ...chunk('VP8X', [extendedHeader({ icc, exif, xmp }, animation, extendedFlag.animation)]),
    ...(icc ? chunk('ICCP', [icc.slice()]) : []),
    // A transparent background color, which viewers ignore.
    ...chunk('ANIM', [Uint8Array.of(0, 0, 0, 0, animation.plays & 255, animation.plays >> 8)]),
    ...animation.frames,
    ...(exif ? chunk('EXIF', [exif.slice()]) : []),
    ...(xmp ? chunk('XMP ', [xmp.slice()]) : []),
  ];
  return [header('RIFF', 4 + lengthOf(chunks)), ascii('WEBP'), ...chunks];
}

/**
 * The header of an `ANMF` chunk, before its image chunks (RFC 9649 §2.7.1.1).
 * @param region region of the canvas, at even offsets
 * @param flags see `frameFlag`
 * @param pictureBytes an even number
 */
export function frameHeader(
  { left, top, width, height }: Region,
  milliseconds: number,
  flags: number,
  pictureBytes: number,
): Uint8Array {
  const numbers = [left / 2, top / 2, width - 1, height - 1, milliseconds];
  const bytes = numbers.flatMap((value) => [value & 255, (value >> 8) & 255, value >> 16]);
  return joinBytes(header('ANMF', bytes.length + 1 + pictureBytes), Uint8Array.of(...bytes, flags));
}

function extendedHeader(
  { icc, exif, xmp }: Record<'icc' | 'exif' | 'xmp', Uint8Array | null>,
  { width, height, hasAlpha }: Pick<CodedPicture, 'width' | 'height' | 'hasAlpha'>,
  moreFlags = 0,
): Uint8Array {
  const flags =
    moreFlags |
    (hasAlpha ? extendedFlag.alpha : 0) |
    (icc ? extendedFlag.icc : 0) |
    (exif ? extendedFlag.exif : 0) |
    (xmp ? extendedFlag.xmp : 0);
  const bytes = new Uint8Array(10);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, flags, true);
  view.setUint32(4, width - 1, true);
  // The lower byte of the height overwrites the top byte of the width, which is 0.
  view.setUint16(7, (height - 1) & 0xffff, true);
  view.setUint8(9, (height - 1) >>> 16);
  return bytes;
}

/** A chunk, padded so that the next one starts at an even offset. */
function chunk(type: string, parts: readonly Uint8Array[]): Uint8Array[] {
  const length = lengthOf(parts);
  return [header(type, length), ...parts, ...(length % 2 === 1 ? [new Uint8Array(1)] : [])];
}

function header(type: string, length: number): Uint8Array {
  const size = new Uint8Array(chunkHeaderBytes - type.length);
  new DataView(size.buffer).setUint32(0, length, true);
  return joinBytes(ascii(type), size);
}

/** Encoded bytes in the kernel's memory, which may still grow, so that no view of it stays valid. */
export interface CodedBytes {
  readonly at: Pointer;
  readonly length: number;
}

/**
 * The pieces of a string of encoded bytes in the kernel's memory.
 * @param first the first piece (kernel/pieces.ts)
 */
export function piecesOf(kernel: WebpKernel, first: Pointer, bytes: number): CodedBytes[] {
  const { pieceBytes } = kernelConstants;
  const pieces: CodedBytes[] = [];
  let at = first;
  for (let left = bytes; left > 0; left -= pieceBytes) {
    pieces.push({ at, length: Math.min(left, pieceBytes) });
    at = kernel.nextPiece(at);
  }
  return pieces;
}

/** A view of encoded bytes, valid until the memory grows. */
export function viewOf(kernel: WebpKernel, { at, length }: CodedBytes): Uint8Array {
  return kernel.bytes.subarray(at, at + length);
}

/** Total length of a string or file in parts. */
export function lengthOf(parts: readonly { readonly length: number }[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}
