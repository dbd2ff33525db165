import { exifOrientation } from './exif-orientation.ts';
import type { Orientation } from './inspection.ts';
import { hasValidChecksum, type PngChunk } from './png-chunk.ts';
import { emptyPngColors, type PngColors, readPngColorChunk } from './png-colors.ts';
import type { PngHeader } from './png-header.ts';
import { broken, type Refusal, unsupportedFeature } from './refusal.ts';

/** What the chunks have said so far. */
export interface PngChunks {
  readonly header: PngHeader;
  paletteSize: number;
  hasTransparency: boolean;
  readonly colors: PngColors;
  animationFrames: number;
  /** fcTL before IDAT: the default image is the first frame, otherwise it is never shown. */
  defaultImageIsFrame: boolean;
  orientation: Orientation | undefined;
  hasImageData: boolean;
}

export function emptyPngChunks(header: PngHeader): PngChunks {
  return {
    header,
    paletteSize: 0,
    hasTransparency: false,
    colors: emptyPngColors(),
    animationFrames: 0,
    defaultImageIsFrame: false,
    orientation: undefined,
    hasImageData: false,
  };
}

/** Takes from a chunk what it says; a refusal when it may not stand there or say that. */
export function readPngChunk(
  view: DataView,
  chunk: PngChunk,
  chunks: PngChunks,
): Refusal | undefined {
  return chunks.hasImageData
    ? readLateChunk(view, chunk, chunks)
    : readEarlyChunk(view, chunk, chunks);
}

function readEarlyChunk(view: DataView, chunk: PngChunk, chunks: PngChunks): Refusal | undefined {
  switch (chunk.type) {
    case 'PLTE':
      return readPalette(view, chunk, chunks);
    case 'tRNS':
      return readTransparency(view, chunk, chunks);
    case 'IDAT':
      if (chunks.header.colorType === 3 && chunks.paletteSize === 0) {
        return broken('The PNG has palette indices but no palette.');
      }
      chunks.hasImageData = true;
      return undefined;
    case 'cICP':
    case 'iCCP':
    case 'sRGB':
    case 'gAMA':
    case 'cHRM':
      if (chunks.paletteSize === 0) readPngColorChunk(view, chunk, chunks.colors);
      return undefined;
    case 'acTL':
      if (chunk.end - chunk.start !== 8 || !hasValidChecksum(view, chunk)) {
        return broken('The PNG animation header is damaged.');
      }
      // of several, none may make a still of it
      chunks.animationFrames = Math.max(chunks.animationFrames, view.getUint32(chunk.start));
      return undefined;
    case 'fcTL':
      chunks.defaultImageIsFrame = true;
      return undefined;
    default:
      return readLateChunk(view, chunk, chunks);
  }
}

/** What may also stand after the image data. */
function readLateChunk(view: DataView, chunk: PngChunk, chunks: PngChunks): Refusal | undefined {
  switch (chunk.type) {
    case 'eXIf':
      chunks.orientation ??= exifOrientation(view, chunk.start, chunk.end) ?? 1;
      return undefined;
    case 'IDAT':
      return undefined;
    case 'IHDR':
    case 'PLTE':
      return broken(`The PNG has an ${chunk.type} chunk where none may stand.`);
  }
  // Bit 5 of the first letter says ancillary (§5.4); without it, to go on is to show something wrong.
  return /^[a-z]/.test(chunk.type)
    ? undefined
    : unsupportedFeature(`The PNG needs the unknown chunk ${chunk.type} to be understood.`);
}

/** §11.2.2. Grey pictures may not have one, and decoders step over it. */
function readPalette(view: DataView, chunk: PngChunk, chunks: PngChunks): Refusal | undefined {
  const { colorType, bitDepth } = chunks.header;
  const entries = (chunk.end - chunk.start) / 3;
  if (colorType === 0 || colorType === 4) return undefined;
  if (chunks.paletteSize > 0) return broken('The PNG has two palettes.');
  if (!Number.isInteger(entries) || entries === 0 || entries > 256) {
    return broken('The PNG palette has an impossible length.');
  }
  if (!hasValidChecksum(view, chunk)) return broken('The checksum of the PNG palette is wrong.');
  chunks.paletteSize = colorType === 3 ? Math.min(entries, 1 << bitDepth) : entries;
  return undefined;
}

/** §11.3.1.1. A tRNS beside an alpha channel is against the rules and means nothing. */
function readTransparency(view: DataView, chunk: PngChunk, chunks: PngChunks): Refusal | undefined {
  const length = chunk.end - chunk.start;
  switch (chunks.header.colorType) {
    case 0:
      if (length !== 2) return broken('The PNG transparency chunk has a wrong length.');
      break;
    case 2:
      if (length !== 6) return broken('The PNG transparency chunk has a wrong length.');
      break;
    case 3:
      if (length === 0 || length > chunks.paletteSize) {
        return broken('The PNG transparency chunk does not fit the palette.');
      }
      break;
    case 4:
    case 6:
      return undefined;
  }
  if (!hasValidChecksum(view, chunk)) {
    return broken('The checksum of the PNG transparency chunk is wrong.');
  }
  chunks.hasTransparency = true;
  return undefined;
}
