import type { Chromaticities } from '../../color/primaries.ts';
import { ByteCursor } from '../../container/byte-cursor.ts';
import { exifOrientation, type Orientation } from '../../metadata/exif-block.ts';
import { broken, isUnreadable, type Unreadable, unsupportedFeature } from '../../refusal.ts';
import type { FrameTotals, Inspection, InspectionResult } from '../inspection.ts';
import {
  hasValidChecksum,
  isUsableChunk,
  type PngChunk,
  pngChunks,
  pngSignature,
} from './chunks.ts';
import {
  emptyPngColors,
  type PngCodePoints,
  type PngColorChunk,
  type PngColors,
  pngColorChunks,
  readPngColorChunk,
} from './color-chunks.ts';
import { deflatedPngText, longTextBytes } from './metadata.ts';

export type PngColorType = 0 | 2 | 3 | 4 | 6;

export interface PngInspection extends Inspection {
  readonly type: 'png';
  readonly colorType: PngColorType;
  readonly interlaced: boolean;
  /** Whether the default image of an animation is not one of its frames. */
  readonly hasSubstitute: boolean;
  /** Entries of PLTE, at most as many as the bit depth can index; 0 without PLTE. */
  readonly paletteSize: number;
  /** The color chunk of highest precedence among those that are usable and correctly placed. */
  readonly colorChunk: PngColorChunk | null;
  /** Contents of the chunks, null without a usable one; `colorChunk` tells which of them applies. */
  readonly cicp: PngCodePoints | null;
  /** Encoding exponent of gAMA: the reciprocal of the display's, about 1/2.2. */
  readonly gamma: number | null;
  /** From cHRM, which only applies together with gAMA. */
  readonly chromaticities: Chromaticities | null;
  /** What is read besides rows; absent: nothing noticeable. */
  readonly load?: PngLoad;
}

/**
 * Reads a PNG's chunk headers up to IEND and the data of the few chunks that define the picture (PNG third edition §5,
 * §11). Checksums are verified for chunks whose values change the picture; those of image data are left to the decoder.
 *
 * What browsers show is read: IHDR and PLTE have to be sound, but a damaged tRNS, acTL or color chunk is ignored, as are
 * cICP after PLTE, color chunks after IDAT, and whatever follows image data and is not needed (Chromium 156).
 */
export function inspectPng(view: DataView): InspectionResult<PngInspection> {
  if (new ByteCursor(view, 0, view.byteLength).text(pngSignature.length) !== pngSignature) {
    return broken('The PNG signature is damaged, as a transfer in text mode does.');
  }
  const file: PngFile = {
    view,
    bytes: new Uint8Array(view.buffer, view.byteOffset, view.byteLength),
  };
  const walk = pngChunks(file.bytes);
  const { value: first } = walk.next();
  if (!first) return truncated;
  const damage = damageOf(first);
  if (damage) return damage;
  if (first.type === 'CgBI')
    return unsupportedFeature("Apple's CgBI variant of PNG is not supported.");
  if (first.type !== 'IHDR' || first.end - first.start !== 13) {
    return broken('The PNG does not begin with a valid header chunk.');
  }
  if (!hasValidChecksum(file.bytes, first)) {
    return broken('The checksum of the PNG header is wrong.');
  }
  const header = readPngHeader(new ByteCursor(view, first.start, first.end));
  if (isUnreadable(header)) return header;

  const facts = emptyFacts(header);
  for (const chunk of walk) {
    const refusal = damageOf(chunk) ?? processChunk(file, chunk, facts);
    if (refusal) return refusal;
    if (facts.load.chunks === maxChunks) {
      return broken('The PNG has more chunks than any encoder writes.');
    }
    addLoad(facts.load, file.bytes, chunk);
  }
  return facts.hasImageData ? summarize(facts) : broken('The PNG has no image data.');
}

interface PngFile {
  readonly view: DataView;
  readonly bytes: Uint8Array;
}

const truncated = broken('The PNG ends inside a chunk.');

