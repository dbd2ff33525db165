import { freeMemory } from '../container/workspace.ts';
import {
  bytesPerRasterPixel,
  endRaster,
  type Raster,
  type Region,
  type Size,
} from '../pixels/raster.ts';
import {
  forEachRowOf,
  forFirstRowsOf,
  gathered,
  gatheredPart,
  type RowSource,
  rowsOf,
} from '../pixels/row-source.ts';
import type { Slices } from '../slices.ts';
import type { Arena } from '../wasm/arena.ts';
import { arenaCeiling } from '../wasm/budgets.ts';
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

/** Slot heights are multiples of this, so that each tile starts at a block boundary in every format. */
const slotUnit = 32;

/** Tiles of a picture, one below the other, combined into a picture so that they can be encoded together. */
export interface Mosaic {
  readonly tiles: readonly WeightedTile[];
  /** Size in pixels. */
  readonly width: number;
  readonly height: number;
  /** Height of a tile including its padding rows. */
  readonly slotHeight: number;
}

/** The mosaic of tiles of equal size. */
function mosaicOf(tiles: readonly WeightedTile[]): Mosaic {
  const [first] = tiles;
  if (!first) throw new TypeError('a mosaic has at least one tile');
  const { width, height } = first.region;
  // A single tile needs no padding.
  const slotHeight = tiles.length === 1 ? height : slotUnit * Math.ceil(height / slotUnit);
  return { tiles, width, height: slotHeight * tiles.length, slotHeight };
}

/** A mosaic with its pixels. */
export interface Sample {
  readonly mosaic: Mosaic;
  readonly raster: Raster;
}

/**
 * How a sample is taken: the whole picture as one tile; tiles chosen among many places in one pass through the picture
 * and copied in a second; or, if that takes too long, all tiles of a few places held in a single pass. If parts can be
 * cut out of the file, the pixels are those of the parts.
 */
export type Sampling =
  | { readonly kind: 'whole' }
  | { readonly kind: 'two-runs' | 'one-run' | 'cut-out'; readonly tiles: number };

/** How a sample is taken, or a band of the picture as a single tile. */
export type Taking = Sampling | { readonly kind: 'band'; readonly tile: Tile };

/**
 * Takes a sample of a picture that is representative of its detail.
 * @param areHeld whether the rows are held, so that they are read twice rather than copied: the sample is the same
 */
export function* sampleOf(rows: RowSource, sampling: Taking, areHeld = false): Slices<Sample> {
  if (sampling.kind === 'whole') {
    const mosaic = mosaicOf([{ ...wholeTile(rows), weight: 1 }]);
    const raster = yield* gathered(rows);
    return { mosaic, raster };
  }
  if (sampling.kind === 'band') {
    const { tile } = sampling;
    const raster = yield* gatheredPart(rows, tile.region.top, tile.region.height);
    return { mosaic: mosaicOf([{ ...tile, weight: 1 }]), raster };
  }
  const { tiles, kind } = sampling;
  if (kind === 'one-run' && !areHeld) return yield* heldSample(rows, tiles);
  const places = kind === 'one-run' ? tilePlaces(rows, heldPlaces) : allPlaces(rows);
  const mosaic = yield* chosenMosaic(rows, rows, 0, tiles, places);
  const chosen = new Gatherer(mosaic.tiles);
  yield* forFirstRowsOf(rows, chosen.end, (row, y) => chosen.take(row, y));
  return { mosaic, raster: chosen.mosaicWith(mosaic) };
}

function* heldSample(rows: RowSource, tiles: number): Slices<Sample> {
  const places = tilePlaces(rows, heldPlaces);
  const map = new CharacterMap(rows);
  const held = new Gatherer(places);
  yield* forEachRowOf(rows, (row, y) => {
    map.take(row, y);
    held.take(row, y);
  });
  const mosaic = mosaicOf(representativeTiles(rows, places, map, tiles));
  return { mosaic, raster: held.mosaicWith(mosaic) };
}

