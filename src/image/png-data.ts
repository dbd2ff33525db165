import { crc32, inflateSync } from 'node:zlib';
import type { PngInspection } from './inspect/inspection.ts';

/** Samples per pixel by colour type (PNG third edition §11.2.1). */
const channels = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 } as const;

/** What the length of the rows depends on. */
export type PngRows = Pick<
  PngInspection,
  'width' | 'height' | 'colorType' | 'bitDepth' | 'interlaced'
>;

/** Adam7: start and step of each pass, across and down (PNG third edition §8.1). */
const adam7 = [
  [0, 8, 0, 8],
  [4, 8, 0, 8],
  [0, 4, 4, 8],
  [2, 4, 0, 4],
  [0, 2, 2, 4],
  [1, 2, 0, 2],
  [0, 1, 1, 2],
] as const;

/** Chunk types as numbers: "IDAT", "IEND". */
const idat = 0x49_44_41_54;
const iend = 0x49_45_4e_44;

/** Bytes of all rows with their filter bytes: what the data must inflate to (PNG third edition §7.2, §9). */
export function pngRowBytes({ width, height, colorType, bitDepth, interlaced }: PngRows): number {
  const rows = (columns: number, count: number) =>
    columns === 0 ? 0 : count * (1 + Math.ceil((columns * channels[colorType] * bitDepth) / 8));
  if (!interlaced) return rows(width, height);
  return adam7.reduce((sum, [left, across, top, down]) => {
    const columns = Math.ceil(Math.max(0, width - left) / across);
    return sum + rows(columns, Math.ceil(Math.max(0, height - top) / down));
  }, 0);
}

/**
 * Whether the data chunks have their checksums right and inflate to exactly
 * the rows that the header states, no byte more: a decoder would inflate
 * gigabytes behind the last row before it noticed.
 */
export function hasSoundPngData(file: Uint8Array, image: PngInspection): boolean {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const data = new Uint8Array(file.length);
  let length = 0;
  for (let at = 8; at + 12 <= file.length; ) {
    const end = at + 8 + view.getUint32(at);
    if (end + 4 > file.length) return false;
    const type = view.getUint32(at + 4);
    if (type === iend) break;
    if (type === idat) {
      if (crc32(file.subarray(at + 4, end)) !== view.getUint32(end)) return false;
      data.set(file.subarray(at + 8, end), length);
      length += end - at - 8;
    }
    at = end + 4;
  }
  const isSound = inflatesTo(pngRowBytes(image), data.subarray(0, length));
  data.buffer.transfer(0);
  return isSound;
}

function inflatesTo(expected: number, data: Uint8Array): boolean {
  try {
    // workerd needs room behind the last byte to see that there is none
    const maxOutputLength = expected + 65_536;
    return inflateSync(data, { maxOutputLength }).length === expected;
  } catch {
    return false;
  }
}