function damageOf(chunk: PngChunk): Unreadable | undefined {
  const { type, start, end } = chunk;
  if (type === '') return truncated;
  // The first letter tells whether a chunk may be ignored (§5.4), whatever the others are.
  if (!/^([A-Za-z]{4}|[a-z])/.test(type)) {
    return broken('The PNG has a chunk with an impossible type.');
  }
  if (end - start > maxPngInteger) return broken('A PNG chunk has an impossible length.');
  return isUsableChunk(chunk) ? undefined : truncated;
}

function summarize(facts: PngFacts): InspectionResult<PngInspection> {
  const { header, colors } = facts;
  return {
    kind: 'image',
    image: {
      type: 'png',
      width: header.width,
      height: header.height,
      bitDepth: header.bitDepth,
      hasAlpha: header.colorType === 4 || header.colorType === 6 || facts.hasTransparency,
      isGrey: header.colorType === 0 || header.colorType === 4,
      frames: frameCount(facts),
      ...(facts.animationFrames > 0 && { frameTotals: frameTotalsOf(facts) }),
      orientation: facts.orientation ?? 1,
      icc: colors.icc ? [colors.icc] : [],
      colorType: header.colorType,
      interlaced: header.interlaced,
      hasSubstitute: facts.animationFrames > 0 && !facts.defaultImageIsFrame,
      paletteSize: facts.paletteSize,
      colorChunk: pngColorChunks.find((type) => colors.kinds.has(type)) ?? null,
      cicp: colors.cicp,
      gamma: colors.gamma,
      chromaticities: colors.chromaticities,
      load: facts.load,
      partsMs: pngPartsMs(facts.load, colors.icc?.length ?? 0),
    },
  };
}

/** §11.3.6.1. A single frame that is the default image makes a still; zero frames are not an animation. */
function frameCount({ animationFrames, defaultImageIsFrame }: PngFacts): number {
  if (animationFrames === 0 || (animationFrames === 1 && defaultImageIsFrame)) return 1;
  return Math.max(2, animationFrames);
}

function frameTotalsOf({ animationFrames: frames, codedPixels, restores }: PngFacts): FrameTotals {
  return { frames, codedPixels, restores };
}

/** The facts collected from the chunks so far. */
interface PngFacts {
  readonly header: PngHeader;
  paletteSize: number;
  hasTransparency: boolean;
  readonly colors: PngColors;
  animationFrames: number;
  /** Total pixels of all frames, as stated in their headers. */
  codedPixels: number;
  restores: boolean;
  /** If fcTL precedes IDAT, the default image is the first frame; otherwise it is never shown. */
  defaultImageIsFrame: boolean;
  orientation: Orientation | undefined;
  hasImageData: boolean;
  readonly load: PngLoad;
}

function emptyFacts(header: PngHeader): PngFacts {
  return {
    header,
    paletteSize: 0,
    hasTransparency: false,
    colors: emptyPngColors(),
    animationFrames: 0,
    codedPixels: 0,
    restores: false,
    defaultImageIsFrame: false,
    orientation: undefined,
    hasImageData: false,
    load: emptyLoad(),
  };
}

/** Processes a chunk; returns a refusal if its position or content is not allowed. */
function processChunk(file: PngFile, chunk: PngChunk, facts: PngFacts): Unreadable | undefined {
  return facts.hasImageData
    ? readLateChunk(file, chunk, facts)
    : readEarlyChunk(file, chunk, facts);
}

