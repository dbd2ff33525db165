import type { Region, Size } from '../pixels/raster.ts';

/**
 * A part of a large picture that is used to score it. Only differences in its core count; the margin is large enough
 * that the core is encoded and looks, even at coarse scales, as in the whole picture.
 */
export interface Tile {
  /** The region in the picture, in pixels. */
  readonly region: Region;
  /** The core, in pixels of the tile. */
  readonly core: Region;
}

/** A tile and the share of the picture it represents; the weights of all tiles add up to 1. */
export interface WeightedTile extends Tile {
  readonly weight: number;
}

/**
 * Sizes in pixels. Positions are multiples of `unit`, which suits the blocks of all formats and the coarsest scale of
 * the score.
 */
const unit = 32;
const coreSide = 128;
const margin = 96;
const tileSide = coreSide + 2 * margin;
/** Number of pixels in a tile. */
export const tilePixels = tileSide * tileSide;

/** Number of places whose tiles are all held until some of them are chosen. */
export const heldPlaces = 24;

/** Tiles whose cores cover the whole picture. */
export function allPlaces(size: Size): readonly Tile[] {
  const columns = Math.ceil(size.width / coreSide);
  const rows = Math.ceil(size.height / coreSide);
  const part = (i: number, count: number) => (count > 1 ? i / (count - 1) : 0);
  return Array.from({ length: columns * rows }, (_, i) =>
    tileAt(size, part(i % columns, columns), part(Math.floor(i / columns), rows)),
  );
}

/** About `count` tiles distributed over a picture, in rows that are offset against each other. */
export function tilePlaces(size: Size, count: number): readonly Tile[] {
  const { width, height } = size;
  const across = Math.max(1, Math.floor(width / coreSide));
  const down = Math.max(1, Math.floor(height / coreSide));
  const wanted = Math.sqrt((count * width) / height);
  const columns = clamped(Math.round(wanted), 1, across);
  const rows = clamped(Math.floor(count / columns), 1, down);
  return Array.from({ length: columns * rows }, (_, i) => {
    const row = Math.floor(i / columns);
    // By a fifth of a column to either side, so that tiles of different rows do not align.
    const shift = columns < across ? (row % 2 === 0 ? -0.2 : 0.2) : 0;
    const x = ((i % columns) + 0.5 + shift) / columns;
    return tileAt(size, x, (row + 0.5) / rows);
  });
}

/** The whole picture as a single tile. */
export function wholeTile({ width, height }: Size): Tile {
  const all = { left: 0, top: 0, width, height };
  return { region: all, core: all };
}

/** Maximum number of pixels in the core of a band. */
const bandPixels = 1_500_000;

/** Bands from top to bottom whose cores cover the whole picture. */
export function bandsOf({ width, height }: Size): readonly Tile[] {
  const rows = unit * Math.max(1, Math.floor(bandPixels / width / unit));
  return Array.from({ length: Math.ceil(height / rows) }, (_, i) => {
    const [from, to] = [i * rows, Math.min(height, (i + 1) * rows)];
    const top = Math.max(0, from - margin);
    const bottom = Math.min(height, to + margin);
    return {
      region: { left: 0, top, width, height: bottom - top },
      core: { left: 0, top: from - top, width, height: to - from },
    };
  });
}

function tileAt({ width, height }: Size, x: number, y: number): Tile {
  const [across, down] = [spanAt(width, x), spanAt(height, y)];
  return {
    region: { left: across.from, top: down.from, width: across.length, height: down.length },
    core: {
      left: across.core,
      top: down.core,
      width: across.coreLength,
      height: down.coreLength,
    },
  };
}

/** The span of a tile at a position; a side too short to be divided is used in full. */
function spanAt(side: number, position: number) {
  if (side < tileSide + unit) return { from: 0, length: side, core: 0, coreLength: side };
  const core = unit * Math.floor((clamped(position, 0, 1) * (side - coreSide)) / unit);
  // At the edges of the picture, a core has a margin only on the other side.
  const from = clamped(core - margin, 0, unit * Math.floor((side - tileSide) / unit));
  return { from, length: tileSide, core: core - from, coreLength: coreSide };
}

/**
 * The properties of a part of a picture that determine how encoding affects it, scaled so that equal steps matter
 * equally.
 */
interface Character {
  /** Difference of neighboring pixels, on a scale on which each step adds about the same loss. */
  readonly busy: number;
  /** Brightness, because errors are more visible in dark areas. */
  readonly light: number;
}

/** The properties of all parts of a picture, as means over cells. */
export class CharacterMap {
  readonly #columns: number;
  /** Side of a cell, in pixels of the given rows. */
  readonly #unit: number;
  readonly #differences: Float64Array;
  readonly #light: Float64Array;
  readonly #counts: Float64Array;

  /**
   * @param halvings number of halvings of the rows relative to the given size
   */
  constructor({ width, height }: Size, halvings: 0 | 1 = 0) {
    this.#unit = unit >> halvings;
    this.#columns = Math.ceil(width / unit);
    const cells = this.#columns * Math.ceil(height / unit);
    this.#differences = new Float64Array(cells);
    this.#light = new Float64Array(cells);
    this.#counts = new Float64Array(cells);
  }

