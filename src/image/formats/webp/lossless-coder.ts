import type { RowSource } from '../../pixels/row-source.ts';
import { type CodedBytes, piecesOf } from './coded-bytes.ts';
import { expectRoom, type WebpKernel } from './kernel.ts';
import { kernelConstants } from './kernel-exports.ts';

/** How pixels are coded without loss. */
export interface LosslessSettings {
  /** Whether the invisible colors of fully transparent pixels are kept as well. */
  readonly exact: boolean;
}

/** Runs through the rows: one that surveys them, and one that codes them. */
export const losslessRuns = 2;

/** Allocates what coding pixels takes beside the result, whatever a survey says; false if there is no room. */
export function allocateLossless(
  kernel: WebpKernel,
  { width, height }: { readonly width: number; readonly height: number },
): boolean {
  return (
    kernel.allocateSurvey(width, height) !== 0 &&
    kernel.allocate(kernel.rgbaRowBytes(width)) !== 0 &&
    kernel.allocateLosslessPicture(width, height, kernelConstants.predictiveWithoutGreen) !== 0
  );
}

/**
 * Codes the rows of a picture as the data of a `VP8L` chunk.
 *
 * @returns where they lie in the kernel's memory
 * @throws CodecError if there is no room; also whatever reading the rows throws
 */
export function codedLossless(
  kernel: WebpKernel,
  rows: RowSource,
  settings: LosslessSettings,
): CodedBytes[] {
  const coded = losslessWithin(kernel, rows, settings, Number.POSITIVE_INFINITY);
  expectRoom(coded ? 1 : 0);
  return coded ?? [];
}

/**
 * The same where it takes no more than so many bytes, in what memory is left.
 * @returns null if it takes more, or there is no room
 * @throws CodecError whatever reading the rows throws
 */
export function losslessWithin(
  kernel: WebpKernel,
  rows: RowSource,
  { exact }: LosslessSettings,
  maxBytes: number,
): CodedBytes[] | null {
  const { width, height } = rows;
  const at = kernel.allocate(kernel.rgbaRowBytes(width));
  if (at === 0 || kernel.allocateSurvey(width, height) === 0) return null;
  kernel.beginSurvey(exact);
  rows.start();
  for (let y = 0; y < height; y += 1) {
    kernel.bytes.set(rows.next(), at);
    kernel.surveyRow(at);
  }
  rows.end();
  const transforms = kernel.triedTransforms(width, exact);
  if (kernel.allocateLosslessPicture(width, height, transforms) === 0) return null;
  const most = kernel.taken() + maxBytes;
  kernel.beginLosslessPicture(exact);
  rows.start();
  for (let y = 0; y < height; y += 1) {
    kernel.bytes.set(rows.next(), at);
    kernel.takeLosslessRow(at);
    // strings that are not full yet, and some bytes of them that have no place yet
    if (kernel.taken() > most + spareBytes) return null;
  }
  rows.end();
  const first = kernel.finishLosslessPicture();
  const length = kernel.losslessBytes();
  return first !== 0 && length <= maxBytes ? piecesOf(kernel, first, length) : null;
}

const spareBytes = 4 * (kernelConstants.pieceBytes + 16);
