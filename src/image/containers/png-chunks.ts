import { crc32 } from 'node:zlib';
import { ByteCursor } from '../inspect/byte-cursor.ts';
import { ascii, joinBytes } from './byte-strings.ts';
import { ContainerError } from './container-error.ts';

export const pngSignatureBytes = 8;

/** Length, type and checksum. */
export const emptyPngChunkBytes = 12;

export interface PngChunk {
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
