import { crc32 } from 'node:zlib';
import { ascii, ContainerError, joinBytes } from '../../container/assemble.ts';

/** What every PNG begins with (PNG third edition §5.2). */
export const pngSignature = '\x89PNG\r\n\x1a\n';

/** Length, type and checksum: the bytes of a chunk without data. */
export const emptyChunkBytes = 12;

/** A chunk of a file, by file offsets (PNG third edition §5.3). */
export interface PngChunk {
  /** Four letters, as far as the file is sound; empty where the file ends before them. */
  readonly type: string;
  /** Where its length stands. */
  readonly at: number;
  /** Its data; the checksum stands behind. */
  readonly start: number;
  readonly end: number;
  /** Where the next chunk begins. */
  readonly next: number;
  /** False if the file ends inside it. */
  readonly isWhole: boolean;
}

/**
 * Walks through the chunks of a file, up to and with IEND, to a chunk that the end of the file cuts, or
 * to where a lost IEND would be: less than a chunk after image data is what is left of one. What a chunk
 * says is taken as it stands, but no farther than the file goes; whether that is acceptable is for the
 * caller to decide. Takes time linear in the file and holds one chunk at a time.
 *
 * @param from where a chunk begins: the first one, or one behind image data
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
 * @throws ContainerError at a chunk that the end of the file cuts
 */
export function* wholeChunks(file: Uint8Array): Generator<PngChunk> {
  for (const chunk of pngChunks(file)) {
    if (!chunk.isWhole) throw new ContainerError('The PNG ends inside a chunk.');
    yield chunk;
  }
}

/** A whole chunk, with its length, type and checksum. */
export function chunkBytes(file: Uint8Array, { at, next }: PngChunk): Uint8Array {
  return file.subarray(at, next);
}

/** What a chunk holds, without length, type and checksum. */
export function chunkContent(file: Uint8Array, { start, end }: PngChunk): Uint8Array {
  return file.subarray(start, end);
}

/** Whether the checksum over type and data of a whole chunk is right (PNG third edition §5.3). */
export function hasValidChecksum(file: Uint8Array, { start, end }: PngChunk): boolean {
  const { buffer, byteOffset } = file;
  const stored = new DataView(buffer, byteOffset + end, 4).getUint32(0);
  return crc32(file.subarray(start - 4, end)) === stored;
}

/** A chunk that is written. */
export function pngChunk(type: string, ...content: Uint8Array[]): Uint8Array {
  const length = content.reduce((sum, part) => sum + part.length, 0);
  const bytes = joinBytes(new Uint8Array(4), ascii(type), ...content, new Uint8Array(4));
  const view = new DataView(bytes.buffer);
  view.setUint32(0, length);
  view.setUint32(8 + length, crc32(bytes.subarray(4, 8 + length)));
  return bytes;
}