/**
 * Chooses tiles that are representative of the detail in a picture, without copying their pixels.
 * @param rows rows of the picture, possibly at half size
 * @param size size of the picture
 * @param halvings number of halvings of the rows
 * @param places to choose them from
 */
export function* chosenMosaic(
  rows: RowSource,
  size: Size,
  halvings: 0 | 1,
  tiles: number,
  places: readonly Tile[] = allPlaces(size),
): Slices<Mosaic> {
  const map = new CharacterMap(size, halvings);
  yield* forEachRowOf(rows, (row, y) => map.take(row, y));
  return mosaicOf(representativeTiles(size, places, map, tiles));
}

/** Bytes of buffers while a sample is taken; see `sampleOf`. */
export function sampleBytes(size: Size, sampling: Taking, areHeld = false): number {
  if (sampling.kind === 'whole') return bytesPerRasterPixel * size.width * size.height;
  if (sampling.kind === 'band') {
    return bytesPerRasterPixel * size.width * sampling.tile.region.height;
  }
  const { tiles, kind } = sampling;
  const [first] = tilePlaces(size, 1);
  const { width = 0, height = 0 } = first?.region ?? {};
  const bytes = bytesPerRasterPixel * width * (height + slotUnit);
  return bytes * (tiles + (kind === 'one-run' && !areHeld ? heldPlaces : tiles));
}

/** Copies the pixels of tiles from a stream of rows. */
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

  /** The row after the last tile. */
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

  /** Combines tiles into a mosaic, and frees all others. */
  mosaicWith({ tiles, width, height, slotHeight }: Mosaic): Raster {
    const data = new Uint8ClampedArray(bytesPerRasterPixel * width * height);
    const rowBytes = bytesPerRasterPixel * width;
    for (const [i, { region }] of tiles.entries()) {
      const tile = this.#rasters.get(region) ?? new Uint8ClampedArray(0);
      const at = i * slotHeight * rowBytes;
      data.set(tile, at);
      // Padding rows repeat the last row.
      for (let y = region.height; y < slotHeight; y += 1) {
        data.copyWithin(
          at + y * rowBytes,
          at + (region.height - 1) * rowBytes,
          at + region.height * rowBytes,
        );
      }
    }
    for (const tile of this.#rasters.values()) freeMemory(tile);
    return { width, height, data };
  }
}

/**
 * SSIMULACRA2 score of a picture, from a sample and the same tiles after encoding.
 * @param memory an otherwise unused arena
 * @returns null if tiles are too small to have one
 */
export function* scoreOf(
  sample: Sample,
  coded: Raster,
  hasAlpha: boolean,
  memory: Arena,
): Slices<number | null> {
  const pool = new ScorePool(hasAlpha);
  yield* addErrors(pool, sample, coded, hasAlpha, memory);
  return pool.score;
}

/** Adds the errors of a sample to a pool. */
export function* addErrors(
  pool: ScorePool,
  { mosaic, raster }: Sample,
  coded: Raster,
  hasAlpha: boolean,
  memory: Arena,
): Slices<void> {
  for (const [i, { region, core, weight }] of mosaic.tiles.entries()) {
    // If a picture is too wide for this, it has no score.
    memory.reserve(Math.min(arenaCeiling, scoringBytes(region, hasAlpha, core)));
    const top = i * mosaic.slotHeight;
    yield* pool.add(
      rowsOf(partOf(raster, top, region.height)),
      rowsOf(partOf(coded, top, region.height)),
      core,
      memory,
      weight,
    );
  }
}

/** A view of `height` rows of a raster. */
function partOf({ width, data }: Raster, top: number, height: number): Raster {
  const rowBytes = bytesPerRasterPixel * width;
  return { width, height, data: data.subarray(rowBytes * top, rowBytes * (top + height)) };
}

/** Frees the memory of a sample. */
export function endSample({ raster }: Sample): void {
  endRaster(raster);
}
