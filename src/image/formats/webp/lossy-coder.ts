import { isTransparent } from '../../pixels/raster.ts';
import type { RowSource } from '../../pixels/row-source.ts';
import { Pace, type Slices } from '../../slices.ts';
import { CodecError } from '../../wasm/codec.ts';
import { type CodedBytes, piecesOf, viewOf } from './coded-webp.ts';
import { expectRoom, type Pointer, type WebpKernel } from './kernel.ts';
import { kernelConstants } from './kernel-exports.ts';
import { encodingPace } from './lossless-coder.ts';
import { filterLevel, filterSharpness, indexDeltas, segmentIndices } from './lossy-quality.ts';

const {
  countsTokens,
  finished,
  firstPartition,
  frameHead,
  frameHeadBytes,
  keepsTokens,
  noRoom,
  tokenPartition,
  unfinished,
  writesTokens,
} = kernelConstants;

/** Settings for lossy encoding. */
export interface LossySettings {
  /** Quality on libwebp's scale, 0 to 100. */
  readonly quality: number;
  /** Whether pixels may be transparent; whether some are is determined while encoding. */
  readonly hasAlpha: boolean;
  /** Whether the invisible colors of fully transparent pixels are kept as well. */
  readonly exact: boolean;
}

/** An encoded picture. */
export interface LossyPicture<Bytes> {
  /** The data of an `ALPH` chunk; null if all pixels are opaque. */
  readonly alpha: readonly Bytes[] | null;
  /** The frame of a `VP8 ` chunk. */
  readonly frame: readonly Bytes[];
}

/** Receives encoded bytes, which belong to the kernel. */
export interface Drains {
  /** The complete alpha data; not called for an opaque picture. */
  alpha(parts: readonly Uint8Array[]): void;
  /** The next bytes of the frame. */
  frame(bytes: Uint8Array): void;
}

/** Number of passes over the rows of a photo; alpha is surveyed before it is encoded together with the colors. */
export function lossyRuns({ hasAlpha }: Pick<LossySettings, 'hasAlpha'>): number {
  return hasAlpha ? 2 : 1;
}

/** That where tokens are counted and then written. */
export function drainingRuns(settings: Pick<LossySettings, 'hasAlpha'>): number {
  return lossyRuns(settings) + 1;
}

type Size = Pick<RowSource, 'width' | 'height'>;

/** Transforms for alpha, chosen by its survey (kernel/vp8l-encoder/survey.ts); null if nothing is transparent. */
type AlphaTransforms = number | null;

/** Transforms if there was no survey. */
const anyTransforms = -1;

/**
 * Allocates the fixed memory for encoding.
 * @throws CodecError if there is no room
 */
export function allocateLossyCoder(
  kernel: WebpKernel,
  size: Size,
  settings: Pick<LossySettings, 'hasAlpha' | 'exact'>,
): void {
  if (settings.hasAlpha) allocateSurveyRow(kernel, size);
  allocateFrame(kernel, size, settings, settings.hasAlpha ? anyTransforms : null);
}

function allocateFrame(
  kernel: WebpKernel,
  { width, height }: Size,
  { exact }: Pick<LossySettings, 'exact'>,
  transforms: AlphaTransforms,
): void {
  expectRoom(kernel.allocateLossyEncoder(width, height, transforms !== null, exact));
  if (transforms !== null) expectRoom(kernel.allocateAlphaPlane(width, height, transforms));
}

/** Allocates the memory for a survey of alpha, and returns the row that it reads. */
function allocateSurveyRow(kernel: WebpKernel, { width, height }: Size): Pointer {
  expectRoom(kernel.allocateSurvey(width, height));
  const row = kernel.allocate(kernel.rgbaRowBytes(width));
  expectRoom(row);
  return row;
}

/** Thrown if there is no room for alpha, which stored tokens may have taken. */
export class NoRoomForAlpha extends CodecError {
  constructor() {
    super('webp kernel', true, 'no room for alpha');
  }
}

/**
 * Encodes the rows of a picture. If there is no room for its tokens, they are only counted, and written in another pass
 * over the rows.
 *
 * @param mayKeep whether tokens may be stored; if not, they are counted from the start
 * @returns the encoded picture in the kernel's memory
 * @throws NoRoomForAlpha, CodecError where there is no room for something else, and whatever the rows throw
 */
export function* codedLossy(
  kernel: WebpKernel,
  rows: RowSource,
  settings: LossySettings,
  mayKeep: boolean,
): Slices<LossyPicture<CodedBytes>> {
  const transforms = yield* surveyedAlpha(kernel, rows, settings);
  beginFrame(kernel, rows, settings, transforms);
  const alpha = yield* codeRows(kernel, rows, mayKeep ? keepsTokens : countsTokens, transforms);
  if (kernel.isExhausted()) yield* codeRows(kernel, rows, writesTokens, null);
  const strings = [firstPartition, tokenPartition].flatMap((string) =>
    piecesOf(kernel, kernel.firstCodedPiece(string), kernel.codedLength(string)),
  );
  return { alpha, frame: [headOfFrame, ...strings] };
}

/**
 * Encodes rows in two passes, and drains alpha and then the frame as they are written, so that little of them is in
 * memory at any time.
 *
 * @throws CodecError if there is no room, and whatever the rows and `drains` throw
 */
