import { damagedPng } from './kernel.ts';

/** "PLTE", "tRNS", "IDAT" and "IEND" as big-endian numbers. */
export const chunkTypes = {
  PLTE: 0x50_4c_54_45,
  tRNS: 0x74_52_4e_53,
  IDAT: 0x49_44_41_54,
  IEND: 0x49_45_4e_44,
} as const;

export interface FileChunk {
  readonly type: number;
  /** File offsets of the data; the type stands before, the checksum behind. */
  readonly start: number;
  readonly end: number;
  /** CRC-32 of type and data, as stored. */
  readonly checksum: number;
  /** Where the next chunk begins. */
  readonly next: number;
}

/** Where the first chunk begins, in bytes. */
export const firstChunk = 8;

/** Length, type and CRC. */
const emptyChunkBytes = 12;

/**
 * The chunk of a PNG that begins at a file offset (PNG third edition §5.3), null for IEND. A file may
 * end without one: what is left behind the last chunk is then less than a chunk.
 *
 * @throws CodecError when a chunk goes beyond the file
 */
export function chunkAt(file: Uint8Array, at: number): FileChunk | null {
  if (at + emptyChunkBytes > file.length) return null;
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const start = at + 8;
  const end = start + view.getUint32(at);
  if (end + 4 > file.length) throw damagedPng('a chunk is cut short');
  const type = view.getUint32(at + 4);
  if (type === chunkTypes.IEND) return null;
  return { type, start, end, checksum: view.getUint32(end), next: end + 4 };
}
