/** The same as traits.ts for pixels of four samples of 16 bits. */

let isColored: bool = false;
let isTranslucent: bool = false;
let isFine: bool = false;

export function allDeepGrey(): bool {
  return !isColored;
}

export function allDeepOpaque(): bool {
  return !isTranslucent;
}

/** Whether 8 bits hold every sample exactly: both bytes of each are the same. */
export function allShallow(): bool {
  return !isFine;
}

/** Looks at a row of RGBA of 16 bits each. */
export function takeDeepTraits(rgba: usize, width: i32): void {
  const end = rgba + ((<usize>width) << 3);
  const lowBytes = ((<u64>0x00ff00ff) << 32) | 0x00ff00ff;
  let fine: u64 = 0;
  let colored: u64 = 0;
  let opaque: u64 = ~0;
  for (let at = rgba; at < end; at += 8) {
    const pixel = load<u64>(at);
    fine |= (pixel ^ (pixel >> 8)) & lowBytes;
    colored |= (pixel ^ (pixel >> 16)) & 0xffffffff;
    opaque &= pixel;
  }
  if (fine !== 0) isFine = true;
  if (colored !== 0) isColored = true;
  if (opaque >> 48 !== 0xffff) isTranslucent = true;
}

/** The low bytes of a row of such pixels as a row of RGBA. */
export function narrowRow(deep: usize, width: i32, rgba: usize): void {
  for (let x: usize = 0; x < <usize>width; x += 1) {
    const pixel = deep + (x << 3);
    const redGreen = <u32>load<u8>(pixel) | ((<u32>load<u8>(pixel, 2)) << 8);
    const blueAlpha = <u32>load<u8>(pixel, 4) | ((<u32>load<u8>(pixel, 6)) << 8);
    store<u32>(rgba + (x << 2), redGreen | (blueAlpha << 16));
  }
}
