import { bytesPerRasterPixel } from '../raster.ts';
import { paeth } from './paeth.ts';

/** PNG third edition §9.2: none, sub, up, average, Paeth. */
const filterTypes = 5;

/**
 * Filters row after row of a picture, each in the way whose differences are
 * smallest in sum, the heuristic that the standard names (PNG third edition §12.7).
 */
export class FilteredRows {
  /** Of a filtered row, with its filter byte. */
  readonly rowBytes: number;
  readonly #samples: number;
  #row: Uint8Array;
  #above: Uint8Array;
  #best: Uint8Array;
  #trial: Uint8Array;

  /** @param samples of each pixel that are taken: 1, 3 or 4 */
  constructor(width: number, samples: number) {
    this.rowBytes = 1 + samples * width;
    this.#samples = samples;
    // one pixel of zeros stands to the left of each row, and a row of zeros above the first
    this.#row = new Uint8Array(samples * (width + 1));
    this.#above = new Uint8Array(samples * (width + 1));
    this.#best = new Uint8Array(this.rowBytes);
    this.#trial = new Uint8Array(this.rowBytes);
  }

  /** The next row, taken from RGBA at an offset; the array is reused for a later one. */
  next(rgba: Uint8ClampedArray, from: number): Uint8Array {
    [this.#row, this.#above] = [this.#above, this.#row];
    const [samples, row] = [this.#samples, this.#row];
    for (let to = samples, at = from; to < row.length; to += samples, at += bytesPerRasterPixel) {
      for (let i = 0; i < samples; i += 1) row[to + i] = rgba[at + i] ?? 0;
    }
    let least = Number.POSITIVE_INFINITY;
    for (let type = 0; type < filterTypes; type += 1) {
      const sum = this.#filter(type, least);
      if (sum >= least) continue;
      least = sum;
      [this.#best, this.#trial] = [this.#trial, this.#best];
    }
    return this.#best;
  }

  /** Fills the trial row; gives up once its sum of differences reaches `least`. */
  #filter(type: number, least: number): number {
    const [row, above, trial, samples] = [this.#row, this.#above, this.#trial, this.#samples];
    trial[0] = type;
    let sum = 0;
    for (let at = samples, to = 1; at < row.length && sum < least; at += 1, to += 1) {
      const left = row[at - samples] ?? 0;
      const up = above[at] ?? 0;
      const difference =
        ((row[at] ?? 0) - predicted(type, left, up, above[at - samples] ?? 0)) & 0xff;
      trial[to] = difference;
      sum += difference < 128 ? difference : 256 - difference;
    }
    return sum;
  }
}

function predicted(type: number, left: number, up: number, corner: number): number {
  switch (type) {
    case 1:
      return left;
    case 2:
      return up;
    case 3:
      return (left + up) >> 1;
    case 4:
      return paeth(left, up, corner);
    default:
      return 0;
  }
}
