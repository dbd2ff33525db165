/** What is done to all pixels: what counts say, or, where they hardly differ, what a part of the picture takes. */
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
 * @param keepsHidden whether colours under full transparency stay as they are
 */
export function triedTransforms(width: i32, keepsHidden: bool): i32 {
  const kind = surveyedTransforms();
  if (kind === indexed || !isCloseChoice()) return kind;
  const other = kind === directKind ? predictiveKind : directKind;
  const bytes = sampleBytes(width, kind, keepsHidden);
  return sampleBytes(width, other, keepsHidden) < bytes ? other : kind;
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
