/**
 * Stores the token records of a picture (see token-records.ts) in pieces that are freed as they are read. A record does
 * not span pieces; the last one of a piece is followed by a mark.
 */
import { nextPiece, pieceBytes, returnPiece, takePiece } from '../pieces';
import { returnChain } from './coded-strings';
import { headBytes } from './token-records';

/** Mark in place of a record: the next one is in the next piece. */
const pieceEnd: u32 = 0xffffffff;

let first: usize = 0;
let last: usize = 0;
/** Position of the next record, and the end of the piece. */
let next: usize = 0;
let end: usize = 0;

/** Resets without freeing pieces; for counting several times in one instance. */
export function forgetRecords(): void {
  first = 0;
  last = 0;
  next = 0;
  end = 0;
}

/** Frees all pieces. */
export function dropRecords(): void {
  returnChain(first);
  forgetRecords();
}

/** Appends a record; returns false if there is no memory. */
export function keepRecord(record: usize, bytes: usize): bool {
  // Including the mark.
  if (next + bytes + headBytes > end && !addPiece()) return false;
  memory.copy(next, record, bytes);
  next += bytes;
  return true;
}

function addPiece(): bool {
  const piece = takePiece(last);
  if (piece === 0) return false;
  if (last === 0) first = piece;
  else store<u32>(next, pieceEnd);
  last = piece;
  next = piece;
  end = piece + pieceBytes;
  return true;
}

/** Starts reading with the first record. */
export function openRecords(): void {
  next = first;
}

/** Returns the next record; frees a piece that has been read. */
export function recordAt(): usize {
  if (load<u32>(next) === pieceEnd) {
    const following = nextPiece(first);
    returnPiece(first);
    first = following;
    next = first;
  }
  return next;
}

/** Sets the end of the current record. */
export function endRecord(at: usize): void {
  next = at;
}
