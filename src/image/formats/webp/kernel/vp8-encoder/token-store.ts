/**
 * The records of a picture's tokens (see token-records.ts), in pieces that are given back as they are read.
 * A record lies in one piece; the last one of a piece is followed by a mark.
 */
import { nextPiece, pieceBytes, returnPiece, takePiece } from '../pieces';
import { returnChain } from './coded-strings';
import { headBytes } from './token-records';

/** Stands where a record would begin: the next one is in the next piece. */
const pieceEnd: u32 = 0xffffffff;

let first: usize = 0;
let last: usize = 0;
/** Where the next record goes, and the end of the piece. */
let next: usize = 0;
let end: usize = 0;

/** Forgets all records: what is counted in one instance begins anew each time. */
export function forgetRecords(): void {
  first = 0;
  last = 0;
  next = 0;
  end = 0;
}

/** Gives all pieces back. */
export function dropRecords(): void {
  returnChain(first);
  forgetRecords();
}

/** Keeps a record behind all others; false if there is no room for it. */
export function keepRecord(record: usize, bytes: usize): bool {
  // and the mark
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

/** Begins to read, with the first record. */
export function openRecords(): void {
  next = first;
}

/** The next record. A piece that has been read to its end is given back. */
export function recordAt(): usize {
  if (load<u32>(next) === pieceEnd) {
    const following = nextPiece(first);
    returnPiece(first);
    first = following;
    next = first;
  }
  return next;
}

/** Notes where the record ended. */
export function endRecord(at: usize): void {
  next = at;
}
