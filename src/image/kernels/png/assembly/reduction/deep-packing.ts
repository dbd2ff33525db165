/** Rows of RGBA of 16 bits as rows of PNG, the high byte of each sample first (PNG third edition §7.1). */

/** @param colorType 0, 2, 4 or 6 (PNG third edition §11.2.1) */
export function packDeep(rgba: usize, width: i32, colorType: i32, to: usize): void {
  const end = rgba + ((<usize>width) << 3);
  const hasColor = (colorType & 2) !== 0;
  const hasAlpha = (colorType & 4) !== 0;
  for (let at = rgba; at < end; at += 8) {
    to = put(to, load<u16>(at));
    if (hasColor) {
      to = put(to, load<u16>(at, 2));
      to = put(to, load<u16>(at, 4));
    }
    if (hasAlpha) to = put(to, load<u16>(at, 6));
  }
}

function put(to: usize, sample: u16): usize {
  store<u16>(to, bswap<u16>(sample));
  return to + 2;
}
