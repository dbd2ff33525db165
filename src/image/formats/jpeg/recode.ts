import type { Quality } from '../inspection.ts';
import { type Coded, CodedRows, codePicture, type Writing } from './code-picture.ts';
import { SourceRows } from './decode.ts';
import type { JpegInspection } from './inspect.ts';
import { type JpegKernel, runJpegKernel } from './kernel.ts';
import { targetScale, targetTables } from './quantization-tables.ts';
import { halvedSampling, lumaPerChroma, type Sampling, samplingOf } from './sampling.ts';
import { leavesToGuess, type ScanList, scansOf } from './scan-list.ts';

/** How a JPEG is to be recoded. */
export interface JpegRecodeSettings extends Pick<Writing, 'head' | 'mayStream'> {
  readonly quality: Quality;
  /** Bytes of the file with its coded picture as it is, which the result has to beat. */
  readonly originalBytes: number;
}

export interface RecodedJpeg {
  /** The file, where it lies in the arena. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** What it was written with, which is `lossless` where nothing else came about. */
  readonly quality: Quality;
}

/** Coding again costs a little quality each time: for less than a hundredth of the bytes it is not worth it. */
export const worthwhileShare = 0.99;

/**
 * Recodes a JPEG without ever making pixels of it, in the arena that has been reserved for that
 * (`jpegRecodingBytes`).
 *
 * @returns null if the result would not be smaller than the original
 * @throws CodecError if the file is damaged or takes more memory than is available
 */
export function recodeJpeg(
  file: Uint8Array<ArrayBuffer>,
  image: JpegInspection,
  { quality, originalBytes, head, mayStream }: JpegRecodeSettings,
): RecodedJpeg | null {
  const list = scansOf(file, image);
  for (const candidate of coefficientCandidates(image, list, quality)) {
    const maxBytes =
      candidate.quality === 'lossless'
        ? originalBytes - 1
        : Math.floor(worthwhileShare * originalBytes);
    const coded = runJpegKernel(file, (kernel) =>
      codeCandidate(kernel, image, list, { ...candidate, head, maxBytes, mayStream }),
    );
    if (coded.kind === 'coded') return { bytes: coded.bytes, quality: candidate.quality };
  }
  return null;
}

/** What the coefficients of a JPEG may become. */
export interface CoefficientCandidate {
  readonly quality: Quality;
  /** Steps of each component in zigzag order; null: every coefficient stays. */
  readonly tables: readonly Uint16Array[] | null;
  /** Of each component; where chroma has fewer samples than before, it is halved. */
  readonly sampling: readonly Sampling[];
}

/**
 * The candidates, of which the first that can be coded is the best: with chroma halved where the
 * quality does not need it, with all of it, without loss.
 */
export function* coefficientCandidates(
  image: JpegInspection,
  list: ScanList,
  quality: Quality,
): Generator<CoefficientCandidate> {
  const sampling = samplingOf(image);
  // a step of zero means nothing that another one could stand for
  const haveMeaning = list.quantization.every((table) => table.every((step) => step > 0));
  if (quality !== 'lossless' && haveMeaning && !leavesToGuess(image, list)) {
    const halved = halvedSampling(image, quality);
    for (const samples of halved ? [halved, sampling] : [sampling]) {
      const chroma = image.colorSpace === 'ycbcr' ? lumaPerChroma(samples) : null;
      const tables = targetTables(targetScale(quality), list.quantization, chroma);
      yield { quality, sampling: samples, tables };
    }
  }
  yield { quality: 'lossless', sampling, tables: null };
}

/**
 * Codes the coefficients of a JPEG anew, requantized or as they are, with Huffman tables and scans
 * made for them.
 *
 * @throws CodecError if the file is damaged or takes more memory than is available
 */
export function codeCandidate(
  kernel: JpegKernel,
  image: JpegInspection,
  list: ScanList,
  candidate: Pick<CoefficientCandidate, 'tables' | 'sampling'> & Writing,
): Coded {
  const { width, height } = image;
  const picture = {
    width,
    height,
    sampling: candidate.sampling,
    ids: image.components.map(({ id }) => id),
    isYcc: image.colorSpace === 'ycbcr',
  };
  const source = new SourceRows(kernel, image, list);
  if (leavesToGuess(image, list)) {
    // all of its scans, so that it is known to be sound
    source.begin();
    return { kind: 'not-codable' };
  }
  const rows = new CodedRows(kernel, source, picture, candidate.tables);
  return codePicture(kernel, rows, picture, candidate);
}
