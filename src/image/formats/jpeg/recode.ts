import type { Slices } from '../../slices.ts';
import type { Quality } from '../inspection.ts';
import { type Coded, CodedRows, codePicture, type Writing } from './code-picture.ts';
import { SourceRows } from './decode.ts';
import type { JpegInspection } from './inspect.ts';
import { type JpegKernel, runJpegKernel } from './kernel.ts';
import { targetScale, targetTables } from './quantization-tables.ts';
import { halvedSampling, lumaPerChroma, type Sampling, samplingOf } from './sampling.ts';
import { leavesToGuess, type ScanList, scansOf } from './scan-list.ts';

/** Settings for recoding a JPEG. */
export interface JpegRecodeSettings extends Pick<Writing, 'head' | 'mayStream'> {
  readonly quality: Quality;
  /** Length in bytes of the file with its coded picture unchanged, which the result has to undercut. */
  readonly originalBytes: number;
}

export interface RecodedJpeg {
  /** The file as a view of the arena. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The quality of the result; `lossless` if lossy recoding was not possible. */
  readonly quality: Quality;
}

/** Maximum share of the bytes for which lossy recoding, which always costs some quality, is worthwhile. */
export const worthwhileShare = 0.99;

/**
 * Recodes a JPEG without decoding it to pixels. The memory must have been reserved (`jpegRecodingBytes`).
 *
 * @returns null if the result would not be smaller than the original
 * @throws CodecError if the file is damaged or takes more memory than is available
 */
export function* recodeJpeg(
  file: Uint8Array<ArrayBuffer>,
  image: JpegInspection,
  { quality, originalBytes, head, mayStream }: JpegRecodeSettings,
): Slices<RecodedJpeg | null> {
  const list = scansOf(file, image);
  for (const candidate of coefficientCandidates(image, list, quality)) {
    const maxBytes =
      candidate.quality === 'lossless'
        ? originalBytes - 1
        : Math.floor(worthwhileShare * originalBytes);
    const coded = yield* runJpegKernel(file, (kernel) =>
      codeCandidate(kernel, image, list, { ...candidate, head, maxBytes, mayStream }),
    );
    if (coded.kind === 'coded') return { bytes: coded.bytes, quality: candidate.quality };
  }
  return null;
}

/** A way of coding the coefficients of a JPEG. */
export interface CoefficientCandidate {
  readonly quality: Quality;
  /** Quantization steps of each component in zigzag order; null to keep the coefficients. */
  readonly tables: readonly Uint16Array[] | null;
  /** Sampling of each component; chroma with fewer samples than before is halved. */
  readonly sampling: readonly Sampling[];
}

/**
 * The candidates, best first: with halved chroma if the quality does not need full chroma, with the chroma of the file,
 * and lossless. The first one that can be coded is used.
 */
export function* coefficientCandidates(
  image: JpegInspection,
  list: ScanList,
  quality: Quality,
): Generator<CoefficientCandidate> {
  const sampling = samplingOf(image);
  // A quantization step of 0 cannot be replaced by another one.
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
 * Encodes the coefficients of a JPEG, requantized or unchanged, with optimized Huffman tables and scans.
 *
 * @throws CodecError if the file is damaged or takes more memory than is available
 */
export function* codeCandidate(
  kernel: JpegKernel,
  image: JpegInspection,
  list: ScanList,
  candidate: Pick<CoefficientCandidate, 'tables' | 'sampling'> & Writing,
): Slices<Coded> {
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
    // Reads all scans, to detect damage.
    yield* source.begin();
    return { kind: 'not-codable' };
  }
  const rows = new CodedRows(kernel, source, picture, candidate.tables);
  return yield* codePicture(kernel, rows, picture, candidate);
}
