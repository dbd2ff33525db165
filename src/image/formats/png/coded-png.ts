import { crc32 } from 'node:zlib';
import { ascii, joinBytes } from '../../container/assemble.ts';
import { emptyChunkBytes, pngChunk, pngSignature } from './chunks.ts';
import { colorTypeOf, type PngLayout } from './layout.ts';
import { type Palette, plteContent, trnsContent } from './palette.ts';

/** The content of a file apart from its image data. */
export interface PngFrame {
  readonly width: number;
  readonly height: number;
  readonly layout: PngLayout;
  /** The palette, if the layout is indexed. */
  readonly palette: Palette | null;
  /** The source's tRNS, if 16-bit samples keep their transparency key. */
  readonly ownKey: Uint8Array | null;
}

const headerBytes = 13;

/** Size of a file apart from its image data, including the `preamble` that describes its samples. */
export function surroundingBytes(frame: PngFrame, preamble: Uint8Array): number {
  const chunks = colorChunks(frame).reduce((sum, chunk) => sum + chunk.length, 0);
  const fixed = pngSignature.length + 3 * emptyChunkBytes + headerBytes;
  return fixed + preamble.length + chunks;
}

/** Assembles a file as a copy of its parts; see {@link pngParts}. */
export function codedPng(
  frame: PngFrame,
  preamble: Uint8Array,
  stream: readonly Uint8Array[],
): Uint8Array<ArrayBuffer> {
  return joinBytes(pngParts(frame, preamble, stream));
}

/**
 * Assembles a file in parts (PNG third edition §5). The image data is in a single chunk, which all readers accept.
 * @param preamble chunks between IHDR and PLTE
 * @param stream the zlib stream, in parts
 */
export function pngParts(
  frame: PngFrame,
  preamble: Uint8Array,
  stream: readonly Uint8Array[],
): readonly Uint8Array[] {
  return [
    ascii(pngSignature),
    pngChunk('IHDR', header(frame)),
    preamble,
    ...colorChunks(frame),
    ...dataChunk(stream),
    pngChunk('IEND', new Uint8Array()),
  ];
}

/**
 * Assembles an APNG in parts (PNG third edition §11.3.6.1).
 * @param plays number of plays; 0 for infinite
 * @param chunks chunks of the frames, the first of which is the default image
 */
export function animatedPngParts(
  frame: PngFrame,
  preamble: Uint8Array,
  { frames, plays }: { readonly frames: number; readonly plays: number },
  chunks: readonly Uint8Array[],
): readonly Uint8Array[] {
  return [
    ascii(pngSignature),
    pngChunk('IHDR', header(frame)),
    preamble,
    pngChunk('acTL', uint32(frames), uint32(plays)),
    ...colorChunks(frame),
    ...chunks,
    pngChunk('IEND', new Uint8Array()),
  ];
}

/** IHDR (§11.2.1): deflate, adaptive filters, not interlaced. */
function header({ width, height, layout }: PngFrame): Uint8Array {
  const content = new Uint8Array(headerBytes);
  const view = new DataView(content.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  content.set([layout.bitDepth, colorTypeOf(layout)], 8);
  return content;
}

function colorChunks({ layout, palette, ownKey }: PngFrame): readonly Uint8Array[] {
  if (palette) {
    const alphas = trnsContent(palette);
    const plte = pngChunk('PLTE', plteContent(palette));
    return alphas.length > 0 ? [plte, pngChunk('tRNS', alphas)] : [plte];
  }
  const key = layout.kind === 'samples' ? keyContent(layout.colorType, layout.key) : ownKey;
  return key ? [pngChunk('tRNS', key)] : [];
}

/** tRNS of a color key (§11.3.1.1): one or three samples, of 16 bits at any depth. */
function keyContent(colorType: number, key: number | null): Uint8Array | null {
  if (key === null) return null;
  const [red, green, blue] = [key & 255, (key >> 8) & 255, (key >> 16) & 255];
  return colorType === 0 ? Uint8Array.of(0, red) : Uint8Array.of(0, red, 0, green, 0, blue);
}

/** IDAT in parts, so that the stream is not copied twice. */
function dataChunk(stream: readonly Uint8Array[]): readonly Uint8Array[] {
  const type = Uint8Array.of(0x49, 0x44, 0x41, 0x54);
  const length = stream.reduce((sum, part) => sum + part.length, 0);
  const checksum = stream.reduce((sum, part) => crc32(part, sum), crc32(type));
  return [uint32(length), type, ...stream, uint32(checksum)];
}

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}
