import type { JpegInspection } from '../inspect/inspection.ts';
import { type Coded, codePicture, type Writing } from './code-picture.ts';
import { CodedRows } from './coded-rows.ts';
import type { Sampling } from './frame-geometry.ts';
import { leavesToGuess } from './guessed-coefficients.ts';
import type { JpegKernel } from './kernel.ts';
import type { ScanList } from './scan-list.ts';
import { SourceRows } from './source-rows.ts';

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
