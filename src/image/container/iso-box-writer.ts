import { ascii } from './assemble.ts';

/** A box as pieces to be written one after the other, so that nothing large is copied into it. */
export type BoxPieces = readonly Uint8Array[];

/**
 * ISO/IEC 14496-12 §4.2, with the 32-bit size, which every file that we write is within. Lists are
 * passed as lists: a table may have more rows than a call may have arguments.
 */
export function writeBox(type: string, ...content: (Uint8Array | BoxPieces)[]): BoxPieces {
  const pieces = content.flat();
  return [uint32(8 + byteLength(pieces)), ascii(type), ...pieces];
}

/** A box with version and flags. */
export function writeFullBox(
  type: string,
  version: number,
  flags: number,
  ...content: (Uint8Array | BoxPieces)[]
): BoxPieces {
  return writeBox(type, uint32(version * 0x100_0000 + flags), ...content);
}

export function byteLength(pieces: BoxPieces): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0);
}

/** Big-endian. */
export function uint16(...values: number[]): Uint8Array {
  return Uint8Array.from(values.flatMap((value) => [value >>> 8, value & 0xff]));
}

/** Big-endian. */
export function uint32(...values: number[]): Uint8Array {
  return uint16(...values.flatMap((value) => [value >>> 16, value & 0xffff]));
}
