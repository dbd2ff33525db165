import { ByteCursor } from './byte-cursor.ts';
import { type InspectionResult, pngColorChunks } from './inspection.ts';
import { hasValidChecksum, type PngChunk } from './png-chunk.ts';
import { emptyPngChunks, type PngChunks, readPngChunk } from './png-chunks.ts';
import { maximumPngInteger, readPngHeader } from './png-header.ts';
import { broken, isRefusal, type Refusal, unsupportedFeature } from './refusal.ts';

const signature = '\x89PNG\r\n\x1a\n';
const truncated = 'The PNG ends inside a chunk.';

/** Length, type and CRC of a chunk without data. */
const emptyChunkBytes = 12;

/**
 * Reads a PNG's chunk headers up to IEND and the data of the few chunks that say what the picture is
 * (PNG third edition §5, §11). Checksums are checked where values are taken out that change the
 * picture (IHDR, PLTE, tRNS, acTL, colour chunks); those of image data are the decoder's.
 *
 * Colour chunks after PLTE or IDAT do not count, as in libpng and with it in browsers.
 */
export function inspectPng(view: DataView): InspectionResult {
  const cursor = new ByteCursor(view, 0, view.byteLength);
  if (cursor.text(signature.length) !== signature) {
    return broken('The PNG signature is damaged, as a transfer in text mode does.');
  }
  const first = nextChunk(cursor);
  if (isRefusal(first)) return first;
  if (first.type === 'CgBI')
    return unsupportedFeature("Apple's CgBI variant of PNG is not supported.");
  if (first.type !== 'IHDR' || first.end - first.start !== 13) {
    return broken('The PNG does not begin with a valid header chunk.');
  }
  if (!hasValidChecksum(view, first)) return broken('The checksum of the PNG header is wrong.');
  const header = readPngHeader(new ByteCursor(view, first.start, first.end));
  if (isRefusal(header)) return header;

  const chunks = emptyPngChunks(header);
  while (cursor.remaining > 0) {
    // Less than a chunk after image data is what is left of a lost IEND.
    if (chunks.hasImageData && cursor.remaining < emptyChunkBytes) break;
    const chunk = nextChunk(cursor);
    if (isRefusal(chunk)) return chunk;
    if (chunk.type === 'IEND') break;
    const refusal = readPngChunk(view, chunk, chunks);
    if (refusal) return refusal;
  }
  return chunks.hasImageData ? summarize(chunks) : broken('The PNG has no image data.');
}

function nextChunk(cursor: ByteCursor): PngChunk | Refusal {
  const length = cursor.uint32();
  const type = cursor.text(4);
  const start = cursor.position;
  if (cursor.overrun) return broken(truncated);
  if (!/^[A-Za-z]{4}$/.test(type)) return broken('The PNG has a chunk with an impossible type.');
  if (length > maximumPngInteger) return broken('A PNG chunk has an impossible length.');
  cursor.skip(length + 4);
  if (cursor.overrun) return broken(truncated);
  return { type, start, end: start + length };
}

function summarize(chunks: PngChunks): InspectionResult {
  const { header, colors } = chunks;
  return {
    kind: 'image',
    image: {
      type: 'png',
      width: header.width,
      height: header.height,
      bitDepth: header.bitDepth,
      hasAlpha: header.colorType === 4 || header.colorType === 6 || chunks.hasTransparency,
      isGrey: header.colorType === 0 || header.colorType === 4,
      frames: frameCount(chunks),
      orientation: chunks.orientation ?? 1,
      icc: colors.icc ? [colors.icc] : [],
      colorType: header.colorType,
      interlaced: header.interlaced,
      paletteSize: chunks.paletteSize,
      colorChunk: pngColorChunks.find((type) => colors.kinds.has(type)) ?? null,
      cicp: colors.cicp,
      gamma: colors.gamma,
      chromaticities: colors.chromaticities,
    },
  };
}

/** §11.3.6.1. One frame that is the default image is a still; zero frames are no animation at all. */
function frameCount({ animationFrames, defaultImageIsFrame }: PngChunks): number {
  if (animationFrames === 0 || (animationFrames === 1 && defaultImageIsFrame)) return 1;
  return Math.max(2, animationFrames);
}
