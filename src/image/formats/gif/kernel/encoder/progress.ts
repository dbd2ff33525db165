/**
 * How the data of a frame grow from pixel to pixel, beside those of the shortest way of coding it so far. A way that falls
 * behind by more than it can make up for is given up: most of them are not worth being finished.
 */
import { pixelCount } from './frame';

/** Places in a frame at which bytes are compared. */
const marks: i32 = 64;

/** Bytes at each of these places: of what is being coded, and of the shortest so far. */
const current: usize = memory.data(4 * 64, 4);
const shortest: usize = memory.data(4 * 64, 4);

let mark: i32 = 0;
/** The pixel of the next place. */
let markAt: usize = 0;
/** How many percent fewer bytes another encoding may take from here on than the shortest one; negative for any. */
let slack: i32 = -1;
/**
 * Bytes by which it may be longer than the shortest, since it takes fewer outside of the data; or has to be shorter.
 */
let allowance: i32 = 0;

/** Begins a frame that is coded to its end, however long that gets. */
export function beginProgress(): void {
  slack = -1;
  mark = 0;
  markAt = placeOf(0);
}

/** Begins a frame that is given up where it gets longer than the shortest so far. */
export function beginContest(percent: i32, more: i32): void {
  beginProgress();
  slack = percent;
  allowance = more;
}

/** Takes down how many bytes the pixels up to here have taken; false if it is to be given up. */
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

/** What has been coded last is the shortest so far. */
export function keepProgress(): void {
  memory.copy(shortest, current, 4 * marks);
}

/** The last place is the end of the frame. */
function placeOf(index: i32): usize {
  return <usize>((<u64>pixelCount() * (index + 1)) / marks);
}
