import type { FrameColors } from './frame-colors.ts';
import type { GifKernel } from './kernel.ts';

/** Maximum number of colors in a table (GIF89a §19, §21). */
export const maxColors = 256;

/** The color table of a frame. */
export interface FrameTable {
  /** RGBA words, all opaque. */
  readonly colors: readonly number[];
  /** The transparent index, which shows the pixel below; -1: none. */
  readonly transparent: number;
  /** Bits per index, 2 to 8. */
  readonly minCodeSize: number;
  /** False: the colors are the first ones of the global table. */
  readonly isLocal: boolean;
}

/** Bytes of the local table of a frame with this table; 0 if it is not local. */
export function localTableBytes({ colors, isLocal }: FrameTable): number {
  return isLocal ? 3 * tableLength(colors.length) : 0;
}

/** Number of entries of a table that holds `count` colors: a power of two, at least 2. */
export function tableLength(count: number): number {
  return 2 ** Math.max(1, Math.ceil(Math.log2(count)));
}

/** Fills the kernel's table, with only those colors whose index fits into `minCodeSize` bits. */
export function setKernelTable(
  kernel: GifKernel,
  { colors, transparent, minCodeSize }: FrameTable,
): void {
  const usable = colors.slice(0, 2 ** minCodeSize);
  new Uint32Array(kernel.bytes.buffer, kernel.tableAt(), maxColors).set(usable);
  kernel.setTable(Math.max(usable.length, transparent + 1), transparent);
}

/** Returns the bytes of a table, padded with black. */
export function tableBytes(colors: readonly number[], length: number): Uint8Array {
  const bytes = new Uint8Array(3 * length);
  for (const [index, word] of colors.entries()) {
    bytes.set([word & 0xff, (word >>> 8) & 0xff, (word >>> 16) & 0xff], 3 * index);
  }
  return bytes;
}

/** Bits of indices below `count`; at least 2 (GIF89a appendix F). */
function indexBits(count: number): number {
  return Math.max(2, Math.ceil(Math.log2(count)));
}

/**
 * The global table, which grows by the colors that frames need. Frames encoded before stay valid, since no color ever
 * moves, and their codes may use fewer indices than the table has.
 */
export class GlobalTable {
  readonly #colors: number[] = [];
  readonly #indices = new Map<number, number>();
  /** Minimum number of entries, whether or not all of them have a color. */
  #length = 0;

  get colors(): readonly number[] {
    return this.#colors;
  }

  /** Number of entries to write, a power of two; 0 if there are none. */
  get length(): number {
    const count = Math.max(this.#colors.length, this.#length);
    return count > 0 ? tableLength(count) : 0;
  }

  /** Returns the table extended by the colors of a frame, without changing this table; null if they do not fit. */
  extended({ needed, shared, hasClear, leavesClear }: FrameColors): FrameTable | null {
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
    const usesTransparent = hasClear || leavesClear || shared.size > 0;
    const unused = usesTransparent ? firstUnused(used) : -1;
    if (unused >= maxColors) return hasClear || !this.#holds(shared) ? null : this.#plain(colors);
    return {
      colors,
      transparent: unused,
      minCodeSize: indexBits(Math.max(highest, unused) + 1),
      isLocal: false,
    };
  }

  /** Adds the colors of an encoded frame to the table. */
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
 * Returns a local table for a frame: the colors that it needs and, where there is room, those it shares with the pixels
 * below.
 * @param holdsShared whether to enlarge the table to make room for shared colors
 * @returns null if the frame needs more colors than a table can have
 */
export function localTable(
  { needed, shared, hasClear, leavesClear }: FrameColors,
  holdsShared: boolean,
): FrameTable | null {
  const own = needed.sorted();
  const others = shared.sorted().filter(({ word }) => !needed.has(word));
  const isPlain = !hasClear && shared.isComplete && others.length + own.length <= maxColors;
  // Without a transparent index, every pixel needs a color of its own.
  const isFull = own.length === maxColors;
  if (!needed.isComplete || own.length > maxColors || (isFull && !isPlain)) return null;
  const usesTransparent = (hasClear || leavesClear || shared.size > 0) && !isFull;
  const least = indexBits(own.length + (usesTransparent ? 1 : 0));
  const most = holdsShared ? maxColors : 2 ** least;
  const added = others.slice(0, most - own.length - (usesTransparent ? 1 : 0));
  const colors = [...own, ...added].map(({ word }) => word);
  const count = colors.length + (usesTransparent ? 1 : 0);
  return {
    // The transparent index needs an entry, too.
    colors: usesTransparent ? [...colors, 0] : colors,
    transparent: usesTransparent ? colors.length : -1,
    minCodeSize: indexBits(count),
    isLocal: true,
  };
}

/** Returns a table that can use all of its indices, for a frame encoded with loss. */
export function withAllIndices(table: FrameTable): FrameTable {
  const count = Math.max(table.colors.length, table.transparent + 1);
  return { ...table, minCodeSize: indexBits(count) };
}

/** Returns a table of the given colors with a transparent index. */
export function tableOf(colors: readonly number[], isLocal: boolean): FrameTable {
  const most = colors.slice(0, maxColors - 1);
  return {
    // The transparent index needs an entry, too.
    colors: isLocal ? [...most, 0] : most,
    transparent: most.length,
    minCodeSize: indexBits(most.length + 1),
    isLocal,
  };
}

/** The colors of a frame: first those it needs, then the shared ones, each group by decreasing frequency. */
export function frequentColors({ needed, shared }: FrameColors): number[] {
  const others = shared.sorted().filter(({ word }) => !needed.has(word));
  return [...needed.sorted(), ...others].map(({ word }) => word);
}