export function* drainLossy(
  kernel: WebpKernel,
  rows: RowSource,
  settings: LossySettings,
  drains: Drains,
): Slices<void> {
  const transforms = yield* surveyedAlpha(kernel, rows, settings);
  beginFrame(kernel, rows, settings, transforms);
  const alpha = (yield* codeRows(kernel, rows, countsTokens, transforms)) ?? [];
  drains.alpha(alpha.map((piece) => viewOf(kernel, piece)));
  for (const { at } of alpha) kernel.returnPiece(at);
  drains.frame(viewOf(kernel, headOfFrame));
  drainString(kernel, firstPartition, drains);
  const drainTokens = () => drainString(kernel, tokenPartition, drains);
  yield* codeRows(kernel, rows, writesTokens, null, drainTokens);
  drainTokens();
}

/** Surveys the alpha of a picture. */
function* surveyedAlpha(
  kernel: WebpKernel,
  rows: RowSource,
  { hasAlpha }: LossySettings,
): Slices<AlphaTransforms> {
  if (!hasAlpha) return null;
  const at = allocateSurveyRow(kernel, rows);
  let isOpaque = true;
  kernel.beginSurvey(true);
  yield* rows.start();
  for (let y = 0; y < rows.height; y += 1) {
    const row = yield* rows.next();
    isOpaque &&= !isTransparent({ data: row });
    kernel.bytes.set(row, at);
    kernel.surveyAlphaRow(at);
  }
  yield* rows.end();
  return isOpaque ? null : kernel.surveyedTransforms();
}

function beginFrame(
  kernel: WebpKernel,
  rows: RowSource,
  settings: LossySettings,
  transforms: AlphaTransforms,
): void {
  allocateFrame(kernel, rows, settings, transforms);
  for (const [i, index] of segmentIndices(settings.quality).entries()) {
    kernel.setFrameSegment(i, index, filterLevel(i, kernel.acStep(index)));
  }
  const { lumaDc, secondDc, secondAc, chromaDc, chromaAc } = indexDeltas;
  kernel.setFrameDeltas(lumaDc, secondDc, secondAc, chromaDc, chromaAc);
  kernel.setFrameFilter(false, filterSharpness);
  kernel.prepareQuantizers();
}

/**
 * Runs one pass over all rows.
 * @param transforms transforms for alpha, if it is encoded in this pass
 * @returns alpha, if it was encoded
 */
function* codeRows(
  kernel: WebpKernel,
  rows: RowSource,
  mode: number,
  transforms: AlphaTransforms,
  afterRow = () => {},
): Slices<readonly CodedBytes[] | null> {
  const codesAlpha = transforms !== null;
  const alphaPace = encodingPace(rows);
  kernel.beginLossyRun(mode);
  if (codesAlpha) kernel.beginAlphaPlane();
  yield* rows.start();
  for (let y = 0; y < rows.height; y += 1) {
    const at = kernel.inputRow();
    const row = yield* rows.next();
    kernel.bytes.set(row, at);
    if (codesAlpha) {
      kernel.takeAlphaRow(at);
      while (kernel.encodeOn()) yield* alphaPace.after();
    }
    for (let isLeft = kernel.takeLossyRow(); isLeft; ) {
      isLeft = kernel.encodeMacroblocks();
      if (isLeft) yield macroblocksMs;
    }
    afterRow();
  }
  yield* rows.end();
  const alpha = codesAlpha ? yield* finishedAlpha(kernel, alphaPace) : null;
  yield* finishEntropy(kernel, rows);
  return alpha;
}

/** Predicted CPU time of a step of `encodeMacroblocks` in a wide picture, in milliseconds. */
const macroblocksMs = 8;

/** Predicted CPU time of writing the partitions from kept tokens and modes, in milliseconds per megapixel. */
const partitionsMs = 12;

/** Ends a pass, row of macroblocks by row. @throws CodecError if encoding failed */
function* finishEntropy(kernel: WebpKernel, { width }: Size): Slices<void> {
  const pace = Pace.ofRows(16 * width, partitionsMs);
  for (;;) {
    const status = kernel.finishEntropy();
    if (status === finished) return;
    if (status !== unfinished) {
      throw new CodecError('webp kernel', status === noRoom, `coding ended with ${status}`);
    }
    yield* pace.after();
  }
}

function* finishedAlpha(kernel: WebpKernel, pace: Pace): Slices<readonly CodedBytes[]> {
  kernel.endAlphaRows();
  while (kernel.encodeOn()) yield* pace.after();
  const first = kernel.finishAlphaPlane();
  if (first === 0) throw new NoRoomForAlpha();
  return piecesOf(kernel, first, kernel.alphaPlaneBytes());
}

/** The frame header, before the partitions. */
const headOfFrame: CodedBytes = { at: frameHead, length: frameHeadBytes };

/** Drains the complete pieces of a string, which are then reused. */
function drainString(kernel: WebpKernel, string: Pointer, drains: Drains): void {
  for (;;) {
    const piece = kernel.nextCodedPiece(string);
    if (piece === 0) return;
    drains.frame(kernel.bytes.subarray(piece, piece + kernel.codedPieceBytes(string)));
  }
}