function readEarlyChunk(file: PngFile, chunk: PngChunk, facts: PngFacts): Unreadable | undefined {
  switch (chunk.type) {
    case 'PLTE':
      return readPalette(file, chunk, facts);
    case 'tRNS':
      facts.hasTransparency ||=
        transparencyBytes(file.bytes, chunk, { ...facts, ...facts.header }) > 0;
      return undefined;
    case 'IDAT':
      if (facts.header.colorType === 3 && facts.paletteSize === 0) {
        return broken('The PNG has palette indices but no palette.');
      }
      facts.hasImageData = true;
      return undefined;
    case 'cICP':
      if (facts.paletteSize === 0) readPngColorChunk(file.bytes, chunk, facts.colors);
      return undefined;
    case 'iCCP':
    case 'sRGB':
    case 'gAMA':
    case 'cHRM':
      readPngColorChunk(file.bytes, chunk, facts.colors);
      return undefined;
    case 'acTL':
      // If there are several, none of them may turn the animation into a still.
      if (isAnimationHeader(file.bytes, chunk)) {
        facts.animationFrames = Math.max(facts.animationFrames, file.view.getUint32(chunk.start));
      }
      return undefined;
    case 'eXIf':
      facts.orientation ??= orientationIn(file, chunk);
      return undefined;
    case 'fcTL':
      facts.defaultImageIsFrame = true;
      addFrame(file, chunk, facts);
      return undefined;
    default:
      return readLateChunk(file, chunk, facts);
  }
}

/**
 * The orientation that browsers apply: only eXIf before the image data counts, and only if it begins with the TIFF
 * header (§11.3.3.4), not with `Exif\0\0`. Undefined if its checksum is wrong.
 */
function orientationIn({ view, bytes }: PngFile, chunk: PngChunk): Orientation | undefined {
  if (!hasValidChecksum(bytes, chunk)) return undefined;
  const { start, end } = chunk;
  const isPrefixed = new ByteCursor(view, start, end).text(4) === 'Exif';
  return isPrefixed ? 1 : (exifOrientation(view, start, end) ?? 1);
}

/** §11.3.6.2. A chunk that is too short is ignored; the error is reported when the frames are read. */
function addFrame({ view }: PngFile, { start, end }: PngChunk, facts: PngFacts): void {
  if (end - start < 26) return;
  facts.codedPixels += view.getUint32(start + 4) * view.getUint32(start + 8);
  facts.restores ||= view.getUint8(start + 24) === 2;
}

/** Whether an acTL chunk is sound; otherwise, browsers show a still (§11.3.6.1). */
export function isAnimationHeader(file: Uint8Array, chunk: PngChunk): boolean {
  return chunk.end - chunk.start === 8 && hasValidChecksum(file, chunk);
}

/** Processes chunks that may also follow the image data. */
function readLateChunk(file: PngFile, chunk: PngChunk, facts: PngFacts): Unreadable | undefined {
  switch (chunk.type) {
    case 'fcTL':
      addFrame(file, chunk, facts);
      return undefined;
    case 'IEND':
      return undefined;
  }
  // Bit 5 of the first letter marks ancillary chunks (§5.4); without it, continuing would produce a wrong picture.
  if (facts.hasImageData || /^[a-z]/.test(chunk.type)) return undefined;
  return chunk.type === 'IHDR'
    ? broken('The PNG has an IHDR chunk where none may stand.')
    : unsupportedFeature(`The PNG needs the unknown chunk ${chunk.type} to be understood.`);
}

/** §11.2.2. Grayscale pictures may not have a palette, and decoders ignore it. */
function readPalette(file: PngFile, chunk: PngChunk, facts: PngFacts): Unreadable | undefined {
  const { colorType, bitDepth } = facts.header;
  const entries = Math.floor((chunk.end - chunk.start) / 3);
  if (colorType === 0 || colorType === 4) return undefined;
  if (facts.paletteSize > 0) return broken('The PNG has two palettes.');
  if (entries === 0 || entries > 256) {
    return broken('The PNG palette has an impossible length.');
  }
  if (!hasValidChecksum(file.bytes, chunk))
    return broken('The checksum of the PNG palette is wrong.');
  facts.paletteSize = colorType === 3 ? Math.min(entries, 1 << bitDepth) : entries;
  return undefined;
}

/**
 * How many bytes of a tRNS chunk before the image data apply (§11.3.1.1): surplus ones are ignored, and so is a chunk
 * next to an alpha channel, before its palette, damaged, or too short or long to be one. Chromium matches samples of 16
 * bits with all bytes of the chunk, so that a surplus one matches nothing.
 */
