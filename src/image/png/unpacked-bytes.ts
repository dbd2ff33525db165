import { CompressedBits } from './compressed-bits.ts';
import { Inflater } from './inflater.ts';
import { PngDamaged } from './png-damaged.ts';

/** The header of a zlib stream in bytes (RFC 1950 §2.2). */
const headerBytes = 2;

/**
 * How many bytes a zlib stream unpacks to, counted in the memory of a window: up to its end or
 * damage, and no further than to the first 64 KiB past `limit`.
 */
export function unpackedBytes(stream: Uint8Array, limit: number): number {
  const inflater = new Inflater(new CompressedBits([stream.subarray(headerBytes)].values()));
  let bytes = 0;
  try {
    for (let piece = inflater.next(); piece && bytes <= limit; piece = inflater.next()) {
      bytes += piece.length;
    }
  } catch (error) {
    if (!(error instanceof PngDamaged)) throw error;
  }
  return bytes;
}
