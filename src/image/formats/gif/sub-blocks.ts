import type { ByteRange } from '../../container/byte-cursor.ts';
import type { LzwData } from './kernel.ts';

/** The position of a cursor: file offset of its next byte, and remaining bytes of its sub-block. */
interface Place {
  at: number;
  left: number;
}

/** The data of a picture, joined from sub-blocks of up to 255 bytes (GIF89a §15). */
export class SubBlocks implements LzwData {
  readonly #file: Uint8Array;
  readonly #start: number;
  readonly #places: Place[] = [];

  /** @param range sub-blocks with their terminator */
  constructor(file: Uint8Array, { offset, length }: ByteRange) {
    this.#file = file.subarray(0, offset + length);
    this.#start = offset;
  }

  read(cursor: number, target: Uint8Array): number {
    const place = this.#placeOf(cursor);
    let filled = 0;
    while (filled < target.length) {
      if (place.left === 0 && !this.#enterNext(place)) break;
      const count = Math.min(place.left, target.length - filled);
      copy(this.#file, place.at, target, filled, count);
      place.at += count;
      place.left -= count;
      filled += count;
    }
    return filled;
  }

  fork(from: number, to: number): void {
    this.#places[to] = from === to ? { at: this.#start, left: 0 } : { ...this.#placeOf(from) };
  }

  #placeOf(cursor: number): Place {
    const place = this.#places[cursor] ?? { at: this.#start, left: 0 };
    this.#places[cursor] = place;
    return place;
  }

  /** False at the terminator, where the position remains. */
  #enterNext(place: Place): boolean {
    const length = this.#file[place.at] ?? 0;
    if (length === 0) return false;
    place.at += 1;
    place.left = Math.min(length, this.#file.length - place.at);
    return place.left > 0;
  }
}

/** Bytes up to which a loop copies faster than views do: a hostile file has sub-blocks of one byte. */
const fewBytes = 32;

function copy(from: Uint8Array, at: number, to: Uint8Array, start: number, count: number): void {
  if (count > fewBytes) {
    to.set(from.subarray(at, at + count), start);
    return;
  }
  for (let i = 0; i < count; i += 1) to[start + i] = from[at + i] ?? 0;
}
