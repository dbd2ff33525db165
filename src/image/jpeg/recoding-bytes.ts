import type { JpegInspection } from '../inspect/inspection.ts';
import type { Quality } from '../options.ts';
import {
  type ComponentGeometry,
  frameGeometry,
  type Sampling,
  samplingOf,
} from './frame-geometry.ts';
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
  const sampling = samplingOf(image);
  if (quality === 'lossless') return recodingBytes(image, fileBytes, sampling, 0);
  const halved = halvedSampling(image, quality);
  return Math.max(
    recodingBytes(image, fileBytes, sampling, requantizingBytes(image, sampling, false)),
    halved ? recodingBytes(image, fileBytes, halved, requantizingBytes(image, halved, true)) : 0,
  );
}

/** @param requantizing what it takes to choose other coefficients than those of the file */
function recodingBytes(
  image: JpegInspection,
  fileBytes: number,
  sampling: readonly Sampling[],
  requantizing: number,
): number {
  const geometry = frameGeometry(image, sampling);
  const always = coefficientBytes(image) + codingBytes + requantizing + outputMargin + fileBytes;
  const streamed = always + scratchBytes(geometry);
  if (image.process === 'progressive') {
    const planed = streamed + 128 * widest(geometry);
    return withinCeiling(planed, planed + highBytes(image, fileBytes));
  }
  const rowPointers = geometry.reduce((bytes, { blocksDown }) => bytes + 4 * blocksDown, 0);
  // a row is begun only where the most that it can take is free
  const lastRow = mostBlockTokens * widest(geometry);
  const tokens = tokenHead * blockCount(geometry) + tokensPerFileByte * fileBytes;
  return withinCeiling(streamed, always + rowPointers + lastRow + tokens);
}

/** Coded rows, a row of the DC search, and a row of each component whose samples are halved. */
function requantizingBytes(
  image: JpegInspection,
  sampling: readonly Sampling[],
  isChromaHalved: boolean,
): number {
  const geometry = frameGeometry(image, sampling);
  const chroma = isChromaHalved ? geometry.slice(1) : [];
  const halved = chroma.reduce((bytes, { blocksAcross }) => bytes + 256 * blocksAcross, 0);
  return rowsBytes(geometry) + 16 * widest(geometry) + halved;
}

/** Tokens of one row of MCUs at the most. */
function scratchBytes(geometry: readonly ComponentGeometry[]): number {
  return geometry.reduce(
    (bytes, { blocksAcross, vertical }) => bytes + mostBlockTokens * blocksAcross * vertical,
    0,
  );
}

/** Blocks in the longest row. */
function widest(geometry: readonly ComponentGeometry[]): number {
  return Math.max(...geometry.map(({ blocksAcross }) => blocksAcross));
}
