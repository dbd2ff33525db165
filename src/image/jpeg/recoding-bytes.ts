import type { JpegInspection } from '../inspect/inspection.ts';
import type { Quality } from '../options.ts';
import { type ComponentGeometry, frameGeometry, samplingOf } from './frame-geometry.ts';
import { halvedSampling } from './halved-sampling.ts';
import {
  blockCount,
  coefficientBytes,
  highBytes,
  rowsBytes,
  withinCeiling,
} from './reading-bytes.ts';

/** Records of symbols, histograms, codes and correction bits (assembly/symbols.ts, end-of-band.ts). */
export const codingBytes = 8192 + 2 * 8208 + 68 * 4;

/** Room that is kept behind a result, so that it is looked after only once per 2048 symbols. */
export const outputMargin = 8 * 2050;

/** The most that a block takes as tokens, and what each of them begins with (assembly/tokens.ts). */
export const mostBlockTokens = 4 + 2 * 63;
const tokenHead = 4;

/**
 * Tokens of a photo, heads of blocks left aside, against the bytes of its file. Measured on photos
 * of twelve cameras, as they were and at qualities of 75 and 97: 1.5 to 2.7 where every coefficient
 * stays, less where they are quantized anew. A token of 2 bytes can cost 2 bits at the least, so a
 * crafted file may need 8; it is streamed instead.
 */
const tokensPerFileByte = 3;

/**
 * The arena that coding a JPEG anew takes, in bytes, the result included, which is never longer than
 * the file. Of a sequential picture it may be less than its tokens take, but never less than coding
 * it without keeping them; of a progressive one less than the high bytes of its planes, if those of a
 * photo would pass the ceiling.
 *
 * @param quality of the result; where it fails, the picture is coded without loss, which takes less
 */
export function jpegRecodingBytes(
  image: JpegInspection,
  fileBytes: number,
  quality: Quality,
): number {
  const full = frameGeometry(image, samplingOf(image));
  if (quality === 'lossless') return recodingBytes(image, fileBytes, full, 0);
  const sampling = halvedSampling(image, quality);
  const halved = sampling ? frameGeometry(image, sampling) : null;
  return Math.max(
    recodingBytes(image, fileBytes, full, requantizingBytes(full, false)),
    halved ? recodingBytes(image, fileBytes, halved, requantizingBytes(halved, true)) : 0,
  );
}

/**
 * @param geometry of the result
 * @param requantizing what it takes to choose other coefficients than those of the file
 */
function recodingBytes(
  image: JpegInspection,
  fileBytes: number,
  geometry: readonly ComponentGeometry[],
  requantizing: number,
): number {
  const always = coefficientBytes(image) + codingBytes + requantizing + outputMargin + fileBytes;
  const streamed = always + scratchBytes(geometry);
  if (image.process === 'progressive') {
    const planed = streamed + 128 * widest(geometry);
    return withinCeiling(planed, planed + highBytes(image, fileBytes));
  }
  const tokens = tokenHead * blockCount(geometry) + tokensPerFileByte * fileBytes;
  return withinCeiling(streamed, always + keepingBytes(geometry) + tokens);
}

/** Coded rows, a row of the DC search, and a row of each component whose samples are halved. */
export function requantizingBytes(
  geometry: readonly ComponentGeometry[],
  isChromaHalved: boolean,
): number {
  const chroma = isChromaHalved ? geometry.slice(1) : [];
  const halved = chroma.reduce((bytes, { blocksAcross }) => bytes + 256 * blocksAcross, 0);
  return rowsBytes(geometry) + 16 * widest(geometry) + halved;
}

/** Tokens of one row of MCUs at the most. */
export function scratchBytes(geometry: readonly ComponentGeometry[]): number {
  return geometry.reduce(
    (bytes, { blocksAcross, vertical }) => bytes + mostBlockTokens * blocksAcross * vertical,
    0,
  );
}

/**
 * What it takes to keep tokens, themselves left aside: pointers to their rows, and room for the most
 * that the last one can take, without which it is not begun.
 */
export function keepingBytes(geometry: readonly ComponentGeometry[]): number {
  const pointers = geometry.reduce((bytes, { blocksDown }) => bytes + 4 * blocksDown, 0);
  return pointers + mostBlockTokens * widest(geometry);
}

/** Blocks in the longest row. */
function widest(geometry: readonly ComponentGeometry[]): number {
  return Math.max(...geometry.map(({ blocksAcross }) => blocksAcross));
}
