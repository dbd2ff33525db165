import { ByteCursor } from '../inspect/byte-cursor.ts';
import { ContainerError } from './container-error.ts';

/** Of a chunk: four characters of type and its length. */
export const webpChunkHeaderBytes = 8;

const riffHeaderBytes = 12;

export interface WebpChunk {
  readonly type: string;
  /** With its header, without the padding byte. */
  readonly bytes: Uint8Array;
}

/**
 * The chunks of the RIFF container; what follows its stated end is none. Source: RFC 9649 §2.3.
 *
 * @throws ContainerError at a chunk that is longer than the container
 */
export function* webpChunks(file: Uint8Array): Generator<WebpChunk> {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const end = webpChunkHeaderBytes + new ByteCursor(view, 4, 8, 'little').uint32();
  const cursor = new ByteCursor(view, riffHeaderBytes, end, 'little');
  while (cursor.remaining > 0) {
    const start = cursor.position;
    const type = cursor.text(4);
    const length = cursor.uint32();
    if (cursor.overrun || length > cursor.remaining) {
      throw new ContainerError('A WebP chunk is longer than what holds it.');
    }
    cursor.skip(length);
    yield { type, bytes: file.subarray(start, cursor.position) };
    cursor.skip(Math.min(length & 1, cursor.remaining));
  }
}
