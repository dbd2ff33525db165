import {
  bytesPerRasterPixel,
  endRaster,
  type Raster,
  type Region,
  type Size,
} from '../pixels/raster.ts';
import {
  forEachRowOf,
  gathered,
  gatheredPart,
  type RowSource,
  rowsOf,
} from '../pixels/row-source.ts';
import type { Arena } from '../wasm/arena.ts';
import { arenaCeiling } from '../wasm/memory-ledger.ts';
import { ScorePool, scoringBytes } from './ssimulacra2.ts';
import {
  allPlaces,
  CharacterMap,
  heldPlaces,
  representativeTiles,
  type Tile,
  tilePlaces,
  type WeightedTile,
  wholeTile,
} from './tiles.ts';

/** Heights of tiles in a mosaic are multiples of this, so that each begins with a block of its own in every format. */
const slotUnit = 32;

/** Tiles of a picture one below the other, as a picture by itself, in which they can be coded together. */
export interface Mosaic {
  readonly tiles: readonly WeightedTile[];
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  /** Of a tile, with the rows that fill it up. */
  readonly slotHeight: number;
}

/** The mosaic of tiles that are all of one size. */
export function mosaicOf(tiles: readonly WeightedTile[]): Mosaic {
  const [first] = tiles;
  if (!first) throw new TypeError('a mosaic has at least one tile');
  const { width, height } = first.region;
  // a single one needs no filling
  const slotHeight = tiles.length === 1 ? height : slotUnit * Math.ceil(height / slotUnit);
  return { tiles, width, height: slotHeight * tiles.length, slotHeight };
}

/** A mosaic with its pixels. */
export interface Sample {
  readonly mosaic: Mosaic;
  readonly raster: Raster;
}

/**
 * How a sample is taken: the whole picture is one tile; or tiles are chosen among many places in a first run through
 * the picture and taken in a second; or, where that takes too long, all of few places are held in a single run. Of
 * a file that parts can be cut out of, pixels are those of the parts.
 */
export type Sampling =
  | { readonly kind: 'whole' }
  | { readonly kind: 'two-runs' | 'one-run' | 'cut-out'; readonly tiles: number };

/** A sample, or no more than a band of the picture as a single tile. */
export type Taking = Sampling | { readonly kind: 'band'; readonly tile: Tile };

/** Looks through a picture and takes a sample of it that is as busy as the whole. */
export function sampleOf(rows: RowSource, sampling: Taking): Sample {
  if (sampling.kind === 'whole') {
    const mosaic = mosaicOf([{ ...wholeTile(rows), weight: 1 }]);
    const raster = gathered(rows);
    return { mosaic, raster };
  }
  if (sampling.kind === 'band') {
    const { tile } = sampling;
    const raster = gatheredPart(rows, tile.region.top, tile.region.height);
    return { mosaic: mosaicOf([{ ...tile, weight: 1 }]), raster };
  }
  const { tiles, kind } = sampling;
  if (kind === 'one-run') return heldSample(rows, tiles);
  const mosaic = chosenMosaic(rows, rows, 0, tiles);
  const chosen = new Gatherer(mosaic.tiles);
  rows.start();
  for (let y = 0; y < chosen.end; y += 1) chosen.take(rows.next(), y);
  return { mosaic, raster: chosen.mosaicWith(mosaic) };
}

function heldSample(rows: RowSource, tiles: number): Sample {
  const places = tilePlaces(rows, heldPlaces);
  const map = new CharacterMap(rows);
  const held = new Gatherer(places);
  forEachRowOf(rows, (row, y) => {
    map.take(row, y);
    held.take(row, y);
  });
  const mosaic = mosaicOf(representativeTiles(rows, places, map, tiles));
  return { mosaic, raster: held.mosaicWith(mosaic) };
}

/**
 * Looks through a picture and chooses tiles that are as busy as the whole, without their pixels.
 * @param rows of the picture, or of a half of its sides
 * @param size of the picture
 * @param halvings times that the sides of the rows are halved
 */
export function chosenMosaic(rows: RowSource, size: Size, halvings: 0 | 1, tiles: number): Mosaic {
  const map = new CharacterMap(size, halvings);
  forEachRowOf(rows, (row, y) => map.take(row, y));
  return mosaicOf(representativeTiles(size, allPlaces(size), map, tiles));
}

