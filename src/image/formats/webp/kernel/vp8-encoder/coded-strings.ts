/**
 * Strings of coded bytes, in pieces (see pieces.ts), as the host takes them: from the first piece on, as soon
 * as they are complete. A piece that has been taken is given back when the next one is asked for.
 */
import { nextPiece, pieceBytes, returnPiece, takePiece } from '../pieces';

/* Of a string: where its parts stand, each a u32. */
const firstAt: usize = 0;
/** The piece that is being written. */
const lastAt: usize = 4;
/** The piece that the host reads. */
const givenAt: usize = 8;
/** Bytes that it has. */
const givenBytesAt: usize = 12;
/** Bytes in all, known at the end. */
const lengthAt: usize = 16;
const isEndedAt: usize = 20;
/** Bytes in pieces that have been taken. */
const takenAt: usize = 24;
const stringBytes: usize = 28;

/** The partition of the frame's header and of modes, and that of tokens (RFC 6386 §9.5). */
export const firstPartition: usize = memory.data(stringBytes, 4);
export const tokenPartition: usize = memory.data(stringBytes, 4);

/** Forgets both strings: what is counted in one instance begins anew each time. */
export function forgetStrings(): void {
  memory.fill(firstPartition, 0, stringBytes);
  memory.fill(tokenPartition, 0, stringBytes);
}

/**
 * Begins a string anew.
 * @returns its first piece, or 0 where there is no room
 */
export function beginString(string: usize): usize {
  dropString(string);
  const first = takePiece(0);
  store<u32>(string, first, firstAt);
  store<u32>(string, first, lastAt);
  return first;
}

/** Takes the next piece of a string; 0 where there is no room. */
export function growString(string: usize): usize {
  const piece = takePiece(load<u32>(string, lastAt));
  if (piece === 0) return 0;
  // the host may have taken all pieces before
  if (load<u32>(string, firstAt) === 0) store<u32>(string, piece, firstAt);
  store<u32>(string, piece, lastAt);
  return piece;
}

/** Ends a string that has so many bytes. */
export function endString(string: usize, length: u32): void {
  store<u32>(string, length, lengthAt);
  store<u32>(string, 1, isEndedAt);
}

/** Bytes of a string that has ended, else 0. */
export function codedLength(string: usize): f64 {
  return <f64>load<u32>(string, lengthAt);
}

/**
 * The first piece of a string that has ended, none of which has been taken: it and those behind it (`nextPiece`)
 * stay where they are.
 */
export function firstCodedPiece(string: usize): usize {
  return load<u32>(string, firstAt);
}

/** Gives all pieces of a string back. */
export function dropString(string: usize): void {
  const given: usize = load<u32>(string, givenAt);
  if (given !== 0) returnPiece(given);
  returnChain(load<u32>(string, firstAt));
  memory.fill(string, 0, stringBytes);
}

/** Gives back a piece and all behind it. */
export function returnChain(first: usize): void {
  let piece = first;
  while (piece !== 0) {
    const next = nextPiece(piece);
    returnPiece(piece);
    piece = next;
  }
}

/**
 * The next piece of a string that nothing more will be written to, of which there are `codedPieceBytes`. The
 * one before it is given back.
 *
 * @param string `firstPartition` or `tokenPartition`
 * @returns where it lies, or 0 where there is none, be it so far
 */
export function nextCodedPiece(string: usize): usize {
  const before: usize = load<u32>(string, givenAt);
  if (before !== 0) returnPiece(before);
  store<u32>(string, 0, givenAt);
  const piece: usize = load<u32>(string, firstAt);
  const isLast = piece === <usize>load<u32>(string, lastAt);
  if (piece === 0 || (isLast && load<u32>(string, isEndedAt) === 0)) return 0;
  const taken = load<u32>(string, takenAt);
  const bytes = isLast ? load<u32>(string, lengthAt) - taken : <u32>pieceBytes;
  store<u32>(string, <u32>nextPiece(piece), firstAt);
  store<u32>(string, piece, givenAt);
  store<u32>(string, bytes, givenBytesAt);
  store<u32>(string, taken + bytes, takenAt);
  return piece;
}

/** Bytes of the piece that `nextCodedPiece` has given. */
export function codedPieceBytes(string: usize): u32 {
  return load<u32>(string, givenBytesAt);
}
