import { BitWriter, joined } from './bit-writer.ts';

/** The five codes of a group (RFC 9649 §6.2): green, red, blue, alpha, distance. */
const alphabets = [280, 256, 256, 256, 40];

/** Kinds of code groups: codes of one symbol each, or of as many symbols as few bits can define. */
export type Groups = 'codes of one symbol' | 'codes of all symbols';

/** Bits of the largest color cache (RFC 9649 §5.2.3), whose colors extend the green alphabet. */
const cacheBits = 11;

/**
 * A VP8L stream of one color with this many groups of codes, of which its tiles use all that they can, or two.
 * @param stated at most 65,536
 */
export function streamOfGroups(
  { width, height }: { readonly width: number; readonly height: number },
  kind: Groups,
  stated: number,
  uses: 'all' | 'two',
): Uint8Array<ArrayBuffer> {
  const to = beginStream(width, height);
  const isLarge = kind === 'codes of all symbols';
  // No transform; a color cache; an entropy image with tiles of 4 × 4 pixels.
  to.put(0, 1);
  if (isLarge) to.put(1, 1).put(cacheBits, 4);
  else to.put(0, 1);
  to.put(1, 1).put(0, 3);
  // The entropy image: no cache, eight bits for red and for green.
  to.put(0, 1);
  for (const alphabet of alphabets.slice(0, 2)) codeOfLength(to, 8, 256, alphabet);
  for (let i = 0; i < 3; i += 1) soleSymbol(to);
  const tiles = Math.ceil(width / 4) * Math.ceil(height / 4);
  for (let tile = 0; tile < tiles; tile += 1) {
    const number = uses === 'all' ? tile % stated : tile === 0 ? stated - 1 : 0;
    putReversed(to, number & 255, 8);
    putReversed(to, number >> 8, 8);
  }
  for (let i = 0; i < stated; i += 1) {
    for (const [code, alphabet] of alphabets.entries()) {
      if (!isLarge) soleSymbol(to);
      else if (code === 0) codeOfLength(to, cacheBits, 2048, alphabet + 2048);
      else if (code === 4) codeOfLength(to, 5, 32, alphabet);
      else codeOfLength(to, 8, 256, alphabet);
    }
  }
  // Symbol 0 has the code 0 everywhere.
  if (isLarge) for (let i = 0; i < width * height; i += 1) to.put(0, 24).put(0, 11);
  return to.bytes;
}

/** A VP8L stream of one color with all transforms, in the smallest tiles. */
export function streamOfTransforms(width: number, height: number): Uint8Array<ArrayBuffer> {
  const to = beginStream(width, height);
  // Predictor and color tiles of 4 × 4 pixels, whose pixels take no bits: predictor 11 everywhere.
  to.put(1, 1).put(0, 2).put(0, 3).put(0, 1);
  soleSymbol(to, 11);
  for (let i = 0; i < 4; i += 1) soleSymbol(to);
  to.put(1, 1).put(1, 2).put(0, 3).put(0, 1);
  for (let i = 0; i < 4; i += 1) soleSymbol(to, 37);
  soleSymbol(to);
  to.put(1, 1).put(2, 2);
  to.put(0, 1);
  // A color cache, and no entropy image.
  to.put(1, 1).put(cacheBits, 4).put(0, 1);
  for (let i = 0; i < 5; i += 1) soleSymbol(to);
  return joined(to.bytes, new Uint8Array(1));
}

/** Signature, size, no alpha, version 0 (RFC 9649 §3.4). */
function beginStream(width: number, height: number): BitWriter {
  return new BitWriter()
    .put(0x2f, 8)
    .put(width - 1, 14)
    .put(height - 1, 14)
    .put(0, 4);
}

/** A code of one symbol, which takes no bits. */
function soleSymbol(to: BitWriter, symbol = 0): void {
  to.put(1, 1).put(0, 1);
  if (symbol < 2) to.put(0, 1).put(symbol, 1);
  else to.put(1, 1).put(symbol, 8);
}

/** The order in which the lengths of the code length code are stored (RFC 9649 §6.2.1.2). */
const lengthOrder = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/** A code in which the first symbols have codes of equal length, which itself takes no bits. */
function codeOfLength(to: BitWriter, length: number, symbols: number, alphabet: number): void {
  const count = lengthOrder.indexOf(length) + 1;
  to.put(0, 1).put(count - 4, 4);
  for (const symbol of lengthOrder.slice(0, count)) to.put(symbol === length ? 1 : 0, 3);
  if (symbols === alphabet) {
    to.put(0, 1);
    return;
  }
  const bits = 2 * Math.ceil((Math.log2(symbols) - 1e-9) / 2);
  to.put(1, 1)
    .put((bits - 2) / 2, 3)
    .put(symbols - 2, bits);
}

function putReversed(to: BitWriter, value: number, bits: number): void {
  for (let bit = bits - 1; bit >= 0; bit -= 1) to.put((value >> bit) & 1, 1);
}
