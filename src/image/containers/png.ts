import type { Inspection } from '../inspect/inspection.ts';
import { assemble, type Build } from './assemble.ts';
import { joinBytes } from './byte-strings.ts';
import { emptyPngChunkBytes, pngChunk, pngChunks, pngSignatureBytes } from './png-chunks.ts';
import { hasSquarePixels, isUsable, pngStatements } from './png-statements.ts';
import type { Appearance, Rewrapper } from './rewrapper.ts';

/** What a tone mapper for HDR is told (§11.3.2.7 and 8). */
const hdrChunks: ReadonlySet<string> = new Set(['mDCV', 'cLLI']);

/** In a still they would be further pictures that nobody sees (§11.3.6). */
const animationChunks: ReadonlySet<string> = new Set(['acTL', 'fcTL', 'fdAT']);

/**
 * Keeps the critical chunks and those ancillary ones that change what a decoder shows; pHYs only for
 * pixels that are not square. sBIT and bKGD go: no browser looks at them. The profile, EXIF, XMP and
 * IPTC come right after IHDR; the file's own iCCP chunk stays as it is when it holds the same profile.
 *
 * A missing IEND is added when that makes the copy no longer than the file.
 * Source: PNG third edition §5 and §11.
 */
export const rewrapPng: Rewrapper = (image, file, appearance) =>
  assemble(rewrappedPng(image, file, appearance));

/** The same, not written yet. */
export function rewrappedPng(image: Inspection, file: Uint8Array, appearance: Appearance): Build {
  const { added, colors } = pngStatements(image, file, appearance);
  return (sink) => {
    sink.write(file.subarray(0, pngSignatureBytes));
    let hasData = false;
    let hasEnd = false;
    for (const { type, start, bytes } of pngChunks(file)) {
      if (type === 'IDAT') hasData = true;
      if (type === 'IHDR') {
        sink.write(bytes);
        for (const chunk of added) sink.write(chunk);
      } else if (type === 'IEND') {
        hasEnd = true;
        sink.write(pngChunk('IEND', new Uint8Array()));
      } else if (
        colors.has(start) ||
        type === 'PLTE' ||
        type === 'IDAT' ||
        (type === 'tRNS' && !hasData) ||
        (animationChunks.has(type) && image.frames > 1) ||
        describesPixels(type, bytes)
      ) {
        sink.write(bytes);
      }
    }
    if (!hasEnd && sink.position + emptyPngChunkBytes <= file.length) {
      sink.write(pngChunk('IEND', new Uint8Array()));
    }
  };
}

/**
 * All that says what the samples of a still mean and where it comes from: the chunks between a new
 * IHDR and a new PLTE, when its picture is coded anew.
 * @throws ContainerError when the structure of the file cannot be read
 */
export function pngPreamble(
  image: Inspection,
  file: Uint8Array,
  appearance: Appearance,
): Uint8Array<ArrayBuffer> {
  const { added, colors } = pngStatements(image, file, appearance);
  const kept: Uint8Array[] = [];
  for (const { type, start, bytes } of pngChunks(file)) {
    if (type === 'IDAT') break;
    if (colors.has(start) || describesPixels(type, bytes)) kept.push(bytes);
  }
  return joinBytes(...added, ...kept);
}

/** Light beyond white, and pixels that are not square. */
function describesPixels(type: string, bytes: Uint8Array): boolean {
  if (type === 'pHYs') return !hasSquarePixels(bytes);
  return hdrChunks.has(type) && isUsable(type, bytes);
}
