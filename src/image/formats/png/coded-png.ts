import { ascii } from '../../container/assemble.ts';
import { checksum, emptyChunkBytes, pngChunk, pngSignature } from './chunks.ts';
import { colorTypeOf, type PngLayout } from './layout.ts';
import { type Palette, plteContent, trnsContent } from './palette.ts';

/** The parts of a file besides its image data. */
export interface PngFrame {
  readonly width: number;
  readonly height: number;
  readonly layout: PngLayout;
  /** For layouts with indices. */
  readonly palette: Palette | null;
  /** The source's own tRNS, if 16-bit samples keep their color key. */
  readonly ownKey: Uint8Array | null;
}

const headerBytes = 13;

/** Bytes of a file around its image data, including `preamble`. */
export function surroundingBytes(frame: PngFrame, preamble: Uint8Array): number {
  const chunks = colorChunks(frame).reduce((sum, chunk) => sum + chunk.length, 0);
  const fixed = pngSignature.length + 3 * emptyChunkBytes + headerBytes;
  return fixed + preamble.length + chunks;
}

/**
 * Returns the parts of a whole file (PNG third edition §5). The image data form a single chunk, as any reader accepts.
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
 * Returns the parts of a whole APNG (PNG third edition §11.3.6.1).
 * @param plays 0: forever
 * @param chunks of the frames, the first of which is the default image
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

/** §11.2.1: deflate, adaptive filters, not interlaced. */
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

/** §11.3.1.1: one sample or three, of 16 bits each regardless of the depth. */
function keyContent(colorType: number, key: number | null): Uint8Array | null {
  if (key === null) return null;
  const [red, green, blue] = [key & 255, (key >> 8) & 255, (key >> 16) & 255];
  return colorType === 0 ? Uint8Array.of(0, red) : Uint8Array.of(0, red, 0, green, 0, blue);
}

/** In parts, so that the stream is not copied twice. */
function dataChunk(stream: readonly Uint8Array[]): readonly Uint8Array[] {
  const type = Uint8Array.of(0x49, 0x44, 0x41, 0x54);
  const length = stream.reduce((sum, part) => sum + part.length, 0);
  return [uint32(length), type, ...stream, uint32(checksum(type, ...stream))];
}

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}
