import { crc32 } from 'node:zlib';
import type { PngInspection } from '../inspect/inspection.ts';
import { joinBytes } from './byte-strings.ts';
import { pngChunk, pngChunks, pngSignatureBytes } from './png-chunks.ts';

/** Signature, and IHDR with its length, type and checksum. */
const headBytes = pngSignatureBytes + 25;
const colorTypeOffset = 8 + 8 + 9;
const palette = 3;

/**
 * A grey PNG as one with a palette of greys: its coded data stay, since a
 * sample and its place in a ramp are the same number. A profile for RGB may
 * stand in the result but not in the grey one (PNG third edition §11.3.2.3).
 *
 * @returns null for more than 256 greys, or an alpha channel
 */
export function asGreyRamp(file: Uint8Array, image: PngInspection): Uint8Array<ArrayBuffer> | null {
  const { colorType, bitDepth } = image;
  if (colorType !== 0 || bitDepth > 8 || image.hasAlpha) return null;
  const greys = 1 << bitDepth;
  const ramp = Uint8Array.from({ length: 3 * greys }, (_, i) =>
    Math.round((Math.floor(i / 3) * 255) / (greys - 1)),
  );
  const header = new Uint8Array(file.subarray(0, headBytes));
  header[colorTypeOffset] = palette;
  const view = new DataView(header.buffer);
  view.setUint32(headBytes - 4, crc32(header.subarray(12, headBytes - 4)));
  // behind what says how colours are meant, which counts only before a palette
  let dataStart = headBytes;
  for (const { type, start } of pngChunks(file)) {
    dataStart = start;
    if (type === 'IDAT') break;
  }
  return joinBytes(
    header,
    file.subarray(headBytes, dataStart),
    pngChunk('PLTE', ramp),
    file.subarray(dataStart),
  );
}
