/**
 * Memory in pieces of one size, for what grows while rows come and nobody knows how far: strings of tokens and
 * of coded bits. A piece that has been read to its end serves the next string that grows.
 *
 * A string is a chain of pieces, each of which begins with the address of the next. Whoever writes or reads one
 * keeps a pointer and the end of the piece at hand, and asks here where they meet.
 */
import { allocate } from '../../../wasm/assembly/memory';

/** Bytes of a piece that hold data. */
export const pieceBytes: usize = 0x8000 - 16;
/** In front of the data: the address of the next piece, 0 in the last one. */
const headBytes: usize = 16;

/** Pieces that nobody uses, as a chain. */
let free: usize = 0;

/** Begins with none; once after memory has been begun. */
export function beginPieces(): void {
  free = 0;
}

/**
 * Takes a piece behind the one with `last`, or the first of a string where that is 0.
 * @returns its data, which may be anything, or 0 where there is no room
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

/** The piece behind one, 0 behind the last. */
export function nextPiece(piece: usize): usize {
  return load<u32>(piece - headBytes);
}

/** Gives a piece back that has been read to its end. */
export function returnPiece(piece: usize): void {
  store<u32>(piece, free);
  free = piece;
}

function setNext(piece: usize, next: usize): void {
  store<u32>(piece - headBytes, <u32>next);
}
