/** Copies of earlier pixels, which may overlap with what they are copied to. */

/**
 * Copies `bytes`, pixels of 4 bytes, from `from` to `to`; up to 12 bytes behind them may be written, too. What
 * lies less than the length before `to` repeats itself.
 */
export function copyColors(to: usize, from: usize, bytes: usize): void {
  const end = to + bytes;
  const distance = to - from;
  if (distance === 4) {
    const pattern = v128.load32_splat(from);
    for (; to < end; to += 16) v128.store(to, pattern);
  } else if (distance === 8) {
    const pattern = v128.load64_splat(from);
    for (; to < end; to += 16) v128.store(to, pattern);
  } else if (distance === 12) {
    const pixels = v128.load(from);
    const pattern = i32x4.shuffle(pixels, pixels, 0, 1, 2, 0);
    for (; to < end; to += 12) v128.store(to, pattern);
  } else {
    for (; to < end; to += 16, from += 16) v128.store(to, v128.load(from));
  }
}

/** Copies bytes as `copyColors` copies pixels; up to 15 bytes behind them may be written, too. */
export function copyBytes(to: usize, from: usize, bytes: usize): void {
  const end = to + bytes;
  const distance = to - from;
  if (distance >= 16) {
    for (; to < end; to += 16, from += 16) v128.store(to, v128.load(from));
  } else if (distance === 1) {
    memory.fill(to, load<u8>(from), bytes);
  } else {
    for (; to < end; to += 1, from += 1) store<u8>(to, load<u8>(from));
  }
}
