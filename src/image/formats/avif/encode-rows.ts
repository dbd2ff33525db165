import { freeMemory } from '../../container/workspace.ts';
import type { Orientation } from '../../metadata/exif-block.ts';
import { turnedSize, turnInPlace } from '../../pixels/orientation.ts';
import { endRaster, type Raster, type Size, smoothHidden } from '../../pixels/raster.ts';
import type { RowSource } from '../../pixels/row-source.ts';
import { freedUnlessDone, type Slices } from '../../slices.ts';
import { arena } from '../../wasm/arena.ts';
import { NoRoomForResult } from '../../wasm/codec.ts';
import type { Encoded, EncodingRun } from '../coding.ts';
import { type Cells, columnsAtOnce, unturnedCells } from './cells.ts';
import { forEachCellOf, turnedIndex } from './cells-of-rows.ts';
import { avifEncoder, encodedWhite } from './codec.ts';
import { type CellFile, type CodedPlanes, readCell } from './coded-cell.ts';
import { cellMs, cellPreparationMs } from './cpu.ts';
import { itemsOf } from './grid.ts';
import { metadataItems } from './metadata.ts';
import { withColor, writtenBrands } from './rewrap.ts';
import type { AvifSettings } from './settings.ts';
import { avifParts } from './writer.ts';

/** Settings for encoding rows. */
export interface AvifWish extends AvifSettings {
  readonly cells: Cells;
  /** Whether pixels may be transparent; whether some are is determined while encoding. */
  readonly hasAlpha: boolean;
  /** Whether the invisible colors of fully transparent pixels are kept as well. */
  readonly exact: boolean;
}

/**
 * Encodes rows of pixels as AVIF. One row of cells is held at a time, or as many of its columns as fit, and each cell
 * is encoded separately; encoded cells are held until all are complete.
 *
 * @param run resources; its memory has to be the main arena
 * @throws CodecError if it takes more memory than is available; also whatever reading the rows throws
 */
export function* avifOfRows(rows: RowSource, wish: AvifWish, run: EncodingRun): Slices<Encoded> {
  if (run.memory !== arena) throw new TypeError('the codec runs in the arena');
  const files: CellFile[] = [];
  const parts = yield* freedUnlessDone(codedParts(files, rows, wish, run), () => {
    // The list may have holes.
    for (const file of files) if (file) freeMemory(file.color.data);
  });
  return { parts, quality: wish.quality };
}

/** @param files receives the encoded cells */
function* codedParts(
  files: CellFile[],
  rows: RowSource,
  wish: AvifWish,
  run: EncodingRun,
): Slices<readonly Uint8Array[]> {
  yield* addCodedCells(files, rows, wish, run);
  return yield* partsOf(files, turnedSize(rows, run.turn ?? 1), wish, run);
}

/** Encodes cells while rows are read, before rotation; each cell is rotated and put in its final position. */
function* addCodedCells(
  files: CellFile[],
  rows: RowSource,
  wish: AvifWish,
  { turn = 1, maxBytes, bufferBytes }: EncodingRun,
): Slices<void> {
  const { cells } = wish;
  const mostBytes = Math.min(maxBytes, bufferBytes);
  const unturned = unturnedCells(cells, turn);
  const atOnce = columnsAtOnce(rows, unturned);
  let bytes = 0;
  for (let first = 0; first < unturned.columns; first += atOnce) {
    const columns = { first, end: Math.min(first + atOnce, unturned.columns) };
    yield* forEachCellOf(rows, cells, turn, columns, function* (cell, place) {
      const file = yield* codedCell(cell, turn, wish);
      files[turnedIndex(place, cells, turn)] = withCommonColor(readCell(file));
      bytes += file.length;
      if (bytes > mostBytes) throw new NoRoomForResult('avif-encode');
    });
  }
}

/** Assembles the file from its cells. */
function* partsOf(
  files: readonly CellFile[],
  size: Size,
  wish: AvifWish,
  { appearance: { icc, metadata } }: EncodingRun,
): Slices<readonly Uint8Array[]> {
  const [first] = files;
  if (!first) throw new TypeError('a picture has at least one cell');
  const { columns, rows } = wish.cells;
  const { items, references } = itemsOf(yield* withAlphaOfAll(files, wish), {
    ...size,
    columns,
    rows,
  });
  const [picture, ...others] = items;
  const pictures = [{ ...picture, associations: withColor(picture.associations, icc) }, ...others];
  const added = metadataItems(metadata, picture.id, pictures);
  return avifParts(new Uint8Array(0), {
    brands: writtenBrands(first.brands),
    handler: first.handler,
    primaryId: picture.id,
    items: [...pictures, ...added.items],
    references: [...references, ...added.references],
  });
}

/** A cell with the color description of the grid. */
function withCommonColor(file: CellFile): CellFile {
  const { color } = file;
  return { ...file, color: { ...color, associations: withColor(color.associations, null) } };
}

/** Rotates and encodes a cell, and frees its pixels. */
function* codedCell(
  cell: Raster,
  turn: Orientation,
  wish: AvifWish,
): Slices<Uint8Array<ArrayBuffer>> {
  try {
    const upright = turnInPlace(cell, turn);
    if (turn !== 1) yield cellPreparationMs(cell);
    // The pixels may be modified, because the cell is freed afterwards.
    if (wish.hasAlpha && !wish.exact) {
      smoothHidden(upright);
      yield cellPreparationMs(cell);
    }
    const file = avifEncoder.encode(upright, wish);
    yield cellMs(upright, wish);
    return file;
  } finally {
    endRaster(cell);
  }
}

/**
 * Ensures that either all cells have alpha or none: the encoder omits alpha for opaque cells, but an alpha grid must be
 * complete (MIAF §7.3.11.4.2).
 */
function* withAlphaOfAll(
  files: readonly CellFile[],
  { cells }: AvifWish,
): Slices<readonly CellFile[]> {
  const transparent = files.find(({ alpha }) => alpha !== null)?.alpha;
  if (!transparent || files.every(({ alpha }) => alpha !== null)) return files;
  const alpha = opaqueAlpha(transparent, cells);
  yield cellPreparationMs({ width: cells.cellWidth, height: cells.cellHeight });
  return files.map((file) => ({ ...file, alpha: file.alpha ?? alpha }));
}

/** Alpha for an opaque cell, with the properties of another cell's alpha. */
function opaqueAlpha(
  { associations }: CodedPlanes,
  { cellWidth: width, cellHeight: height }: Cells,
): CodedPlanes {
  const { color } = readCell(encodedWhite({ width, height }));
  const configuration = color.associations.find(({ property }) => property.type === 'av1C');
  return {
    data: color.data,
    associations: associations.map((one) =>
      one.property.type === 'av1C' ? (configuration ?? one) : one,
    ),
  };
}