  /** Takes a row of RGBA; only green in every fourth row is used, which is sufficient. */
  take(row: Uint8Array, y: number): void {
    if (y % 4 !== 0) return;
    const first = this.#columns * Math.floor(y / this.#unit);
    const step = 4 * this.#unit;
    for (let cell = first, from = 0; from < row.length - 8; cell += 1, from += step) {
      const end = Math.min(from + step, row.length - 4);
      let [differences, light] = [0, 0];
      for (let at = from + 1; at < end; at += 8) {
        const sample = row[at] ?? 0;
        differences += Math.abs(sample - (row[at + 4] ?? 0));
        light += sample;
      }
      this.#differences[cell] = (this.#differences[cell] ?? 0) + differences;
      this.#light[cell] = (this.#light[cell] ?? 0) + light;
      this.#counts[cell] = (this.#counts[cell] ?? 0) + (end - from) / 8;
    }
  }

  /** The properties of a part of the picture. */
  of({ left, top, width, height }: Region): Character {
    let [differences, light, count] = [0, 0, 0];
    const bottom = Math.ceil((top + height) / unit);
    const right = Math.ceil((left + width) / unit);
    for (let y = Math.floor(top / unit); y < bottom; y += 1) {
      for (
        let cell = y * this.#columns + Math.floor(left / unit);
        cell < y * this.#columns + right;
        cell += 1
      ) {
        differences += this.#differences[cell] ?? 0;
        light += this.#light[cell] ?? 0;
        count += this.#counts[cell] ?? 0;
      }
    }
    const per = Math.max(1, count);
    return { busy: Math.log2(0.5 + differences / per), light: light / per / lightStep };
  }
}

/** Levels of brightness that matter as much as a factor of two in the difference of neighboring pixels. */
const lightStep = 80;

/**
 * Chooses tiles that together represent the picture: parts are grouped by detail, one tile is chosen per group, and
 * each is weighted by the part of the picture it resembles most. Detailed parts lose most, so groups are balanced by
 * detail as well as by area, so that a few detailed parts among many flat ones get tiles of their own.
 * @param most maximum number of tiles
 */
export function representativeTiles(
  { width, height }: Size,
  places: readonly Tile[],
  map: CharacterMap,
  most: number,
): readonly WeightedTile[] {
  const parts: Character[] = [];
  for (let top = 0; top < height; top += coreSide) {
    for (let left = 0; left < width; left += coreSide) {
      const size = {
        width: Math.min(coreSide, width - left),
        height: Math.min(coreSide, height - top),
      };
      parts.push(map.of({ left, top, ...size }));
    }
  }
  parts.sort((a, b) => a.busy - b.busy);
  const offered = new Map(places.map((tile) => [tile, map.of(coreOf(tile))]));
  const chosen = new Map<Tile, Character>();
  for (const group of groupsOf(parts, Math.min(most, offered.size))) {
    // Not the one closest to the mean brightness, which is similar in all groups of flat parts.
    const middle = group[group.length >> 1];
    if (!middle) continue;
    const wanted = { busy: meanBusy(group), light: middle.light };
    let best: readonly [Tile, Character] | undefined;
    for (const one of offered) {
      if (!best || distance(one[1], wanted) < distance(best[1], wanted)) best = one;
    }
    if (!best) break;
    chosen.set(...best);
    offered.delete(best[0]);
  }
  return weighted([...chosen], parts);
}

/** The weight of area in balancing groups; the rest is the weight of detail. */
const areaShare = 0.6;

/** Divides parts into groups, flattest first; some groups may be empty. */
function groupsOf(parts: readonly Character[], count: number): readonly (readonly Character[])[] {
  const differences = parts.reduce((sum, { busy }) => sum + 2 ** busy, 0);
  const groups: Character[][] = Array.from({ length: count }, () => []);
  let before = 0;
  for (const part of parts) {
    const size = areaShare / parts.length + ((1 - areaShare) * 2 ** part.busy) / differences;
    groups[Math.min(count - 1, Math.floor((before + size / 2) * count))]?.push(part);
    before += size;
  }
  return groups;
}

function meanBusy(parts: readonly Character[]): number {
  return parts.reduce((sum, { busy }) => sum + busy, 0) / parts.length;
}

function distance(a: Character, b: Character): number {
  return Math.hypot(a.busy - b.busy, a.light - b.light);
}

/** A part is shared by several tiles if their distances differ by less than this. */
const sharedWithin = 0.5;

function weighted(
  chosen: readonly (readonly [Tile, Character])[],
  parts: readonly Character[],
): readonly WeightedTile[] {
  const weights = new Float64Array(chosen.length);
  for (const part of parts) {
    const distances = chosen.map(([, character]) => distance(character, part));
    const least = Math.min(...distances) + sharedWithin;
    const nearest = distances.filter((one) => one <= least).length;
    for (const [i, one] of distances.entries()) {
      if (one <= least) weights[i] = (weights[i] ?? 0) + 1 / (nearest * parts.length);
    }
  }
  return chosen.flatMap(([tile], i) => {
    const weight = weights[i] ?? 0;
    return weight > 0 ? [{ ...tile, weight }] : [];
  });
}

/** The core in pixels of the picture. */
function coreOf({ region, core }: Tile): Region {
  return { ...core, left: region.left + core.left, top: region.top + core.top };
}

function clamped(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value));
}
