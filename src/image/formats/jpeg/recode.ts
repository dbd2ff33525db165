import type { Quality } from '../../pipeline/options.ts';
import type { JpegInspection } from '../format.ts';
import { type Coded, CodedRows, codePicture, type Writing } from './code-picture.ts';
import { SourceRows } from './decode.ts';
import type { JpegKernel } from './kernel.ts';
import { halvedSampling, lumaPerChroma, type Sampling, samplingOf } from './sampling.ts';
import { leavesToGuess, type ScanList } from './scan-list.ts';
import { targetScale, targetTables } from './target-tables.ts';

/** How a picture is to be coded anew. */
export interface Recoding extends Writing {
  /** Steps of each component in zigzag order; null: every coefficient stays. */
  readonly tables: readonly Uint16Array[] | null;
  /** Of each component; where chroma has fewer samples than before, it is halved. */
  readonly sampling: readonly Sampling[];
}

/**
 * Codes the coefficients of a JPEG anew, never its pixels: requantized or as
 * they are, with Huffman tables and scans made for them.
 *
 * @throws CodecError where the file is damaged, or takes more memory than there is
 */
export function recodeJpeg(
  kernel: JpegKernel,
  image: JpegInspection,
  list: ScanList,
  recoding: Recoding,
): Coded {
  const { width, height } = image;
  const picture = {
    width,
    height,
    sampling: recoding.sampling,
    ids: image.components.map(({ id }) => id),
    isYcc: image.colorSpace === 'ycbcr',
  };
  const source = new SourceRows(kernel, image, list);
  if (leavesToGuess(image, list)) {
    // all of its scans, so that it is known to be sound
    source.begin();
    return { kind: 'not-codable' };
  }
  const rows = new CodedRows(kernel, source, picture, recoding.tables);
  return codePicture(kernel, rows, picture, recoding);
}

/** One way to code a JPEG anew. */
export interface Way extends Pick<Recoding, 'tables' | 'sampling'> {
  readonly quality: Quality;
}

/**
 * Ways to code a JPEG anew, the first that comes about being the best: with chroma
 * halved where the quality does not need it, with all of it, without loss.
 */
export function* recodings(
  image: JpegInspection,
  list: ScanList,
  quality: Quality,
): Generator<Way> {
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
