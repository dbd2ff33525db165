import { turnedSize } from '../../pixels/orientation.ts';
import type { PictureShape, Size } from '../../pixels/raster.ts';
import { type Coding, type RowEncoder, type Speed, type StripWork, usualSpeed } from '../coding.ts';
import {
  type Cells,
  cellsOf,
  cellUnit,
  columnsAtOnce,
  unturnedCells,
  type Widest,
} from './cells.ts';
import { avifEncoder } from './codec.ts';
import { avifEncodingMs } from './cpu.ts';
import { avifOfRows } from './encode-rows.ts';
import { heldBytes, plainEncodingBytes, plainSlack, resultBytes, widestCell } from './memory.ts';
import { type AvifSettings, hurriedSpeed } from './settings.ts';
import { type Survey, surveyOf } from './survey.ts';

/**
 * AVIF from rows of pixels. A photo is coded whole or in cells as large as memory allows for nearly all photos; where
 * one takes more, in cells for which there is enough, whatever they show. Where copies are looked for, memory runs out
 * within milliseconds if at all: then smaller cells are tried, and a lossy picture does without copies in the end.
 */
export function avifEncoders(shape: PictureShape, coding: Coding): readonly RowEncoder[] {
  const isThin = Math.min(shape.width, shape.height) < cellUnit;
  const small = (pixels: number) =>
    // a strip too thin for cells stays whole
    isThin ? [] : [encoderIn(shape, coding, { widest: (height) => pixels / height })];
  const large = encoderIn(shape, coding);
  const bounded = { ...large, maxBytes: Math.min(large.photoBytes, large.maxBytes) };
  if (coding.quality === 'lossless') {
    return isThin ? [large] : [bounded, ...small(512 * 512), ...small(256 * 256)];
  }
  const plain = { ...coding, isDrawn: false };
  const [roomy, safe] = [encoderIn(shape, plain, { slack: 1 }), encoderIn(shape, plain)];
  // a sample is coded with as much memory as it takes, so that its chroma is halved only where that of the picture is
  const isRoomier = coding.sampleOf !== undefined || roomy.photoBytes > safe.photoBytes;
  const photo = isRoomier ? [roomy, safe] : [safe];
  const first = coding.isDrawn
    ? [bounded, ...small(512 * 512), ...photo]
    : [...photo, ...small(512 * 512)];
  return isThin ? [...first, encoderIn(shape, plain, { isHalved: true })] : first;
}

/** How a picture is coded, with chroma halved or not. */
interface Way {
  readonly settings: AvifSettings;
  readonly cells: Cells;
}

/**
 * At 100 libaom quantizes nothing, and its usual speed looks for copies then whatever it is told, which takes 140 bytes
 * a pixel.
 */
function speedFor({ quality, speed = usualSpeed }: Coding): Speed {
  return quality === 100 && speed === usualSpeed ? 1 : speed;
}

/** What an encoder is bound to. */
interface Bounds {
  /** Absent: cells as wide as memory allows. */
  readonly widest?: Widest;
  /** Memory that those have, over what photos were measured to take; absent: enough for all pictures. */
  readonly slack?: number;
  /** Chroma is halved, whatever a survey would say: for what has no room for more. */
  readonly isHalved?: boolean;
}

function encoderIn(
  shape: PictureShape,
  coding: Coding,
  { widest, slack = plainSlack, isHalved = false }: Bounds = {},
): RowEncoder {
  const { quality, exact, isDrawn = false } = coding;
  const speed = speedFor(coding);
  const whole = coding.sampleOf ?? { shape, speed };
  const wayWith = (fullChroma: boolean, of = { shape, speed }): Way => {
    const settings = { quality, speed: of.speed, fullChroma, isDrawn };
    const widestHere = widest ?? ((height: number) => widestCell(height, settings, slack));
    return { settings, cells: cellsOf(of.shape, widestHere) };
  };
  const [full, halved] = [wayWith(true), wayWith(false)];
  // a sample is coded as its picture will be
  const needsFull =
    quality === 'lossless' || !mayBeHalved(whole.shape, wayWith(false, whole).cells);
  const ways = needsFull ? { full } : isHalved ? { halved } : { full, halved };
  const possible = Object.values(ways);
  const isSurveyed = quality !== 'lossless' && (possible.length > 1 || coding.isAutomatic === true);
  const most = (bytesOf: (way: Way) => number) => Math.max(...possible.map(bytesOf));
  const result = resultBytes(shape, { quality });
  return {
    photoBytes: most(({ settings, cells }) => plainEncodingBytes(cellSize(cells), settings)),
    maxBytes: most(({ settings, cells }) =>
      avifEncoder.arenaBytes({ ...cellSize(cells), hasAlpha: shape.hasAlpha }, settings),
    ),
    bufferBytes: result.photo,
    maxBufferBytes: result.max,
    strips: (turn) =>
      stripsOf(
        turnedSize(shape, turn),
        possible.map(({ cells }) => unturnedCells(cells, turn)),
      ),
    runs: isSurveyed ? 1 : 0,
    cpuMs: (detail) => avifEncodingMs(shape, { quality, speed, fullChroma: needsFull }, detail),
    encode: (rows, run) => {
      const { settings, cells } = isSurveyed
        ? wayFor(surveyOf(rows), coding, ways)
        : (ways.full ?? ways.halved);
      return avifOfRows(rows, { ...settings, cells, hasAlpha: shape.hasAlpha, exact }, run);
    },
  };
}

/**
 * Strips for any of these cells.
 * @param size of the picture as its rows come
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

/** The ways that there are to code a picture. */
type Ways =
  | { readonly full: Way; readonly halved?: Way }
  | { readonly full?: never; readonly halved: Way };

/**
 * Full chroma is for what halving would wash out, and for busy pictures, where it takes fewer bytes at equal
 * SSIMULACRA2 if there is the time for it: chroma is little beside their luma.
 */
function wayFor(
  { washedOut, lost, detail }: Survey,
  { speed = usualSpeed }: Coding,
  ways: Ways,
): Way {
  const { full, halved } = ways;
  if (!full) return halved;
  if (washedOut > maxWashedOut) return full;
  const isBusy = detail > busyDetail && lost > leastColor;
  if (halved && (!isBusy || speed >= hurriedSpeed)) return halved;
  return full;
}

/** Share of blocks that may be washed out. */
const maxWashedOut = 1 / 200;

/** Of twelve camera photos and Kodak's, those above take 0.88 to 1.00 of the bytes, those below 1.05 to 1.2. */
const busyDetail = 3.2;

/** In levels RMS: what loses no more than that by halving has hardly any color. */
const leastColor = 0.1;

function cellSize({ cellWidth: width, cellHeight: height }: Cells) {
  return { width, height };
}
