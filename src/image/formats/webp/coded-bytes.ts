import type { Pointer, WebpKernel } from './kernel.ts';
import { kernelConstants } from './kernel-exports.ts';

/** Coded bytes in the kernel's memory, which may still grow, so that no view of it lasts. */
export interface CodedBytes {
  readonly at: Pointer;
  readonly length: number;
}

/**
 * A string of coded bytes, where it lies.
 * @param first of its pieces (kernel/pieces.ts)
 */
export function piecesOf(kernel: WebpKernel, first: Pointer, bytes: number): CodedBytes[] {
  const { pieceBytes } = kernelConstants;
  const pieces: CodedBytes[] = [];
  let at = first;
  for (let left = bytes; left > 0; left -= pieceBytes) {
    pieces.push({ at, length: Math.min(left, pieceBytes) });
    at = kernel.nextPiece(at);
  }
  return pieces;
}

/** Coded bytes as they lie in memory, until it grows. */
export function viewOf(kernel: WebpKernel, { at, length }: CodedBytes): Uint8Array {
  return kernel.bytes.subarray(at, at + length);
}

/** Bytes of a string or a file in parts. */
export function lengthOf(parts: readonly { readonly length: number }[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}
