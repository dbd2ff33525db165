import { crc32 } from 'node:zlib';
import { ascii, ContainerError, joinBytes } from '../../container/assemble.ts';

/** The PNG signature (PNG third edition §5.2). */
export const pngSignature = '\x89PNG\r\n\x1a\n';

/** Size of a chunk without data: length, type and checksum. */
export const emptyChunkBytes = 12;

/** A chunk of a file, as file offsets (PNG third edition §5.3). */
export interface PngChunk {
  /** Four letters in a valid file; empty if the file ends before them. */
  readonly type: string;
  /** Offset of its length. */
  readonly at: number;
  /** Range of its data; the checksum follows. */
  readonly start: number;
  readonly end: number;
  /** Offset of the next chunk. */
  readonly next: number;
  /** Whether it is complete; false if the file ends inside it. */
  readonly isWhole: boolean;
}

/**
 * Iterates over the chunks of a file, up to and including IEND or a chunk cut off by the end of the file. Less than a chunk
 * after image data is the rest of a lost IEND, and ends the iteration as well. Chunks are not validated, only limited to the
 * file; callers decide what is acceptable. Takes time linear in the file, and holds one chunk at a time.
 *
 * @param from offset of a chunk: the first one, or one after image data
 */
export function* pngChunks(file: Uint8Array, from = pngSignature.length): Generator<PngChunk> {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  let hasImageData = from > pngSignature.length;
  for (let at = from; at < file.length; ) {
    if (hasImageData && at + emptyChunkBytes > file.length) return;
    const chunk = chunkAt(view, at);
    yield chunk;
    if (!chunk.isWhole || chunk.type === 'IEND') return;
    hasImageData ||= chunk.type === 'IDAT';
    at = chunk.next;
  }
}

function chunkAt(view: DataView, at: number): PngChunk {
  const start = at + 8;
  if (start > view.byteLength) {
    return { type: '', at, start, end: start, next: start + 4, isWhole: false };
  }
  const end = start + view.getUint32(at);
  const next = end + 4;
  let type = '';
  for (let i = at + 4; i < start; i += 1) type += String.fromCharCode(view.getUint8(i));
  return { type, at, start, end, next, isWhole: next <= view.byteLength };
}

/**
 * The chunks of a file that can be rewritten.
 * @throws ContainerError if a chunk is cut off by the end of the file
 */
export function* wholeChunks(file: Uint8Array): Generator<PngChunk> {
  for (const chunk of pngChunks(file)) {
    if (!chunk.isWhole) throw new ContainerError('The PNG ends inside a chunk.');
    yield chunk;
  }
}

/** The bytes of a complete chunk, with length, type and checksum. */
export function chunkBytes(file: Uint8Array, { at, next }: PngChunk): Uint8Array {
  return file.subarray(at, next);
}

/** The data of a chunk, without length, type and checksum. */
export function chunkContent(file: Uint8Array, { start, end }: PngChunk): Uint8Array {
  return file.subarray(start, end);
}

/** Whether the checksum of a complete chunk, over type and data, is correct (PNG third edition §5.3). */
export function hasValidChecksum(file: Uint8Array, { start, end }: PngChunk): boolean {
  const { buffer, byteOffset } = file;
  const stored = new DataView(buffer, byteOffset + end, 4).getUint32(0);
  return crc32(file.subarray(start - 4, end)) === stored;
}

/** Creates a chunk. */
export function pngChunk(type: string, ...content: Uint8Array[]): Uint8Array {
  const length = content.reduce((sum, part) => sum + part.length, 0);
  const bytes = joinBytes(new Uint8Array(4), ascii(type), ...content, new Uint8Array(4));
  const view = new DataView(bytes.buffer);
  view.setUint32(0, length);
  view.setUint32(8 + length, crc32(bytes.subarray(4, 8 + length)));
  return bytes;
}
