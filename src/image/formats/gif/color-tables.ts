import type { FrameColors } from './frame-colors.ts';
import type { GifKernel } from './kernel.ts';

/** Maximum number of colors in a table (GIF89a §19, §21). */
export const maxColors = 256;

/** The color table that a frame is encoded with. */
export interface FrameTable {
  /** Opaque colors as words of RGBA. */
  readonly colors: readonly number[];
  /** The transparent index; -1 if there is none. */
  readonly transparent: number;
  /** Bits per index, 2 to 8. */
  readonly minCodeSize: number;
  /** Whether it is a local table; if not, its colors are the first of the global table. */
  readonly isLocal: boolean;
}

/** Bytes of a frame's local table; 0 if it uses the global one. */
export function localTableBytes({ colors, isLocal }: FrameTable): number {
  return isLocal ? 3 * tableLength(colors.length) : 0;
}

/** Number of entries in a table for this many colors: a power of two, at least 2. */
export function tableLength(count: number): number {
  return 2 ** Math.max(1, Math.ceil(Math.log2(count)));
}

/** Fills the kernel's table. Colors whose index exceeds the bits cannot be used. */
export function setKernelTable(
  kernel: GifKernel,
  { colors, transparent, minCodeSize }: FrameTable,
): void {
  const usable = colors.slice(0, 2 ** minCodeSize);
  new Uint32Array(kernel.bytes.buffer, kernel.tableAt(), maxColors).set(usable);
  kernel.setTable(Math.max(usable.length, transparent + 1), transparent);
}

/** The bytes of a table, padded with black. */
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
 * The global table, which grows with the colors of frames. Frames encoded earlier stay valid, because colors never move, and
 * a frame may use fewer bits per index than the table needs.
 */
export class GlobalTable {
  readonly #colors: number[] = [];
  readonly #indices = new Map<number, number>();
  /** Minimum number of entries, even if some of them have no color. */
  #length = 0;

  get colors(): readonly number[] {
    return this.#colors;
  }

  /** Number of entries to write, a power of two; 0 for no table. */
  get length(): number {
    const count = Math.max(this.#colors.length, this.#length);
    return count > 0 ? tableLength(count) : 0;
  }

  /** The table extended by the colors of a frame, without applying that yet; null if they do not fit. */
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

  /** Applies the extension with which a frame has been encoded. */
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
 * A local table with the colors that a frame needs and, if there is room, those visible below as well.
 * @param holdsShared whether to make room for the latter
 * @returns null if the frame needs more colors than a table can have
 */
export function localTable(
  { needed, shared, hasClear }: FrameColors,
  holdsShared: boolean,
): FrameTable | null {
  const own = needed.sorted();
  const others = shared.sorted().filter(({ word }) => !needed.has(word));
  const isPlain = !hasClear && shared.isComplete && others.length + own.length <= maxColors;
  // Without a transparent index, every pixel needs a color.
  const isFull = own.length === maxColors;
  if (!needed.isComplete || own.length > maxColors || (isFull && !isPlain)) return null;
  const usesTransparent = (hasClear || shared.size > 0) && !isFull;
  const least = indexBits(own.length + (usesTransparent ? 1 : 0));
  const most = holdsShared ? maxColors : 2 ** least;
  const added = others.slice(0, most - own.length - (usesTransparent ? 1 : 0));
  const colors = [...own, ...added].map(({ word }) => word);
  const count = colors.length + (usesTransparent ? 1 : 0);
  return {
    // The transparent index needs an entry as well.
    colors: usesTransparent ? [...colors, 0] : colors,
    transparent: usesTransparent ? colors.length : -1,
    minCodeSize: indexBits(count),
    isLocal: true,
  };
}

/** A table that offers all of its indices, for a frame whose pixels may deviate in color. */
export function withAllIndices(table: FrameTable): FrameTable {
  const count = Math.max(table.colors.length, table.transparent + 1);
  return { ...table, minCodeSize: indexBits(count) };
}

/** A table of the given colors and a transparent index. */
export function tableOf(colors: readonly number[], isLocal: boolean): FrameTable {
  const most = colors.slice(0, maxColors - 1);
  return {
    // The transparent index needs an entry as well.
    colors: isLocal ? [...most, 0] : most,
    transparent: most.length,
    minCodeSize: indexBits(most.length + 1),
    isLocal,
  };
}

/** The colors of a frame in order of frequency; those that it needs come first. */
export function frequentColors({ needed, shared }: FrameColors): number[] {
  const others = shared.sorted().filter(({ word }) => !needed.has(word));
  return [...needed.sorted(), ...others].map(({ word }) => word);
}
