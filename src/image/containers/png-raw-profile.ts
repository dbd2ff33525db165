import { ascii, joinBytes } from './byte-strings.ts';
import { maximumBlockBytes } from './metadata-block.ts';

const lineFeed = 10;
const bytesPerLine = 36;

/** A block's length in front of it takes at most this many characters, with the name of its kind. */
const maximumHeadLength = 100;

/** Two digits per byte, and a line break after every 36 of them. */
export const maximumRawProfileLength =
  maximumHeadLength + maximumBlockBytes * 2 + Math.ceil(maximumBlockBytes / bytesPerLine) + 1;

/**
 * The text of a `Raw profile type …` chunk: the name of the kind, the length, then the block in
 * hexadecimal. PNG has no chunk for IPTC; this is how ImageMagick and exiftool write and read it.
 * Source: ImageMagick coders/png.c, `Magick_png_write_raw_profile`.
 */
export function rawProfile(kind: string, block: Uint8Array): Uint8Array {
  const lines = Math.ceil(block.length / bytesPerLine);
  const text = new Uint8Array(block.length * 2 + lines);
  let at = 0;
  for (const [i, byte] of block.entries()) {
    text[at++] = digit(byte >> 4);
    text[at++] = digit(byte & 15);
    if (i % bytesPerLine === bytesPerLine - 1 || i === block.length - 1) text[at++] = lineFeed;
  }
  return joinBytes(ascii(`\n${kind}\n${String(block.length).padStart(8)}\n`), text);
}

/** The block in such a text; null when it is damaged, empty or larger than `maximumBlockBytes`. */
export function readRawProfile(text: Uint8Array): Uint8Array | null {
  const head = String.fromCharCode(...text.subarray(0, maximumHeadLength));
  const found = /^\n[^\n]*\n\s*(\d{1,8})\n/.exec(head);
  if (!found) return null;
  const length = Number(found[1]);
  if (length === 0 || length > maximumBlockBytes || length * 2 > text.length) return null;
  const block = new Uint8Array(length);
  let digits = 0;
  for (let at = found[0].length; digits < length * 2; at++) {
    const code = text[at];
    if (code === undefined) return null;
    if (code === lineFeed) continue;
    const value = digitValue(code);
    if (value === undefined) return null;
    const byte = digits >> 1;
    block[byte] = ((block[byte] ?? 0) << 4) | value;
    digits++;
  }
  return block;
}

function digit(value: number): number {
  return value < 10 ? 0x30 + value : 0x61 + value - 10;
}

/** Of `0-9`, `a-f` and `A-F`. */
function digitValue(code: number): number | undefined {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x61 + 10 : undefined;
}
