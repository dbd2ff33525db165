/** The pixels that samples of one byte or less stand for. */
import { bitDepth, colorType, hasKey, keyRed } from './picture';

const opaque: u32 = 0xff000000;
const indexed: i32 = 3;

const table: usize = memory.data(4 * 256, 16);

/**
 * @returns 256 pixels of RGBA, which the host fills from PLTE and tRNS: all of them, those beyond PLTE with
 *   opaque black, as in libpng
 */
export function palettePixels(): usize {
  return table;
}

/**
 * Where the pixel of each sample lies, of 4 bytes each. Grey is scaled to 8 bits exactly (PNG third
 * edition §13.12).
 */
export function samplePixels(): usize {
  if (colorType === indexed) return table;
  const greatest: u32 = (1 << bitDepth) - 1;
  for (let value: u32 = 0; value <= greatest; value += 1) {
    const grey = (value * 255) / greatest;
    const alpha = hasKey && value === keyRed ? 0 : opaque;
    store<u32>(table + (value << 2), alpha | (grey * 0x010101));
  }
  return table;
}
