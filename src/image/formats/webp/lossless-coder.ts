import type { RowSource } from '../../pixels/row-source.ts';
import { Pace, type Slices } from '../../slices.ts';
import { type CodedBytes, piecesOf } from './coded-webp.ts';
import { expectRoom, type WebpKernel } from './kernel.ts';
import { kernelConstants } from './kernel-exports.ts';

/** Settings for lossless encoding. */
export interface LosslessSettings {
  /** Whether the invisible colors of fully transparent pixels are kept as well. */
  readonly exact: boolean;
}

type Size = Pick<RowSource, 'width' | 'height'>;

/** Number of passes over the rows: a survey and the encoding. */
export const losslessRuns = 2;

/**
 * Allocates the memory for encoding, apart from the result, regardless of the survey; returns false if there is no
 * room.
 */
export function allocateLossless(kernel: WebpKernel, { width, height }: Size): boolean {
  return (
    kernel.allocateSurvey(width, height) !== 0 &&
    kernel.allocate(kernel.rgbaRowBytes(width)) !== 0 &&
    kernel.allocateLosslessPicture(width, height, kernelConstants.predictiveWithoutGreen) !== 0
  );
}

/**
 * Encodes the rows of a picture as the data of a `VP8L` chunk.
 *
 * @returns the encoded bytes in the kernel's memory
 * @throws CodecError if there is no room; also whatever reading the rows throws
 */
export function* codedLossless(
  kernel: WebpKernel,
  rows: RowSource,
  settings: LosslessSettings,
): Slices<CodedBytes[]> {
  const coded = yield* losslessWithin(kernel, rows, settings, Number.POSITIVE_INFINITY);
  expectRoom(coded ? 1 : 0);
  return coded ?? [];
}

/**
 * Encodes rows losslessly within a maximum size, in the remaining memory.
 * @returns null if it takes more, or there is no room
 * @throws CodecError whatever reading the rows throws
 */
export function* losslessWithin(
  kernel: WebpKernel,
  rows: RowSource,
  { exact }: LosslessSettings,
  maxBytes: number,
): Slices<CodedBytes[] | null> {
  const { width, height } = rows;
  const at = kernel.allocate(kernel.rgbaRowBytes(width));
  if (at === 0 || kernel.allocateSurvey(width, height) === 0) return null;
  kernel.beginSurvey(exact);
  yield* rows.start();
  for (let y = 0; y < height; y += 1) {
    const row = yield* rows.next();
    kernel.bytes.set(row, at);
    kernel.surveyRow(at);
  }
  yield* rows.end();
  const transforms = yield* triedTransforms(kernel, width, exact);
  if (kernel.allocateLosslessPicture(width, height, transforms) === 0) return null;
  const most = kernel.taken() + maxBytes;
  const pace = encodingPace(rows);
  kernel.beginLosslessPicture(exact);
  yield* rows.start();
  for (let y = 0; y < height; y += 1) {
    const row = yield* rows.next();
    kernel.bytes.set(row, at);
    kernel.takeLosslessRow(at);
    while (kernel.encodeOn()) yield* pace.after();
    // Allows for partly filled strings and buffered bytes.
    if (kernel.taken() > most + spareBytes) return null;
  }
  yield* rows.end();
  kernel.endLosslessRows();
  while (kernel.encodeOn()) yield* pace.after();
  const first = kernel.finishLosslessPicture();
  const length = kernel.losslessBytes();
  return first !== 0 && length <= maxBytes ? piecesOf(kernel, first, length) : null;
}

/** Chooses transforms, if need be by trials, between which it pauses. */
function* triedTransforms(kernel: WebpKernel, width: number, exact: boolean): Slices<number> {
  for (;;) {
    const transforms = kernel.triedTransforms(width, exact);
    if (transforms !== kernelConstants.undecided) return transforms;
    yield trialMs;
  }
}

/** The pace of `encodeOn`. */
export function encodingPace({ width, height }: Size): Pace {
  return Pace.ofRows(Math.min(width * height, encodingPixels), encodingMs);
}

/** Pixels of a step of `encodeOn`, at most, and their predicted CPU time in milliseconds per megapixel. */
const encodingPixels = 32_768;
const encodingMs = 60;
/** Predicted CPU time of a trial of transforms, in milliseconds. */
const trialMs = 20;

const spareBytes = 4 * (kernelConstants.pieceBytes + 16);
