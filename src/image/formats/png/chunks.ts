import { crc32 } from 'node:zlib';
import { ascii, ContainerError, joinBytes } from '../../container/assemble.ts';
import { ByteCursor } from '../../container/byte-cursor.ts';
import { damagedPng } from './kernel.ts';

export const pngSignatureBytes = 8;

/** Length, type and checksum. */
export const emptyPngChunkBytes = 12;

interface PngChunk {
  readonly type: string;
  /** File offset of its length. */
  readonly start: number;
  /** With length, type and checksum. */
  readonly bytes: Uint8Array;
}

/**
 * The chunks of a file through IEND, or to where a lost IEND would be. Source: PNG third edition §5.
 *
 * @throws ContainerError at a chunk that the end of the file cuts
 */
export function* pngChunks(file: Uint8Array): Generator<PngChunk> {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const cursor = new ByteCursor(view, pngSignatureBytes, view.byteLength);
  let hasImageData = false;
  while (cursor.remaining > 0) {
    // Less than a chunk after image data is what is left of a lost IEND.
    if (hasImageData && cursor.remaining < emptyPngChunkBytes) return;
    const start = cursor.position;
    const length = cursor.uint32();
    const type = cursor.text(4);
    cursor.skip(length + 4);
    if (cursor.overrun) throw new ContainerError('The PNG ends inside a chunk.');
    if (type === 'IDAT') hasImageData = true;
    yield { type, start, bytes: file.subarray(start, cursor.position) };
    if (type === 'IEND') return;
  }
}

/** What a chunk holds, without length, type and checksum. */
export function pngChunkContent({ bytes }: PngChunk): Uint8Array {
  return bytes.subarray(8, -4);
}

export function pngChunk(type: string, ...content: Uint8Array[]): Uint8Array {
  const length = content.reduce((sum, part) => sum + part.length, 0);
  const bytes = joinBytes(new Uint8Array(4), ascii(type), ...content, new Uint8Array(4));
  const view = new DataView(bytes.buffer);
  view.setUint32(0, length);
  view.setUint32(8 + length, crc32(bytes.subarray(4, 8 + length)));
  return bytes;
}

/** "PLTE", "tRNS", "IDAT" and "IEND" as big-endian numbers. */
export const chunkTypes = {
  PLTE: 0x50_4c_54_45,
  tRNS: 0x74_52_4e_53,
  IDAT: 0x49_44_41_54,
  IEND: 0x49_45_4e_44,
} as const;

interface FileChunk {
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

export interface ChunkRange {
  readonly type: string;
  /** File offsets of the data. */
  readonly start: number;
  readonly end: number;
}

/** Whether the checksum over type and data is right (PNG third edition §5.3). */
export function hasValidChecksum(view: DataView, chunk: ChunkRange): boolean {
  const typed = new Uint8Array(
    view.buffer,
    view.byteOffset + chunk.start - 4,
    chunk.end - chunk.start + 4,
  );
  return crc32(typed) === view.getUint32(chunk.end);
}
