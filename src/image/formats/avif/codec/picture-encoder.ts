import { ascii, joinBytes, uint32 } from '../../../container/assemble.ts';
import { freeMemory } from '../../../container/workspace.ts';
import type { Orientation } from '../../../metadata/exif-block.ts';
import { turnedSize, turnInPlace } from '../../../pixels/orientation.ts';
import { endRaster, type Raster, type Size, smoothHidden } from '../../../pixels/raster.ts';
import type { RowSource } from '../../../pixels/row-source.ts';
import { freedUnlessDone, type Slices } from '../../../slices.ts';
import { arena } from '../../../wasm/arena.ts';
import { NoRoomForResult } from '../../../wasm/codec.ts';
import type { Encoded, EncodingRun } from '../../coding.ts';
import { type CodedCell, layoutOf } from '../container/coded-cell.ts';
import { itemsOf } from '../container/grid.ts';
import { metadataItems } from '../container/metadata.ts';
import { withColor } from '../container/rewrap.ts';
import { avifParts } from '../container/writer.ts';
import { codedCell, codedWhite } from './cell-encoder.ts';
import { type Cells, columnsAtOnce, unturnedCells } from './cells.ts';
import { forEachCellOf, turnedIndex } from './cells-of-rows.ts';
import { cellPreparationMs } from './cpu.ts';
import { type AvifSettings, contentOf } from './settings.ts';

/** Settings for encoding rows. */
export interface AvifWish extends AvifSettings {
  readonly cells: Cells;
  /** Expected CPU time of coding a cell, in milliseconds. */
  readonly cellMs: number;
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
  const files: CodedCell[] = [];
  const parts = yield* freedUnlessDone(codedParts(files, rows, wish, run), () => {
    // The list may have holes.
    for (const file of files) {
      freeMemory(file?.color.data);
      freeMemory(file?.alpha?.data);
    }
  });
  return { parts, quality: wish.quality };
}

/** @param files receives the encoded cells */
function* codedParts(
  files: CodedCell[],
  rows: RowSource,
  wish: AvifWish,
  run: EncodingRun,
): Slices<readonly Uint8Array[]> {
  yield* addCodedCells(files, rows, wish, run);
  return yield* partsOf(files, turnedSize(rows, run.turn ?? 1), wish, run);
}

/** Encodes cells while rows are read, before rotation; each cell is rotated and put in its final position. */
function* addCodedCells(
  files: CodedCell[],
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
      const coded = yield* turnedCell(cell, turn, wish);
      files[turnedIndex(place, cells, turn)] = coded;
      bytes += coded.color.data.length + (coded.alpha?.data.length ?? 0);
      if (bytes > mostBytes) throw new NoRoomForResult('avif-encode');
    });
  }
}

/** The content of `hdlr` (ISO/IEC 14496-12 §8.4.3): a picture, without a name. */
export const pictureHandler = joinBytes(uint32(0, 0), ascii('pict'), new Uint8Array(13));

/** Assembles the file from its cells. */
function* partsOf(
  files: readonly CodedCell[],
  size: Size,
  wish: AvifWish,
  { appearance: { icc, metadata } }: EncodingRun,
): Slices<readonly Uint8Array[]> {
  const [first] = files;
  if (!first) throw new TypeError('a picture has at least one cell');
  const { columns, rows } = wish.cells;
  const isFull = layoutOf[contentOf(wish)] === '444';
  const { items, references } = itemsOf(yield* withAlphaOfAll(files, wish), {
    ...size,
    columns,
    rows,
  });
  const [picture, ...others] = items;
  const pictures = [{ ...picture, associations: withColor(picture.associations, icc) }, ...others];
  const added = metadataItems(metadata, picture.id, pictures);
  return avifParts(new Uint8Array(0), {
    brands: ['avif', 'avif', 'mif1', 'miaf', isFull ? 'MA1A' : 'MA1B'],
    handler: pictureHandler,
    primaryId: picture.id,
    items: [...pictures, ...added.items],
    references: [...references, ...added.references],
  });
}

/** Rotates and encodes a cell, and frees its pixels. */
function* turnedCell(cell: Raster, turn: Orientation, wish: AvifWish): Slices<CodedCell> {
  try {
    const upright = turnInPlace(cell, turn);
    if (turn !== 1) yield cellPreparationMs(cell);
    // The pixels may be modified, because the cell is freed afterwards.
    if (wish.hasAlpha && !wish.exact) {
      smoothHidden(upright);
      yield cellPreparationMs(cell);
    }
    const coded = codedCell(upright, wish, wish);
    yield wish.cellMs;
    return coded;
  } finally {
    endRaster(cell);
  }
}

/**
 * Ensures that either all cells have alpha or none: the encoder omits alpha for opaque cells, but an alpha grid must be
 * complete (MIAF §7.3.11.4.2).
 */
function* withAlphaOfAll(
  files: readonly CodedCell[],
  { cells }: AvifWish,
): Slices<readonly CodedCell[]> {
  if (files.every(({ alpha }) => alpha === null)) return files;
  if (files.every(({ alpha }) => alpha !== null)) return files;
  const size = { width: cells.cellWidth, height: cells.cellHeight };
  const white = codedWhite(size);
  yield cellPreparationMs(size);
  return files.map((file) => ({ ...file, alpha: file.alpha ?? white }));
}
