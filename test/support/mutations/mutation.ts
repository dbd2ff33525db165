import type { Random } from '../random.ts';

/** Returns a changed copy of a file. */
export type Mutation = (file: Uint8Array, random: Random) => Uint8Array<ArrayBuffer>;

/** A random integer from 0 to `limit` − 1; 0 if the limit is 0. */
export function below(limit: number, random: Random): number {
  return Math.floor(limit * random.unit());
}

export function chosen<Item>(items: readonly Item[], random: Random): Item | undefined {
  return items[below(items.length, random)];
}

export function noise(length: number, random: Random): Uint8Array {
  return Uint8Array.from({ length }, () => below(256, random));
}

export function withByte(
  file: Uint8Array,
  at: number,
  change: (byte: number) => number,
): Uint8Array<ArrayBuffer> {
  const result = file.slice();
  if (at < file.length) result[at] = change(file[at] ?? 0);
  return result;
}

export function joined(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.concat(parts));
}

/** Flips some bits in a part of the file. */
export function withFlippedBits(file: Uint8Array, random: Random): Uint8Array<ArrayBuffer> {
  const result = file.slice();
  for (let left = below(8, random); left >= 0 && file.length > 0; left -= 1) {
    const at = below(file.length, random);
    result[at] = (result[at] ?? 0) ^ (1 << below(8, random));
  }
  return result;
}

/** A 32-bit number that is an edge case for parsers, or that points somewhere into the file. */
export function hostileNumber(fileBytes: number, random: Random): number {
  const edges = [0, 1, 0x7f, 0xff, 0xffff, 0x10000, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];
  const near = [fileBytes, fileBytes - 1, fileBytes + 1, fileBytes >> 1];
  return chosen([...edges, ...near, below(fileBytes, random), random.word()], random) ?? 0;
}
