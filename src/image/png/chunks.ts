import { PngDamaged } from './png-damaged.ts';

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
}

const signatureBytes = 8;

/** Length, type and CRC. */
const emptyChunkBytes = 12;

/**
 * The chunks of a PNG up to IEND (PNG third edition §5.3). A file may end without one: what is left
 * behind the last chunk is then less than a chunk. Throws `PngDamaged` when a chunk goes beyond the file.
 */
export function* fileChunks(file: Uint8Array): Generator<FileChunk, void> {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  for (let at = signatureBytes; at + emptyChunkBytes <= file.length; ) {
    const start = at + 8;
    const end = start + view.getUint32(at);
    if (end + 4 > file.length) throw new PngDamaged('a chunk is cut short');
    const type = view.getUint32(at + 4);
    if (type === chunkTypes.IEND) return;
    yield { type, start, end, checksum: view.getUint32(end) };
    at = end + 4;
  }
}
