import { inflateSync } from 'node:zlib';
import { maxProfileBytes, type StoredProfile, usableProfile } from '../../color/icc-reader.ts';
import type { Chromaticities, Chromaticity } from '../../color/primaries.ts';
import { ByteCursor, type ByteRange } from '../../container/byte-cursor.ts';
import { hasValidChecksum, type PngChunk } from './chunks.ts';
import { unpackedBytes } from './kernel.ts';

/** Chunks that define the color space, highest precedence first (PNG third edition §4.3). */
export const pngColorChunks = ['cICP', 'iCCP', 'sRGB', 'gAMA'] as const;
export type PngColorChunk = (typeof pngColorChunks)[number];

/** Code points of ITU-T H.273; the matrix is always RGB. */
export interface PngCodePoints {
  readonly primaries: number;
  readonly transfer: number;
  readonly fullRange: boolean;
}

/** Limits of valid gamma values, times 100,000, as in libpng. */
const minGamma = 16;
const maxGamma = 625_000_000;

/** The content of the color chunks so far: the first usable one of each kind. */
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
 * Reads a color chunk; as in libpng, a damaged or impossible one counts as absent. The checksum of iCCP is ignored, because
 * decoders use such profiles, whose stream has a checksum of its own. Source: PNG third edition §11.3.2.
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

/** Reads cICP (§11.3.2.6), whose matrix has to be RGB. */
function readCodePoints(data: ByteCursor): PngCodePoints | null {
  if (data.remaining !== 4) return null;
  const primaries = data.uint8();
  const transfer = data.uint8();
  const matrix = data.uint8();
  const range = data.uint8();
  return matrix === 0 && range <= 1 ? { primaries, transfer, fullRange: range === 1 } : null;
}

/** Reads gAMA (§11.3.2.2). */
function readGamma(data: ByteCursor): number | null {
  if (data.remaining !== 4) return null;
  const value = data.uint32();
  return value >= minGamma && value <= maxGamma ? value / 100_000 : null;
}

/** The range of the compressed profile in iCCP (§11.3.2.3): after a name of 1 to 79 bytes, a zero byte and compression method 0. */
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

/** Twice the area below which a triangle of chromaticities counts as degenerate. */
const minArea = 1e-4;

/**
 * Reads cHRM (PNG third edition §11.3.2.1). Null for impossible values: a wrong length, y = 0, points outside the diagram, or
 * a white point that is not a mixture of the primaries.
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

/** Whether a point lies inside a triangle of any orientation. */
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
 * Decompresses the ICC profile of an `iCCP` chunk; null if there is none, its stream is corrupt, or the result is larger than
 * any real profile. Source: PNG third edition §11.3.2.3.
 *
 * @param ranges the compressed stream; empty if there is none
 */
export function pngProfile(file: Uint8Array, ranges: readonly ByteRange[]): Uint8Array | null {
  const profile = inflated(streamIn(file, ranges));
  return profile && usableProfile(profile);
}

/** Like `pngProfile`, but also reports a profile that is too large, for which it may decompress in the arena. */
export function storedPngProfile(file: Uint8Array, ranges: readonly ByteRange[]): StoredProfile {
  const stream = streamIn(file, ranges);
  if (!stream) return null;
  const profile = inflated(stream);
  if (profile) return usableProfile(profile);
  const bytes =
    stream.length > maxProfileBytes ? stream.length : unpackedBytes(stream, maxProfileBytes + 1);
  return bytes > maxProfileBytes ? 'too-large' : null;
}

function streamIn(file: Uint8Array, [range]: readonly ByteRange[]): Uint8Array | null {
  return range ? file.subarray(range.offset, range.offset + range.length) : null;
}

function inflated(stream: Uint8Array | null): Uint8Array | null {
  if (!stream || stream.length > maxProfileBytes) return null;
  try {
    return inflateSync(stream, { maxOutputLength: maxProfileBytes });
  } catch {
    return null;
  }
}
