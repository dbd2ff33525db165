/** Pixels of a pass's row put where they belong in the picture's row (PNG third edition §8.1). */
import { pixelBits } from './picture';

/**
 * @param from a packed row of so many pixels
 * @param to the picture's packed row; where pixels are less than a byte, zeros at these pixels
 * @param left column of the first one
 * @param across step to the next one
 */
export function mergeRow(from: usize, columns: u32, to: usize, left: u32, across: u32): void {
  const bits = pixelBits();
  if (bits < 8) {
    mergePacked(from, columns, to, left, across, bits);
    return;
  }
  const size: usize = bits >> 3;
  let target = to + left * size;
  const step = across * size;
  for (let x: u32 = 0; x < columns; x += 1, from += size, target += step) {
    switch (<i32>size) {
      case 1:
        store<u8>(target, load<u8>(from));
        break;
      case 2:
        store<u16>(target, load<u16>(from));
        break;
      case 3:
        store<u16>(target, load<u16>(from));
        store<u8>(target, load<u8>(from, 2), 2);
        break;
      case 4:
        store<u32>(target, load<u32>(from));
        break;
      case 6:
        store<u32>(target, load<u32>(from));
        store<u16>(target, load<u16>(from, 4), 4);
        break;
      default:
        store<u64>(target, load<u64>(from));
    }
  }
}

/** Pixels of 1, 2 or 4 bits, from the highest bit of a byte down. */
function mergePacked(
  from: usize,
  columns: u32,
  to: usize,
  left: u32,
  across: u32,
  bits: u32,
): void {
  const mask = (1 << bits) - 1;
  for (let x: u32 = 0; x < columns; x += 1) {
    const at = x * bits;
    const value = (<u32>load<u8>(from + (at >> 3)) >> (8 - bits - (at & 7))) & mask;
    const place = (left + x * across) * bits;
    const target = to + (place >> 3);
    store<u8>(target, load<u8>(target) | <u8>(value << (8 - bits - (place & 7))));
  }
}
