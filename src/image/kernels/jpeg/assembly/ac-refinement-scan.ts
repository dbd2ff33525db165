/** A scan of one more bit of a band of AC coefficients (ITU-T T.81 §G.1.2.3, figure G.7). */
import { acTable, approximationLow, bandEnd, bandStart, scanComponent } from './coded-scan';
import { endRun, extendRun } from './end-of-band';
import { drain, mostBits, nextRecord, onlyBits, recordLimit, setNextRecord } from './symbols';
import { headBytes } from './tokens';

/** ZRL, where records have the symbol. */
const sixteenZeros: u32 = 0xf0 << 20;

/** Codes a row of `blocks` blocks out of its tokens. */
export function codeRefinementRow(tokens: usize, blocks: i32): void {
  const table = acTable(scanComponent(0));
  const limit = recordLimit;
  let to = nextRecord;
  for (; blocks > 0; blocks -= 1) {
    const end = tokens + headBytes + ((<usize>load<u8>(tokens, 2)) << 1);
    to = codeBlock(tokens + headBytes, end, table, to);
    tokens = end;
    if (to > limit) to = drain(to);
  }
  setNextRecord(to);
}

/** Codes a block, of which the tokens lie from `first` to `end`; returns where the next record goes. */
function codeBlock(first: usize, end: usize, table: u32, to: usize): usize {
  const ss = bandStart;
  const se = bandEnd;
  const al = approximationLow;
  // correction bits since the last symbol: at most one for each coefficient
  let corrections: u64 = 0;
  let number = 0;
  // zeros are what lies behind `base` and is not known to be anything else
  let base = ss - 1;
  let known = 0;
  // only sought where there are more zeros than a symbol has room for, which is rare
  let lastNew: usize = 0;
  let isSought = false;
  let k = 0;
  for (let at = first; at < end; at += 2) {
    const token = <i32>load<u16>(at);
    k += (token >> 12) + 1;
    if (k > se) break;
    if (k < ss) continue;
    const value = (token << 20) >> 20;
    const magnitude = abs(value) >> al;
    if (k - base - known > 16 && magnitude !== 0) {
      if (!isSought) lastNew = lastNewToken(at, end, k - (token >> 12) - 1);
      isSought = true;
      for (; k - base - known > 16 && at <= lastNew; base += 16) {
        to = endRun(to, table);
        store<u32>(to, table | sixteenZeros);
        to = putCorrections(to + 4, corrections, number);
        number = 0;
      }
    }
    if (magnitude === 1) {
      to = endRun(to, table);
      const zeros = k - base - known - 1;
      store<u32>(to, table | (zeros << 24) | (1 << 20) | (1 << 16) | <i32>(value > 0));
      to = putCorrections(to + 4, corrections, number);
      number = 0;
      base = k;
      known = 0;
    } else {
      // without a branch: whether it is 0 or known already is as good as random
      const isKnown = <i32>(magnitude > 1);
      corrections = (corrections << isKnown) | (magnitude & isKnown);
      number += isKnown;
      known += isKnown;
    }
  }
  if (se - base - known === 0 && number === 0) return to;
  return extendRun(corrections, number) ? endRun(to, table) : to;
}

/**
 * The last token from `at` on in the band whose coefficient has been zero until
 * now, or 0; `k` is the position before it. Runs of zeros only count up to there.
 */
function lastNewToken(at: usize, end: usize, k: i32): usize {
  const se = bandEnd;
  const al = approximationLow;
  let found: usize = 0;
  for (; at < end; at += 2) {
    const token = <i32>load<u16>(at);
    k += (token >> 12) + 1;
    if (k > se) break;
    if (abs((token << 20) >> 20) >> al === 1) found = at;
  }
  return found;
}

/** Puts the last `number` of `bits` at `to`, without symbols. */
function putCorrections(to: usize, bits: u64, number: i32): usize {
  while (number > 0) {
    const taken = min(number, mostBits);
    number -= taken;
    const part = <u32>(bits >> number) & ((1 << taken) - 1);
    store<u32>(to, onlyBits | (taken << 16) | part);
    to += 4;
  }
  return to;
}
