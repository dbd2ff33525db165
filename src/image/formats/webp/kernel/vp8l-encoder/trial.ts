/**
 * Chooses the transforms: by the counts of a survey or, if they are inconclusive, by encoding a sample of the picture;
 * a small picture is encoded as a whole.
 */
import { allocate, release } from '../../../../wasm/assembly/memory';
import { beginPieces } from '../pieces';
import {
  allocateCoder,
  beginCoder,
  coderBytes,
  endCoderRows,
  finishCoder,
  nextCoderRow,
  takeCoderRow,
} from './coder';
import {
  directKind,
  indexed,
  isCloseChoice,
  predictiveKind,
  sample,
  sampleRows,
  surveyedTransforms,
} from './survey';

/**
 * Chooses transforms after the last row of a survey, using the memory of the later encoding.
 * @param keepsHidden whether to keep colors of fully transparent pixels
 */
export function triedTransforms(width: i32, keepsHidden: bool): i32 {
  const kind = surveyedTransforms();
  if (width * sampleRows <= smallPixels) return smallestTransforms(width, kind, keepsHidden);
  if (kind === indexed || !isCloseChoice()) return kind;
  const other = kind === directKind ? predictiveKind : directKind;
  const bytes = sampleBytes(width, kind, keepsHidden);
  return sampleBytes(width, other, keepsHidden) < bytes ? other : kind;
}

/**
 * Maximum number of pixels in a picture that is encoded with all kinds of transforms, because the palette and the
 * codes, which counts ignore, are a large part of it.
 */
const smallPixels: i32 = 1 << 14;

/** The transforms with the fewest bytes for a picture that the sample contains completely. */
function smallestTransforms(width: i32, surveyed: i32, keepsHidden: bool): i32 {
  let best = surveyed;
  let least = sampleBytes(width, surveyed, keepsHidden);
  for (let i: i32 = 0; i < 2; i += 1) {
    const kind = i === 0 ? directKind : predictiveKind;
    if (kind === surveyed) continue;
    const bytes = sampleBytes(width, kind, keepsHidden);
    if (bytes >= least) continue;
    best = kind;
    least = bytes;
  }
  return best;
}

/** Bytes of the encoded sample; the largest number if there is no memory for encoding it. */
function sampleBytes(width: i32, kind: i32, keepsHidden: bool): f64 {
  const mark = allocate(0);
  let bytes: f64 = f64.MAX_VALUE;
  if (allocateCoder(width, sampleRows, kind, width * sampleRows, 0)) {
    beginPieces();
    beginCoder(keepsHidden);
    const rowBytes = (<usize>width) << 2;
    for (let y = 0; y < sampleRows; y += 1) {
      memory.copy(nextCoderRow(), sample + rowBytes * y, rowBytes);
      takeCoderRow();
    }
    endCoderRows();
    if (finishCoder() !== 0) bytes = coderBytes();
  }
  release(mark);
  return bytes;
}
