import { ByteCursor } from './byte-cursor.ts';
import type { ByteRange, Chromaticities, PngCodePoints, PngColorChunk } from './inspection.ts';
import { readChromaticities } from './png-chromaticities.ts';
import { hasValidChecksum, type PngChunk } from './png-chunk.ts';

/** Encoding exponents beyond these are senseless, times 100 000; the limits are libpng's. */
const minimumGamma = 16;
const maximumGamma = 625_000_000;

/** What the colour chunks have said so far, the first usable one of each kind. */
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
 * Takes from a colour chunk what it says; one that is damaged or says nothing possible counts as
 * absent, as in libpng. Of iCCP the checksum is left alone: decoders use such a profile, whose stream
 * has a checksum of its own. Source: PNG third edition §11.3.2.
 */
export function readPngColorChunk(view: DataView, chunk: PngChunk, colors: PngColors): void {
  if (chunk.type === 'iCCP') {
    colors.icc ??= compressedProfile(view, chunk);
    if (colors.icc) colors.kinds.add('iCCP');
    return;
  }
  if (!hasValidChecksum(view, chunk)) return;
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

/** §11.3.2.6: the matrix must say RGB. */
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
  return value >= minimumGamma && value <= maximumGamma ? value / 100_000 : null;
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
