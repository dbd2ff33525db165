/**
 * Blocks without their zeros. Each scan of a picture goes over all coefficients,
 * of which few are not zero: tokens are what is stored of them.
 *
 * A block: DC as i16; how many tokens follow, as u8; the position of the last
 * coefficient that is not zero, as u8, 0 where there is none; the tokens, u16
 * each. A token: the zeros before a coefficient in the upper 4 bits and its
 * value, as two's complement, in the lower 12. Longer runs begin with tokens of
 * 15 and the value 0, which stand for sixteen zeros as the symbol ZRL does.
 */
import { fail, wideCoefficient } from './coding-failure';

/** What a block begins with. */
export const headBytes: usize = 4;
/** The most that a block can take. */
export const mostBlockBytes: usize = headBytes + 2 * 63;
/** The token of sixteen zeros. */
const sixteenZeros: u16 = 0xf000;

/**
 * Turns `number` blocks of 64 × i16 in zigzag order into tokens at `to`.
 * Notes a failure where an AC coefficient is too large to be coded.
 * @returns the end of the tokens; nothing behind it has been written
 */
export function tokenize(blocks: usize, number: i32, to: usize): usize {
  let widest = i16x8.splat(0);
  for (const end = blocks + ((<usize>number) << 7); blocks < end; blocks += 128) {
    const first = v128.load(blocks, 0);
    const second = v128.load(blocks, 16);
    const third = v128.load(blocks, 32);
    const fourth = v128.load(blocks, 48);
    const fifth = v128.load(blocks, 64);
    const sixth = v128.load(blocks, 80);
    const seventh = v128.load(blocks, 96);
    const eighth = v128.load(blocks, 112);
    let left =
      (nonzero(first, second) |
        (nonzero(third, fourth) << 16) |
        (nonzero(fifth, sixth) << 32) |
        (nonzero(seventh, eighth) << 48)) &
      ~1;
    widest = v128.or(widest, wider(i16x8.replace_lane(first, 0, 0), second));
    widest = v128.or(widest, wider(third, fourth));
    widest = v128.or(widest, wider(fifth, sixth));
    widest = v128.or(widest, wider(seventh, eighth));
    store<i16>(to, load<i16>(blocks));
    const head = to;
    to += headBytes;
    let last = 0;
    while (left !== 0) {
      const k = <i32>ctz(left);
      left &= left - 1;
      let run = k - last - 1;
      for (; run > 15; run -= 16) {
        store<u16>(to, sixteenZeros);
        to += 2;
      }
      store<u16>(to, <u16>((run << 12) | (load<i16>(blocks + ((<usize>k) << 1)) & 0xfff)));
      to += 2;
      last = k;
    }
    store<u8>(head, <u8>((to - head - headBytes) >> 1), 2);
    store<u8>(head, <u8>last, 3);
  }
  if (v128.any_true(v128.and(widest, i16x8.splat(<i16>0xfc00)))) fail(wideCoefficient);
  return to;
}

/** Which of sixteen coefficients are not zero, the first in the lowest bit. */
function nonzero(low: v128, high: v128): u64 {
  const bytes = i8x16.narrow_i16x8_s(low, high);
  return <u64>(~i8x16.bitmask(i8x16.eq(bytes, i8x16.splat(0))) & 0xffff);
}

/** All bits of the magnitudes; that of −32768 is its own, unsigned. */
function wider(one: v128, other: v128): v128 {
  return v128.or(i16x8.abs(one), i16x8.abs(other));
}
