import CRC32 from 'crc-32';
import { ascii, ContainerError, joinBytes } from '../../container/assemble.ts';

/** The signature at the start of every PNG (PNG third edition §5.2). */
export const pngSignature = '\x89PNG\r\n\x1a\n';

/** Bytes of a chunk without data: length, type and checksum. */
export const emptyChunkBytes = 12;

/** A chunk of a file, by file offsets (PNG third edition §5.3). */
export interface PngChunk {
  /** Four letters, if the file is sound; empty if the file ends before them. */
  readonly type: string;
  /** Offset of the length field. */
  readonly at: number;
  /** Range of the data, followed by the checksum; image data that the file cuts short end with it. */
  readonly start: number;
  readonly end: number;
  /** Offset of the next chunk. */
  readonly next: number;
  /** False if the file ends inside the chunk. */
  readonly isWhole: boolean;
}

/**
 * Iterates over the chunks of a file, up to and including IEND, to a chunk that the end of the file truncates, or to
 * where a missing IEND would be: as in browsers, what follows image data and is no chunk ends the file. Chunks are
 * reported as stated, but reading never exceeds the file; the caller decides whether they are acceptable. Takes time
 * linear in the file size and holds one chunk at a time.
 *
 * @param from start of a chunk: the first one, or one after image data
 */
export function* pngChunks(file: Uint8Array, from = pngSignature.length): Generator<PngChunk> {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  let hasImageData = from > pngSignature.length;
  for (let at = from; at < file.length; ) {
    const chunk = chunkAt(view, at);
    if (hasImageData && !continuesFile(chunk)) return;
    yield chunk;
    if (!chunk.isWhole || chunk.type === 'IEND') return;
    hasImageData ||= chunk.type === 'IDAT';
    at = chunk.next;
  }
}

/** Whether bytes after image data are a chunk, or the beginning of one that an image or animation lacks. */
function continuesFile({ type, isWhole }: PngChunk): boolean {
  return isWhole ? /^[A-Za-z]{4}$/.test(type) : ['IDAT', 'fcTL', 'fdAT'].includes(type);
}

/** Whether a chunk can be used: image data that the end of the file cuts short may be complete nevertheless. */
export function isUsableChunk({ type, isWhole }: Pick<PngChunk, 'type' | 'isWhole'>): boolean {
  return isWhole || type === 'IDAT';
}

function chunkAt(view: DataView, at: number): PngChunk {
  const start = at + 8;
  if (start > view.byteLength) {
    return { type: '', at, start, end: start, next: start + 4, isWhole: false };
  }
  const stated = start + view.getUint32(at);
  const next = stated + 4;
  const letter = (i: number) => view.getUint8(at + 4 + i);
  const type = String.fromCharCode(letter(0), letter(1), letter(2), letter(3));
  const end = type === 'IDAT' ? Math.min(stated, view.byteLength) : stated;
  return { type, at, start, end, next, isWhole: next <= view.byteLength };
}

/**
 * Iterates over the chunks of a file that can be rewritten.
 * @throws ContainerError at a chunk that the end of the file truncates, except image data
 */
export function* wholeChunks(file: Uint8Array): Generator<PngChunk> {
  for (const chunk of pngChunks(file)) {
    if (!isUsableChunk(chunk)) throw new ContainerError('The PNG ends inside a chunk.');
    yield chunk;
  }
}

/** The bytes of a chunk, with its length, type and checksum; those that the end of the file cuts off are added. */
export function chunkBytes(file: Uint8Array, chunk: PngChunk): Uint8Array {
  const { type, at, next, isWhole } = chunk;
  return isWhole ? file.subarray(at, next) : pngChunk(type, chunkContent(file, chunk));
}

/** The data of a chunk, without length, type and checksum. */
export function chunkContent(file: Uint8Array, { start, end }: PngChunk): Uint8Array {
  return file.subarray(start, end);
}

/** The CRC of parts that follow each other (PNG third edition §5.5). */
export function checksum(...parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, part) => CRC32.buf(part, sum), 0) >>> 0;
}

/** Whether the checksum over type and data of a chunk is correct (PNG third edition §5.3), or cut off. */
export function hasValidChecksum(file: Uint8Array, { start, end, isWhole }: PngChunk): boolean {
  if (!isWhole) return true;
  const { buffer, byteOffset } = file;
  const stored = new DataView(buffer, byteOffset + end, 4).getUint32(0);
  return checksum(file.subarray(start - 4, end)) === stored;
}

/** Builds a chunk. */
export function pngChunk(type: string, ...content: Uint8Array[]): Uint8Array {
  const length = content.reduce((sum, part) => sum + part.length, 0);
  const bytes = joinBytes(new Uint8Array(4), ascii(type), ...content, new Uint8Array(4));
  const view = new DataView(bytes.buffer);
  view.setUint32(0, length);
  view.setUint32(8 + length, checksum(bytes.subarray(4, 8 + length)));
  return bytes;
}
