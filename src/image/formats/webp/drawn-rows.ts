import { changedRows, type RowSource } from '../../pixels/row-source.ts';

/**
 * Determines, while rows are read for the first time, whether they look drawn: by few colors, few different rows, or
 * few edges. Lossless coding often takes fewer bytes for such pictures, and always looks better.
 */
export class DrawnRows {
  /** The rows, to be read instead of the original ones. */
  readonly seen: RowSource;
  readonly #size: { readonly width: number; readonly height: number };
  readonly #colors = new Set<number>();
  readonly #hashes = new Set<number>();
  #rows = 0;
  #edges = 0;

  constructor(rows: RowSource) {
    this.#size = rows;
    this.seen = changedRows(rows, (row) => {
      if (this.#rows < rows.height) this.#see(row);
    });
  }

  get areDrawn(): boolean {
    const { width, height } = this.#size;
    const edges = this.#edges / (width * height);
    // Gray photos also have few colors, but their pixels differ from each other.
    const hasFewColors =
      this.#colors.size <= maxInkColors || (this.#colors.size <= maxColors && edges <= 1 / 2);
    return hasFewColors || this.#hashes.size <= height / 4 || edges <= 1 / 16;
  }

  #see({ buffer, byteOffset }: Uint8Array): void {
    const words = new Uint32Array(buffer, byteOffset, this.#size.width);
    let before = -1;
    let hash = 0;
    for (const word of words) {
      hash = Math.imul(hash ^ word, 0x9e3779b1) ^ (hash >>> 15);
      if (word === before) continue;
      before = word;
      this.#edges += 1;
      if (this.#colors.size <= maxColors) this.#colors.add(word);
    }
    this.#hashes.add(hash);
    this.#rows += 1;
  }
}

/** Maximum number of colors of dithered pictures, in which any pixel may differ from the next. */
const maxInkColors = 16;

/** Maximum number of colors in a palette (RFC 9649 §4.4). */
const maxColors = 256;
