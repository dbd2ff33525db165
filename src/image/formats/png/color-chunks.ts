import { maxProfileBytes, type StoredProfile, usableProfile } from '../../color/icc-reader.ts';
import type { Chromaticities, Chromaticity } from '../../color/primaries.ts';
import { ByteCursor, type ByteRange } from '../../container/byte-cursor.ts';
import { hasValidChecksum, type PngChunk } from './chunks.ts';
import { inflate } from './kernel.ts';

/** PNG chunks that define the meaning of the samples, highest precedence first (PNG third edition §4.3). */
export const pngColorChunks = ['cICP', 'iCCP', 'sRGB', 'gAMA'] as const;
export type PngColorChunk = (typeof pngColorChunks)[number];

/** Code points of ITU-T H.273; the matrix is always that of RGB. */
export interface PngCodePoints {
  readonly primaries: number;
  readonly transfer: number;
  readonly fullRange: boolean;
}

/** Valid range of encoding exponents, times 100,000; the limits are libpng's. */
const minGamma = 16;
const maxGamma = 625_000_000;

/** The contents of the color chunks so far, the first usable one of each kind. */
export interface PngColors {
  readonly kinds: Set<PngColorChunk>;
  icc: ByteRange | null;
  cicp: PngCodePoints | null;
  gamma: number | null;
  chromaticities: Chromaticities | null;
}

export function emptyPngColors(): PngColors {
  return { kinds: new Set(), icc: null, cicp: null, gamma: null, chromaticities: null };
}

/**
 * Reads a color chunk; a damaged chunk or one with impossible values counts as absent, as in libpng. The checksum of
 * iCCP is ignored: decoders use such a profile, whose stream has a checksum of its own. Source: PNG third edition
 * §11.3.2.
 */
export function readPngColorChunk(file: Uint8Array, chunk: PngChunk, colors: PngColors): void {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (chunk.type === 'iCCP') {
    colors.icc ??= compressedProfile(view, chunk);
    if (colors.icc) colors.kinds.add('iCCP');
    return;
  }
  if (!hasValidChecksum(file, chunk)) return;
  const data = new ByteCursor(view, chunk.start, chunk.end);
  switch (chunk.type) {
    case 'cICP':
      colors.cicp ??= readCodePoints(data);
      if (colors.cicp) colors.kinds.add('cICP');
      return;
    case 'sRGB':
      if (data.remaining === 1) colors.kinds.add('sRGB');
      return;
    case 'gAMA':
      colors.gamma ??= readGamma(data);
      if (colors.gamma !== null) colors.kinds.add('gAMA');
      return;
    case 'cHRM':
      colors.chromaticities ??= readChromaticities(data);
      return;
  }
}

/** §11.3.2.6: the matrix must be RGB. */
function readCodePoints(data: ByteCursor): PngCodePoints | null {
  if (data.remaining !== 4) return null;
  const primaries = data.uint8();
  const transfer = data.uint8();
  const matrix = data.uint8();
  const range = data.uint8();
  return matrix === 0 && range <= 1 ? { primaries, transfer, fullRange: range === 1 } : null;
}

/** §11.3.2.2. */
function readGamma(data: ByteCursor): number | null {
  if (data.remaining !== 4) return null;
  const value = data.uint32();
  return value >= minGamma && value <= maxGamma ? value / 100_000 : null;
}

/** §11.3.2.3: a name of 1 to 79 bytes, a zero byte, compression method 0, a zlib stream. */
function compressedProfile(view: DataView, chunk: PngChunk): ByteRange | null {
  const cursor = new ByteCursor(view, chunk.start, Math.min(chunk.end, chunk.start + 80));
  while (cursor.remaining > 0) {
    if (cursor.uint8() !== 0) continue;
    const nameLength = cursor.position - 1 - chunk.start;
    const offset = cursor.position + 1;
    const isUsable = nameLength > 0 && offset < chunk.end && view.getUint8(offset - 1) === 0;
    return isUsable ? { offset, length: chunk.end - offset } : null;
  }
  return null;
}

/** Minimum double area of a triangle of chromaticities; smaller ones count as degenerate. */
const minArea = 1e-4;

/**
 * Reads the data of cHRM (PNG third edition §11.3.2.1). Null for values that no display can have: a wrong length, y =
 * 0, points outside the diagram, or a white point that is no mixture of the primaries.
 */
function readChromaticities(data: ByteCursor): Chromaticities | null {
  if (data.remaining !== 32) return null;
  const white = readChromaticity(data);
  const red = readChromaticity(data);
  const green = readChromaticity(data);
  const blue = readChromaticity(data);
  const areInside = [white, red, green, blue].every(({ x, y }) => y > 0 && x + y <= 1);
  return areInside && isMixture(white, [red, green, blue]) ? { white, red, green, blue } : null;
}

function readChromaticity(data: ByteCursor): Chromaticity {
  const x = data.uint32() / 100_000;
  const y = data.uint32() / 100_000;
  return { x, y };
}

/** Whether a point is inside a triangle of either orientation. */
function isMixture(
  point: Chromaticity,
  [a, b, c]: readonly [Chromaticity, Chromaticity, Chromaticity],
): boolean {
  const areas = [doubleArea(a, b, point), doubleArea(b, c, point), doubleArea(c, a, point)];
  return areas.every((area) => area > minArea) || areas.every((area) => area < -minArea);
}

function doubleArea(a: Chromaticity, b: Chromaticity, c: Chromaticity): number {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/**
 * Returns the inflated ICC profile of an `iCCP` chunk, or null if its stream is corrupt, exceeds the size of any real
 * profile, or is not a profile. Source: PNG third edition §11.3.2.3.
 *
 * @param ranges the deflated stream; empty if there is none
 */
export function pngProfile(file: Uint8Array, ranges: readonly ByteRange[]): Uint8Array | null {
  const profile = storedPngProfile(file, ranges);
  return typeof profile === 'string' ? null : profile;
}

/**
 * Like `pngProfile`, but distinguishes a profile that is too large, and one with far more blocks than any encoder
 * writes.
 */
export function storedPngProfile(file: Uint8Array, [range]: readonly ByteRange[]): StoredProfile {
  if (!range) return null;
  if (range.length > maxProfileBytes) return 'too-large';
  const stream = file.subarray(range.offset, range.offset + range.length);
  const { content, bytes, isWhole, isExcessive } = inflate(stream, maxProfileBytes + 1);
  if (isExcessive) return 'excessive';
  if (bytes > maxProfileBytes) return 'too-large';
  return isWhole ? usableProfile(content) : null;
}
