/** Colours under full transparency, which nobody sees. */

/** Makes all fully transparent pixels of a row of RGBA the same, transparent black, which costs least. */
export function clearHidden(rgba: usize, width: i32): void {
  const end = rgba + ((<usize>width) << 2);
  let at = rgba;
  for (; at + 16 <= end; at += 16) {
    const pixels = v128.load(at);
    const alphas = v128.and(pixels, i32x4.splat(<i32>0xff000000));
    const hidden = i32x4.eq(alphas, i32x4.splat(0));
    if (v128.any_true(hidden)) v128.store(at, v128.andnot(pixels, hidden));
  }
  for (; at < end; at += 4) {
    if (load<u8>(at, 3) === 0) store<u32>(at, 0);
  }
}

/** The same for a row of RGBA of 16 bits each. */
export function clearDeepHidden(rgba: usize, width: i32): void {
  const end = rgba + ((<usize>width) << 3);
  for (let at = rgba; at < end; at += 8) {
    if (load<u16>(at, 6) === 0) store<u64>(at, 0);
  }
}
