/** Samples of less than 8 bits, packed from the highest bit of a byte down (PNG third edition §7.2). */

/** Packs a byte per sample, each below 2^depth, into rows of 1, 2, 4 or 8 bits; the last byte is filled with zeros. */
export function packBits(samples: usize, width: i32, depth: i32, to: usize): void {
  const count = <usize>width;
  if (depth === 8) {
    memory.copy(to, samples, count);
    return;
  }
  const perByte = <usize>(8 / depth);
  for (let x: usize = 0; x < count; to += 1) {
    let byte: u32 = 0;
    for (let i: usize = 0; i < perByte; i += 1, x += 1) {
      byte = (byte << depth) | (x < count ? <u32>load<u8>(samples + x) : 0);
    }
    store<u8>(to, <u8>byte);
  }
}
