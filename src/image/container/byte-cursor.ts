/** A range of a file, with its offset in bytes from the beginning. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

type Endianness = 'big' | 'little';

/**
 * Reads forward through the window [start, end) of a file; positions are file offsets.
 *
 * It never throws: a read past the end returns 0, moves the cursor to the end and sets `overrun`, so
 * that a parser can read a whole structure and check once. A loop over a count from the file must check
 * `overrun` at every step, since the count may be wrong.
 */
export class ByteCursor {
  position: number;
  overrun = false;
  readonly end: number;
  readonly #view: DataView;
  readonly #littleEndian: boolean;

  constructor(view: DataView, start: number, end: number, endianness: Endianness = 'big') {
    this.#view = view;
    this.#littleEndian = endianness === 'little';
    this.end = Math.min(end, view.byteLength);
    this.position = Math.min(start, this.end);
  }

  get remaining(): number {
    return this.end - this.position;
  }

  uint8(): number {
    const at = this.#claim(1);
    return at === undefined ? 0 : this.#view.getUint8(at);
  }

  uint16(): number {
    const at = this.#claim(2);
    return at === undefined ? 0 : this.#view.getUint16(at, this.#littleEndian);
  }

  uint24(): number {
    const at = this.#claim(3);
    if (at === undefined) return 0;
    const middle = this.#view.getUint8(at + 1) << 8;
    const first = this.#view.getUint8(at);
    const last = this.#view.getUint8(at + 2);
    return this.#littleEndian ? first | middle | (last << 16) : (first << 16) | middle | last;
  }

  uint32(): number {
    const at = this.#claim(4);
    return at === undefined ? 0 : this.#view.getUint32(at, this.#littleEndian);
  }

  int32(): number {
    return this.uint32() | 0;
  }

  /** Big-endian only. Inexact above 2^53, where no file length can be anyway. */
  uint64(): number {
    return this.uint32() * 0x1_0000_0000 + this.uint32();
  }

  /** One character per byte (ISO 8859-1), `length` of them. Meant for tags and signatures. */
  text(length: number): string {
    const at = this.#claim(length);
    if (at === undefined) return '';
    let text = '';
    for (let i = 0; i < length; i++) text += String.fromCharCode(this.#view.getUint8(at + i));
    return text;
  }

  skip(length: number): void {
    this.#claim(length);
  }

  /** The offset of a read of `length` bytes; undefined if it would exceed the window. */
  #claim(length: number): number | undefined {
    if (length > this.remaining) {
      this.overrun = true;
      this.position = this.end;
      return undefined;
    }
    const at = this.position;
    this.position += length;
    return at;
  }
}

/** A view of exactly the bytes of an array, which may be a part of a larger buffer. */
export function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
