import type { Pointer, WebpKernel } from './kernel.ts';
import { kernelConstants } from './kernel-exports.ts';

/** Encoded bytes in the kernel's memory, which may still grow, so that no view of it stays valid. */
export interface CodedBytes {
  readonly at: Pointer;
  readonly length: number;
}

/**
 * The pieces of a string of encoded bytes in the kernel's memory.
 * @param first the first piece (kernel/pieces.ts)
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

/** A view of encoded bytes, valid until the memory grows. */
export function viewOf(kernel: WebpKernel, { at, length }: CodedBytes): Uint8Array {
  return kernel.bytes.subarray(at, at + length);
}

/** Total length of a string or file in parts. */
export function lengthOf(parts: readonly { readonly length: number }[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}
