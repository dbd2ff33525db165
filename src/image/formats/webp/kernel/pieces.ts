/**
 * Memory in pieces of equal size for strings of tokens and coded bits, whose length is not known in advance. A piece
 * that has been read is reused for the next string that grows.
 *
 * A string is a linked list of pieces, each of which begins with the address of the next. Readers and writers keep a
 * pointer and the end of the current piece, and request the next piece when they reach it.
 */
import { allocate } from '../../../wasm/assembly/memory';

/** Data bytes in a piece. */
export const pieceBytes: usize = 0x8000 - 16;
/** Bytes before the data, with the address of the next piece; 0 in the last one. */
const headBytes: usize = 16;

/** Linked list of free pieces. */
let free: usize = 0;

/** Starts without free pieces; call it once after memory has been initialized. */
export function beginPieces(): void {
  free = 0;
}

/**
 * Takes a piece and appends it to `last`, or starts a string if that is 0.
 * @returns its uninitialized data, or 0 if there is no memory
 */
export function takePiece(last: usize): usize {
  let piece = free;
  if (piece !== 0) {
    free = load<u32>(piece);
  } else {
    const at = allocate(headBytes + pieceBytes);
    if (at === 0) return 0;
    piece = at + headBytes;
  }
  setNext(piece, 0);
  if (last !== 0) setNext(last, piece);
  return piece;
}

/** The piece after this one; 0 after the last. */
export function nextPiece(piece: usize): usize {
  return load<u32>(piece - headBytes);
}

/** Frees a piece that has been read. */
export function returnPiece(piece: usize): void {
  store<u32>(piece, free);
  free = piece;
}

function setNext(piece: usize, next: usize): void {
  store<u32>(piece - headBytes, <u32>next);
}
