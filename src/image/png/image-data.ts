import { crc32 } from 'node:zlib';
import { chunkAt, chunkTypes, firstChunk } from './chunks.ts';
import { type CompressedData, damagedPng } from './kernel.ts';

/** Where a cursor is in the file, as offsets. */
interface Place {
  /** The next byte of the chunk that it is in, and that chunk's end. */
  at: number;
  end: number;
  /** Where the chunk behind that begins. */
  next: number;
}

/**
 * The data of all IDAT chunks, which together are one zlib stream (PNG third edition §11.2.3). Each
 * chunk's checksum is looked at before its data are given out, and once only.
 */
export class ImageData implements CompressedData {
  readonly file: Uint8Array;
  readonly #places: Place[] = [];
  /** Up to here the checksums are right. */
  #checked = 0;

  constructor(file: Uint8Array) {
    this.file = file;
  }

  /** @throws CodecError on a wrong checksum, or when a chunk goes beyond the file */
  read(cursor: number, target: Uint8Array): number {
    const place = this.#placeOf(cursor);
    while (place.at === place.end && this.#enterNext(place));
    const part = this.file.subarray(place.at, Math.min(place.end, place.at + target.length));
    target.set(part);
    place.at += part.length;
    return part.length;
  }

  fork(from: number, to: number): void {
    this.#places[to] = from === to ? beginning() : { ...this.#placeOf(from) };
  }

  /**
   * Looks at the checksums of all chunks that have not been needed: those behind the end of the stream.
   * @throws CodecError as `read` does
   */
  checkRest(): void {
    const place = { at: 0, end: 0, next: Math.max(firstChunk, this.#checked) };
    while (this.#enterNext(place));
  }

  #placeOf(cursor: number): Place {
    const place = this.#places[cursor] ?? beginning();
    this.#places[cursor] = place;
    return place;
  }

  /** Goes on to the next chunk of image data; false when there is none. */
  #enterNext(place: Place): boolean {
    let chunk = chunkAt(this.file, place.next);
    while (chunk && chunk.type !== chunkTypes.IDAT) chunk = chunkAt(this.file, chunk.next);
    if (!chunk) return false;
    const { start, end, next, checksum } = chunk;
    if (next > this.#checked) {
      if (crc32(this.file.subarray(start - 4, end)) !== checksum) {
        throw damagedPng('the checksum of image data is wrong');
      }
      this.#checked = next;
    }
    Object.assign(place, { at: start, end, next });
    return true;
  }
}

function beginning(): Place {
  return { at: 0, end: 0, next: firstChunk };
}
