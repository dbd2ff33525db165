import { turnedSize } from '../../../pixels/orientation.ts';
import type { PictureShape, Size } from '../../../pixels/raster.ts';
import {
  type Coding,
  type Detail,
  type RowEncoder,
  type StripWork,
  usualSpeed,
} from '../../coding.ts';
import type { Quality } from '../../inspection.ts';
import type { Chroma } from '../container/coded-cell.ts';
import {
  type Cells,
  cellsOf,
  cellUnit,
  columnsAtOnce,
  largestCell,
  unturnedCells,
  type Widest,
} from './cells.ts';
import { avifEncodingMs } from './cpu.ts';
import {
  encodingBytes,
  heldBytes,
  plainEncodingBytes,
  plainSlack,
  resultBytes,
  widestCell,
} from './memory.ts';
import { avifOfRows } from './picture-encoder.ts';
import { type AvifSettings, hurriedSpeed, type Kind, kindOf } from './settings.ts';
import { type Survey, smoothDetail, surveyOf } from './survey.ts';

/**
 * The encoders for rows of pixels. A photo is encoded as a whole, or in the largest cells for which memory suffices
 * with nearly all photos; if one takes more, in cells for which memory always suffices. If the search for copies runs
 * out of memory, it does so within milliseconds: then smaller cells are tried, and finally a lossy encoding without
 * that search.
 */
export function avifEncoders(shape: PictureShape, coding: Coding): readonly RowEncoder[] {
  const isThin = Math.min(shape.width, shape.height) < cellUnit;
  const small = (pixels: number) =>
    // A picture too thin for cells stays whole.
    isThin ? [] : [encoderIn(shape, coding, { widest: (height) => pixels / height })];
  const large = encoderIn(shape, coding);
  const bounded = { ...large, maxBytes: Math.min(large.photoBytes, large.maxBytes) };
  if (coding.quality === 'lossless') {
    return isThin ? [large] : [bounded, ...small(512 * 512), ...small(256 * 256)];
  }
  const plain = { ...coding, detail: { ...detailOf(coding), isDrawn: false } };
  const [roomy, safe] = [encoderIn(shape, plain, { slack: 1 }), encoderIn(shape, plain)];
  // A sample gets as much memory as it needs, so that its chroma is halved only if that of the picture is.
  const isRoomier = coding.sampleOf !== undefined || roomy.photoBytes > safe.photoBytes;
  const photo = isRoomier ? [roomy, safe] : [safe];
  const first = detailOf(coding).isDrawn
    ? [bounded, ...small(512 * 512), ...photo]
    : [...photo, ...small(512 * 512)];
  return isThin ? [...first, encoderIn(shape, plain, { isHalved: true })] : first;
}

/** A photo with detail nearly everywhere. */
const photo: Detail = { density: 0.25, isDrawn: false };

function detailOf({ detail = photo }: Coding): Detail {
  return detail;
}

/** An encoding of a picture. */
interface Way {
  readonly settings: AvifSettings;
  readonly cells: Cells;
}

/** The constraints of an encoder. */
interface Bounds {
  /** Maximum width of cells; absent if only memory limits it. */
  readonly widest?: Widest;
  /** Memory relative to measured photos; absent to provide enough for all pictures. */
  readonly slack?: number;
  /** Whether chroma is always halved, because there is no memory for full chroma. */
  readonly isHalved?: boolean;
}

