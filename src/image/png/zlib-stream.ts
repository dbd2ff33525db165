import { adler32 } from './adler32.ts';
import { CompressedBits } from './compressed-bits.ts';
import { Inflater } from './inflater.ts';
import { PngDamaged } from './png-damaged.ts';

/** Up to here a loop is quicker than a view: a picture can have millions of rows of one pixel. */
const shortRead = 64;

/**
 * Gives out an inflated zlib stream (RFC 1950) in the portions that are asked for, and keeps no more
 * of it than a window. All methods throw `PngDamaged` when the stream is not sound.
 */
export class ZlibStream {
  readonly #source: CompressedBits;
  readonly #inflater: Inflater;
  #piece: Uint8Array = new Uint8Array(0);
  /** What was read of the piece. */
  #at = 0;
  #sum = 1;

  /** RFC 1950 §2.2: deflate, a window up to 32 KiB, its check bits, and no preset dictionary. */
  constructor(pieces: Iterator<Uint8Array, void>) {
    this.#source = new CompressedBits(pieces);
    this.#inflater = new Inflater(this.#source);
    const method = this.#source.take(8);
    const flags = this.#source.take(8);
    if ((method & 15) !== 8 || method >> 4 > 7 || (method * 256 + flags) % 31 !== 0) {
      throw new PngDamaged('image data are not a zlib stream');
    }
    if ((flags & 0x20) !== 0) throw new PngDamaged('image data need a dictionary');
  }

  /** The next bytes, exactly as many as `target` holds. */
  read(target: Uint8Array): void {
    for (let filled = 0; filled < target.length; ) {
      if (this.#at === this.#piece.length && !this.#inflate()) {
        throw new PngDamaged('rows are missing');
      }
      const piece = this.#piece;
      const from = this.#at;
      const count = Math.min(target.length - filled, piece.length - from);
      if (count > shortRead) target.set(piece.subarray(from, from + count), filled);
      else for (let i = 0; i < count; i += 1) target[filled + i] = piece[from + i] ?? 0;
      filled += count;
      this.#at = from + count;
    }
  }

  /**
   * Makes sure that nothing follows but the right checksum. Bytes behind it are not looked at, as in
   * zlib and libpng.
   */
  end(): void {
    if (this.#at < this.#piece.length || this.#inflate())
      throw new PngDamaged('there are too many rows');
    this.#source.alignToByte();
    for (let shift = 24; shift >= 0; shift -= 8) {
      if (this.#source.take(8) !== ((this.#sum >>> shift) & 0xff)) {
        throw new PngDamaged('the checksum of the zlib stream is wrong');
      }
    }
    if (this.#source.isOverrun) throw new PngDamaged('image data end too early');
  }

  #inflate(): boolean {
    const piece = this.#inflater.next();
    if (piece === null) return false;
    this.#sum = adler32(piece, this.#sum);
    this.#piece = piece;
    this.#at = 0;
    return true;
  }
}
