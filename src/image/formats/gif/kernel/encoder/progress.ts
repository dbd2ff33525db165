/**
 * Compares how the data of a frame grow with those of its shortest coding so far. A coding that falls behind by more
 * than it can make up for is abandoned; most are not worth finishing.
 */
import { pixelCount } from './frame';

/** Number of marks in a frame at which sizes are compared. */
const marks: i32 = 64;

/** Bytes at each mark: in the current coding, and in the shortest so far. */
const current: usize = memory.data(4 * 64, 4);
const shortest: usize = memory.data(4 * 64, 4);

let mark: i32 = 0;
/** The pixel of the next mark. */
let markAt: usize = 0;
/**
 * How much less than the rest of the shortest coding the rest of another one may take, in percent; negative: no limit.
 */
let slack: i32 = -1;
/**
 * Bytes by which the data may be longer than the shortest, because fewer are needed outside the data; negative if they
 * have to be shorter.
 */
let allowance: i32 = 0;

/** Begins a coding that is always completed. */
export function beginProgress(): void {
  slack = -1;
  mark = 0;
  markAt = placeOf(0);
}

/** Begins a coding that is abandoned once it falls behind the shortest so far. */
export function beginContest(percent: i32, more: i32): void {
  beginProgress();
  slack = percent;
  allowance = more;
}

/** Records how many bytes the pixels so far have taken; false if the coding should be abandoned. */
export function noteProgress(at: usize, bytes: usize): bool {
  if (at < markAt) return true;
  let isBehind: bool = false;
  while (at >= markAt && mark < marks) {
    store<u32>(current + (mark << 2), <u32>bytes);
    if (slack >= 0) {
      const others = <i32>load<u32>(shortest + (mark << 2));
      const left = <i32>load<u32>(shortest + ((marks - 1) << 2)) - others;
      isBehind = <i32>bytes > others + allowance + (left * slack) / 100;
    }
    mark += 1;
    markAt = mark < marks ? placeOf(mark) : <usize>-1;
  }
  return !isBehind;
}

/** Makes the coding that has just ended the shortest so far. */
export function keepProgress(): void {
  memory.copy(shortest, current, 4 * marks);
}

/** Pixel position of a mark; the last one is the end of the frame. */
function placeOf(index: i32): usize {
  return <usize>((<u64>pixelCount() * (index + 1)) / marks);
}