function encoderIn(
  shape: PictureShape,
  coding: Coding,
  { widest, slack = plainSlack, isHalved = false }: Bounds = {},
): RowEncoder {
  const { quality, exact, speed = usualSpeed } = coding;
  const whole = coding.sampleOf ?? { shape, speed };
  const wayWith = (chroma: Chroma, kind: Kind, of = { shape, speed }): Way => {
    const settings = { quality, speed: of.speed, chroma, kind };
    const pixels = largestCell(of.shape);
    const widestHere =
      widest ?? ((height) => Math.min(widestCell(height, settings, slack), pixels / height));
    return { settings, cells: cellsOf(of.shape, widestHere) };
  };
  // A sample is encoded like its picture.
  const isPossible = (chroma: Chroma, kind: Kind) =>
    chroma !== 'halved' || mayBeHalved(whole.shape, wayWith(chroma, kind, whole).cells);
  const likely = kindOf(detailOf(coding));
  const kinds: readonly Kind[] = likely === 'detailed' ? ['detailed', 'smooth'] : [likely];
  const chromas = chromasFor(quality, isHalved);
  const ways = kinds.flatMap((kind) =>
    chromas.filter((chroma) => isPossible(chroma, kind)).map((chroma) => wayWith(chroma, kind)),
  );
  const most = (bytesOf: (way: Way) => number) => Math.max(...ways.map(bytesOf));
  const result = resultBytes(shape, { quality });
  const isFull = ways.every(({ settings: { chroma } }) => chroma !== 'halved');
  return {
    photoBytes: most(({ settings, cells }) => plainEncodingBytes(cellSize(cells), settings)),
    maxBytes: most(({ settings, cells }) => encodingBytes(cellSize(cells), settings)),
    bufferBytes: result.photo,
    maxBufferBytes: result.max,
    strips: (turn) =>
      stripsOf(
        turnedSize(shape, turn),
        ways.map(({ cells }) => unturnedCells(cells, turn)),
      ),
    runs: 1,
    cpuMs: (detail) => avifEncodingMs(shape, { quality, speed, isFull }, detail),
    *encode(rows, run) {
      const { settings, cells } = wayFor(yield* surveyOf(rows), ways);
      const { hasAlpha } = shape;
      const cell = { ...cellSize(cells), hasAlpha };
      const cellMs = avifEncodingMs(cell, { quality, speed, isFull }, detailOf(coding));
      return yield* avifOfRows(rows, { ...settings, cells, cellMs, hasAlpha, exact }, run);
    },
  };
}

/** @param isHalved see `Bounds` */
function chromasFor(quality: Quality, isHalved: boolean): readonly Chroma[] {
  if (quality === 'lossless') return ['none', 'full'];
  return isHalved ? ['none', 'halved'] : ['none', 'halved', 'full'];
}

/**
 * Strips that suit any of these cells.
 * @param size size of the picture before rotation
 */
function stripsOf(size: Size, possible: readonly Cells[]): StripWork {
  const most = (of: (cells: Cells) => number) => Math.max(...possible.map(of));
  return {
    rows: Math.min(...possible.map(({ cellHeight }) => cellHeight)),
    heldBytes: most((cells) => heldBytes(size, cells)),
    runs: most((cells) => Math.ceil(cells.columns / columnsAtOnce(size, cells))),
  };
}

/** With halved chroma, a grid has to have even sides (MIAF §7.3.11.4.2). */
function mayBeHalved({ width, height }: PictureShape, { columns, rows }: Cells): boolean {
  return columns * rows === 1 || ((width | height) & 1) === 0;
}

/**
 * Chooses by the pixels. Full chroma is for pictures whose colors halving would wash out and, if there is time, for
 * detailed ones, in which it takes fewer bytes at equal SSIMULACRA2 scores, because chroma is small compared with their
 * luma.
 */
function wayFor({ washedOut, lost, isGrey, detail }: Survey, ways: readonly Way[]): Way {
  const isSmooth =
    detail < smoothDetail || ways.every(({ settings }) => settings.kind === 'smooth');
  const isOfKind = ({ settings: { kind } }: Way) =>
    kind === 'drawn' || (kind === 'smooth') === isSmooth;
  const way = (wanted: Chroma) =>
    ways.find((one) => one.settings.chroma === wanted && isOfKind(one));
  const [none, halved, full] = [way('none'), way('halved'), way('full')];
  const isBusy = (settings: AvifSettings) =>
    detail > smoothDetail &&
    lost > colorlessError &&
    settings.kind !== 'smooth' &&
    settings.speed < hurriedSpeed;
  const isFull = full && (!halved || washedOut > maxWashedOut || isBusy(full.settings));
  const chosen = isGrey ? none : isFull ? full : halved;
  if (!chosen) throw new TypeError('there is an encoding with and without chroma');
  return chosen;
}

/** Maximum share of blocks with washed-out colors. */
const maxWashedOut = 1 / 200;

/** Maximum RMS error of halving, in levels, of a picture with hardly any color. */
const colorlessError = 0.1;

function cellSize({ cellWidth: width, cellHeight: height }: Cells) {
  return { width, height };
}