export function transparencyBytes(
  file: Uint8Array,
  chunk: PngChunk,
  {
    bitDepth,
    colorType,
    paletteSize,
  }: Pick<PngInspection, 'bitDepth' | 'colorType' | 'paletteSize'>,
): number {
  const length = chunk.end - chunk.start;
  if (!hasValidChecksum(file, chunk)) return 0;
  const colorKey = (bytes: number) =>
    length === bytes || (length > bytes && bitDepth < 16) ? bytes : 0;
  switch (colorType) {
    case 0:
      return colorKey(2);
    case 2:
      return colorKey(6);
    case 3:
      return length > 256 ? 0 : Math.min(length, paletteSize);
    case 4:
    case 6:
      return 0;
  }
}

interface PngHeader {
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  readonly bitDepth: number;
  readonly colorType: PngColorType;
  readonly interlaced: boolean;
}

/** PNG third edition §11.2.1, table 12. */
const bitDepths: Readonly<Record<PngColorType, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};

/** PNG third edition §7.1: four-byte integers stay below 2^31. */
const maxPngInteger = 0x7fff_ffff;

/** Reads the 13 bytes of IHDR. Source: PNG third edition §11.2.1. */
function readPngHeader(data: ByteCursor): PngHeader | Unreadable {
  const width = data.uint32();
  const height = data.uint32();
  const bitDepth = data.uint8();
  const colorType = data.uint8();
  const compressionMethod = data.uint8();
  const filterMethod = data.uint8();
  const interlaceMethod = data.uint8();
  if (width === 0 || height === 0) return broken('The PNG has a width or height of zero.');
  if (width > maxPngInteger || height > maxPngInteger) {
    return broken('The PNG has a width or height beyond what the format allows.');
  }
  if (!isColorType(colorType)) return broken('The PNG has an impossible colour type.');
  if (!bitDepths[colorType].includes(bitDepth)) {
    return broken('The PNG has a bit depth that its colour type does not allow.');
  }
  if (compressionMethod !== 0 || filterMethod !== 0 || interlaceMethod > 1) {
    return broken('The PNG names an unknown compression, filter or interlace method.');
  }
  return { width, height, bitDepth, colorType, interlaced: interlaceMethod === 1 };
}

function isColorType(value: number): value is PngColorType {
  return value in bitDepths;
}

/** What reading a file takes besides its rows, from its chunk headers. */
interface PngLoad {
  /** Number of chunks. */
  chunks: number;
  /** Bytes of all IDAT and fdAT chunks. */
  codedBytes: number;
  /** Bytes of deflated texts. */
  textBytes: number;
  /** Whether a text is so long that it may inflate to any length. */
  hasLongText: boolean;
}

/** Maximum number of chunks, each of which takes time; those that encoders write hold some kilobytes. */
const maxChunks = 2 ** 17;

function emptyLoad(): PngLoad {
  return { chunks: 0, codedBytes: 0, textBytes: 0, hasLongText: false };
}

/** Adds a whole chunk of the file. */
function addLoad(load: PngLoad, file: Uint8Array, chunk: PngChunk): void {
  load.chunks += 1;
  if (chunk.type === 'IDAT' || chunk.type === 'fdAT') load.codedBytes += chunk.end - chunk.start;
  const text = deflatedPngText(file, chunk);
  if (!text) return;
  load.textBytes += text.length;
  load.hasLongText ||= text.length > longTextBytes;
}

/** Times in milliseconds for chunks, for bytes of the deflated profile and texts, and for inflating a bomb. */
const costs = { chunk: 0.003, profileByte: 60e-6, textByte: 60e-6, longText: 15 } as const;

/** CPU time of everything in a file besides its rows, in milliseconds, for the worst blocks that are accepted. */
function pngPartsMs(load: PngLoad, profileBytes: number): number {
  const packed = costs.profileByte * profileBytes + costs.textByte * load.textBytes;
  return costs.chunk * load.chunks + packed + (load.hasLongText ? costs.longText : 0);
}