/** Bytes of buffers that a sample takes while it is taken. */
export function sampleBytes(size: Size, sampling: Taking): number {
  if (sampling.kind === 'whole') return bytesPerRasterPixel * size.width * size.height;
  if (sampling.kind === 'band') {
    return bytesPerRasterPixel * size.width * sampling.tile.region.height;
  }
  const { tiles, kind } = sampling;
  const [first] = tilePlaces(size, 1);
  const { width = 0, height = 0 } = first?.region ?? {};
  const bytes = bytesPerRasterPixel * width * (height + slotUnit);
  return bytes * (tiles + (kind === 'one-run' ? heldPlaces : tiles));
}

/** Keeps the pixels of tiles while rows flow past. */
class Gatherer {
  readonly #rasters: Map<Region, Uint8ClampedArray<ArrayBuffer>>;

  constructor(tiles: readonly Tile[]) {
    this.#rasters = new Map(
      tiles.map(({ region }) => [
        region,
        new Uint8ClampedArray(bytesPerRasterPixel * region.width * region.height),
      ]),
    );
  }

  /** Behind the last row of any tile. */
  get end(): number {
    return Math.max(0, ...[...this.#rasters.keys()].map(({ top, height }) => top + height));
  }

  take(row: Uint8Array, y: number): void {
    for (const [{ left, top, width, height }, data] of this.#rasters) {
      if (y < top || y >= top + height) continue;
      const part = row.subarray(bytesPerRasterPixel * left, bytesPerRasterPixel * (left + width));
      data.set(part, bytesPerRasterPixel * width * (y - top));
    }
  }

  /** Puts tiles into a mosaic, and ends those that have no place in it. */
  mosaicWith({ tiles, width, height, slotHeight }: Mosaic): Raster {
    const data = new Uint8ClampedArray(bytesPerRasterPixel * width * height);
    const rowBytes = bytesPerRasterPixel * width;
    for (const [i, { region }] of tiles.entries()) {
      const tile = this.#rasters.get(region) ?? new Uint8ClampedArray(0);
      const at = i * slotHeight * rowBytes;
      data.set(tile, at);
      // rows that fill the slot up repeat the last
      for (let y = region.height; y < slotHeight; y += 1) {
        data.copyWithin(
          at + y * rowBytes,
          at + (region.height - 1) * rowBytes,
          at + region.height * rowBytes,
        );
      }
    }
    for (const tile of this.#rasters.values()) tile.buffer.transfer(0);
    return { width, height, data };
  }
}

/**
 * SSIMULACRA2 of a picture, by a sample of it and the same tiles as they were coded.
 * @param memory in which nothing else runs
 * @returns null if tiles are too small to have one
 */
export function scoreOf(
  sample: Sample,
  coded: Raster,
  hasAlpha: boolean,
  memory: Arena,
): number | null {
  const pool = new ScorePool(hasAlpha);
  addErrors(pool, sample, coded, hasAlpha, memory);
  return pool.score;
}

/** Adds the errors of a sample to those of others. */
export function addErrors(
  pool: ScorePool,
  { mosaic, raster }: Sample,
  coded: Raster,
  hasAlpha: boolean,
  memory: Arena,
): void {
  // what is so wide that this does not do has no score
  memory.reserve(Math.min(arenaCeiling, scoringBytes(mosaic.width, hasAlpha)));
  for (const [i, { region, core, weight }] of mosaic.tiles.entries()) {
    const top = i * mosaic.slotHeight;
    pool.add(
      rowsOf(partOf(raster, top, region.height)),
      rowsOf(partOf(coded, top, region.height)),
      core,
      memory,
      weight,
    );
  }
}

/** So many rows of a raster, from that one on. */
function partOf({ width, data }: Raster, top: number, height: number): Raster {
  const rowBytes = bytesPerRasterPixel * width;
  return { width, height, data: data.subarray(rowBytes * top, rowBytes * (top + height)) };
}

/** Gives the memory of a sample back. */
export function endSample({ raster }: Sample): void {
  endRaster(raster);
}
