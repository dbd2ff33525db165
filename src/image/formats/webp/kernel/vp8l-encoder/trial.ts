/**
 * What is done to all pixels: what counts say, or, where they hardly differ, what a part of the picture takes; of a small
 * picture, what all of it takes.
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
 * Chooses transforms behind the last row of a survey, in the memory that coding will take.
 * @param keepsHidden whether colors under full transparency stay as they are
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
 * A picture of so few pixels is coded in each way: what a palette and codes take is then much of it, which counts leave
 * out.
 */
const smallPixels: i32 = 1 << 14;

/** What takes the fewest bytes of a picture that the sample is all of. */
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

/** Bytes that the sample takes, or more than any does where there is no room to tell. */
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
