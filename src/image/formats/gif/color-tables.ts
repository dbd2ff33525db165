import type { FrameColors } from './frame-colors.ts';
import type { GifKernel } from './kernel.ts';

/** Colors of a table (GIF89a §19, §21). */
export const maxColors = 256;

/** What a frame is coded with. */
export interface FrameTable {
  /** Words of RGBA, all of them opaque. */
  readonly colors: readonly number[];
  /** The index that lets through what is below; -1: none does. */
  readonly transparent: number;
  /** Bits of an index, 2 to 8. */
  readonly minCodeSize: number;
  /** False: its colors are the first of the global table. */
  readonly isLocal: boolean;
}

/** Bytes of the local table that a frame with this one has; 0 where it has none. */
export function localTableBytes({ colors, isLocal }: FrameTable): number {
  return isLocal ? 3 * tableLength(colors.length) : 0;
}

/** How many colors a table has which holds so many: a power of two from 2 on. */
export function tableLength(count: number): number {
  return 2 ** Math.max(1, Math.ceil(Math.log2(count)));
}

/** Fills the kernel's table. What has no index of so many bits cannot be used. */
export function setKernelTable(
  kernel: GifKernel,
  { colors, transparent, minCodeSize }: FrameTable,
): void {
  const usable = colors.slice(0, 2 ** minCodeSize);
  new Uint32Array(kernel.bytes.buffer, kernel.tableAt(), maxColors).set(usable);
  kernel.setTable(Math.max(usable.length, transparent + 1), transparent);
}

/** The bytes of a table, filled up with black. */
export function tableBytes(colors: readonly number[], length: number): Uint8Array {
  const bytes = new Uint8Array(3 * length);
  for (const [index, word] of colors.entries()) {
    bytes.set([word & 0xff, (word >>> 8) & 0xff, (word >>> 16) & 0xff], 3 * index);
  }
  return bytes;
}

/** Bits of indices below `count`; at least 2 (GIF89a appendix F). */
export function indexBits(count: number): number {
  return Math.max(2, Math.ceil(Math.log2(count)));
}

/**
 * The global table, which grows by colors that frames need. Those coded before stay valid, since no color ever moves,
 * and codes may be for fewer indices than the table has.
 */
export class GlobalTable {
  readonly #colors: number[] = [];
  readonly #indices = new Map<number, number>();
  /** Indices up to this one have to be in the table, whether or not they have a color. */
  #length = 0;

  get colors(): readonly number[] {
    return this.#colors;
  }

  /** How many entries the table has to be written with, a power of two; 0: none. */
  get length(): number {
    const count = Math.max(this.#colors.length, this.#length);
    return count > 0 ? tableLength(count) : 0;
  }

  /** The table with what a frame needs as well, but not yet taken over; null if it does not fit. */
  extended({ needed, shared, hasClear }: FrameColors): FrameTable | null {
    if (!needed.isComplete) return null;
    const colors = [...this.#colors];
    let highest = -1;
    const used = new Set<number>();
    for (const { word } of needed.sorted()) {
      const index = this.#indices.get(word) ?? colors.push(word) - 1;
      used.add(index);
      highest = Math.max(highest, index);
    }
    if (colors.length > maxColors) return null;
    const usesTransparent = hasClear || shared.size > 0;
    const unused = usesTransparent ? firstUnused(used) : -1;
    if (unused >= maxColors) return hasClear || !this.#holds(shared) ? null : this.#plain(colors);
    return {
      colors,
      transparent: unused,
      minCodeSize: indexBits(Math.max(highest, unused) + 1),
      isLocal: false,
    };
  }

  /** What a frame has been coded with belongs to the table from now on. */
  take({ colors, transparent, isLocal }: FrameTable): void {
    if (isLocal) return;
    for (const word of colors.slice(this.#colors.length)) {
      this.#indices.set(word, this.#colors.push(word) - 1);
    }
    this.#length = Math.max(this.#length, transparent + 1);
  }

  #holds(shared: FrameColors['shared']): boolean {
    return shared.isComplete && shared.sorted().every(({ word }) => this.#indices.has(word));
  }

  #plain(colors: readonly number[]): FrameTable {
    return { colors, transparent: -1, minCodeSize: 8, isLocal: false };
  }
}

function firstUnused(used: ReadonlySet<number>): number {
  let index = 0;
  while (used.has(index)) index += 1;
  return index;
}

/**
 * A table of a frame's own: the colors that it needs, and, where there is room for them, those that are seen below as
 * well.
 * @param holdsShared room is made for them
 * @returns null if it needs more than a table can have
 */
export function localTable(
  { needed, shared, hasClear }: FrameColors,
  holdsShared: boolean,
): FrameTable | null {
  const own = needed.sorted();
  const others = shared.sorted().filter(({ word }) => !needed.has(word));
  const isPlain = !hasClear && shared.isComplete && others.length + own.length <= maxColors;
  // without an index that lets through, all pixels have one of their own
  const isFull = own.length === maxColors;
  if (!needed.isComplete || own.length > maxColors || (isFull && !isPlain)) return null;
  const usesTransparent = (hasClear || shared.size > 0) && !isFull;
  const least = indexBits(own.length + (usesTransparent ? 1 : 0));
  const most = holdsShared ? maxColors : 2 ** least;
  const added = others.slice(0, most - own.length - (usesTransparent ? 1 : 0));
  const colors = [...own, ...added].map(({ word }) => word);
  const count = colors.length + (usesTransparent ? 1 : 0);
  return {
    // the index that lets through needs an entry, too
    colors: usesTransparent ? [...colors, 0] : colors,
    transparent: usesTransparent ? colors.length : -1,
    minCodeSize: indexBits(count),
    isLocal: true,
  };
}

/** A table with all of its indices, for a frame whose pixels may be of other colors than they shall. */
export function withAllIndices(table: FrameTable): FrameTable {
  const count = Math.max(table.colors.length, table.transparent + 1);
  return { ...table, minCodeSize: indexBits(count) };
}

/** A table of some colors, with an index that lets through what is below. */
export function tableOf(colors: readonly number[], isLocal: boolean): FrameTable {
  const most = colors.slice(0, maxColors - 1);
  return {
    // that index needs an entry, too
    colors: isLocal ? [...most, 0] : most,
    transparent: most.length,
    minCodeSize: indexBits(most.length + 1),
    isLocal,
  };
}

/** The colors of a frame, those that it needs first, the most frequent before others. */
export function frequentColors({ needed, shared }: FrameColors): number[] {
  const others = shared.sorted().filter(({ word }) => !needed.has(word));
  return [...needed.sorted(), ...others].map(({ word }) => word);
}
