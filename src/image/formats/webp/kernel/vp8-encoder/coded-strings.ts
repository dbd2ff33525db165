/**
 * Strings of coded bytes in pieces (see pieces.ts), which the host reads one by one as soon as they are complete. A
 * piece that has been read is freed when the next one is requested.
 */
import { nextPiece, pieceBytes, returnPiece, takePiece } from '../pieces';

/* Offsets of the fields of a string, u32 each. */
const firstAt: usize = 0;
/** The current piece of the writer. */
const lastAt: usize = 4;
/** The current piece of the host. */
const givenAt: usize = 8;
/** Bytes in the current piece of the host. */
const givenBytesAt: usize = 12;
/** Total bytes, known at the end. */
const lengthAt: usize = 16;
const isEndedAt: usize = 20;
/** Bytes in pieces that have been read. */
const takenAt: usize = 24;
const stringBytes: usize = 28;

/** The partition with the frame header and modes, and the token partition (RFC 6386 §9.5). */
export const firstPartition: usize = memory.data(stringBytes, 4);
export const tokenPartition: usize = memory.data(stringBytes, 4);

/** Resets both strings, without freeing them; for counting several times in one instance. */
export function forgetStrings(): void {
  memory.fill(firstPartition, 0, stringBytes);
  memory.fill(tokenPartition, 0, stringBytes);
}

/**
 * Starts a string anew.
 * @returns its first piece; 0 if there is no memory
 */
export function beginString(string: usize): usize {
  dropString(string);
  const first = takePiece(0);
  store<u32>(string, first, firstAt);
  store<u32>(string, first, lastAt);
  return first;
}

/** Appends a piece to a string; returns 0 if there is no memory. */
export function growString(string: usize): usize {
  const piece = takePiece(load<u32>(string, lastAt));
  if (piece === 0) return 0;
  // The host may have read all earlier pieces.
  if (load<u32>(string, firstAt) === 0) store<u32>(string, piece, firstAt);
  store<u32>(string, piece, lastAt);
  return piece;
}

/** Ends a string with this total length in bytes. */
export function endString(string: usize, length: u32): void {
  store<u32>(string, length, lengthAt);
  store<u32>(string, 1, isEndedAt);
}

/** Length in bytes of a string that has ended; else 0. */
export function codedLength(string: usize): f64 {
  return <f64>load<u32>(string, lengthAt);
}

/**
 * The first piece of a string that has ended and has not been read by `nextCodedPiece`. This and the following pieces
 * (`nextPiece`) remain valid.
 */
export function firstCodedPiece(string: usize): usize {
  return load<u32>(string, firstAt);
}

/** Frees all pieces of a string. */
export function dropString(string: usize): void {
  const given: usize = load<u32>(string, givenAt);
  if (given !== 0) returnPiece(given);
  returnChain(load<u32>(string, firstAt));
  memory.fill(string, 0, stringBytes);
}

/** Frees a piece and all that follow. */
export function returnChain(first: usize): void {
  let piece = first;
  while (piece !== 0) {
    const next = nextPiece(piece);
    returnPiece(piece);
    piece = next;
  }
}

/**
 * Returns the next complete piece of a string, whose length is `codedPieceBytes`, and frees the previous one.
 *
 * @param string `firstPartition` or `tokenPartition`
 * @returns pointer to the piece; 0 if there is none yet, or none any more
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

/** Length in bytes of the piece that `nextCodedPiece` has returned. */
export function codedPieceBytes(string: usize): u32 {
  return load<u32>(string, givenBytesAt);
}
