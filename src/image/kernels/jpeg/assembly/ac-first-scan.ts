/** The first scan of a band of AC coefficients (ITU-T T.81 §G.1.2.2). */
import { acTable, approximationLow, bandEnd, bandStart, scanComponent } from './coded-scan';
import { longestRun, putRun, runLength, setRunLength } from './end-of-band';
import { drain, nextRecord, recordLimit, setNextRecord } from './symbols';
import { headBytes } from './tokens';

/** ZRL, where records have the symbol. */
const sixteenZeros: u32 = 0xf0 << 20;

/** Codes a row of `blocks` blocks out of its tokens. */
export function codeFirstRow(tokens: usize, blocks: i32): void {
  const table = acTable(scanComponent(0));
  const ss = bandStart;
  const se = bandEnd;
  const al = approximationLow;
  const limit = recordLimit;
  let to = nextRecord;
  let run = runLength();
  for (; blocks > 0; blocks -= 1) {
    const end = tokens + headBytes + ((<usize>load<u8>(tokens, 2)) << 1);
    let last = ss - 1;
    if (<i32>load<u8>(tokens, 3) >= ss) {
      let k = 0;
      for (let at = tokens + headBytes; at < end; at += 2) {
        const token = <i32>load<u16>(at);
        k += (token >> 12) + 1;
        if (k > se) break;
        const value = (token << 20) >> 20;
        const sign = value >> 31;
        // the point transform divides towards zero (T.81 §A.4)
        const magnitude = ((value ^ sign) - sign) >> al;
        if (magnitude === 0 || k < ss) continue;
        if (run > 0) {
          to = putRun(to, table, run);
          run = 0;
        }
        let zeros = k - last - 1;
        for (; zeros > 15; zeros -= 16) {
          store<u32>(to, table | sixteenZeros);
          to += 4;
        }
        const size = 32 - clz(magnitude);
        const bits = (magnitude ^ sign) & ((1 << size) - 1);
        store<u32>(to, table | (zeros << 24) | (size << 20) | (size << 16) | bits);
        to += 4;
        last = k;
      }
    }
    if (last < se) {
      run += 1;
      if (run === longestRun) {
        to = putRun(to, table, run);
        run = 0;
      }
    }
    tokens = end;
    if (to > limit) to = drain(to);
  }
  setRunLength(run);
  setNextRecord(to);
}
