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
  const plain = { ...coding, isDrawn: false };
  const [roomy, safe] = [encoderIn(shape, plain, { slack: 1 }), encoderIn(shape, plain)];
  // A sample gets as much memory as it needs, so that its chroma is halved only if that of the picture is.
  const isRoomier = coding.sampleOf !== undefined || roomy.photoBytes > safe.photoBytes;
  const photo = isRoomier ? [roomy, safe] : [safe];
  const first = coding.isDrawn
    ? [bounded, ...small(512 * 512), ...photo]
    : [...photo, ...small(512 * 512)];
  return isThin ? [...first, encoderIn(shape, plain, { isHalved: true })] : first;
}

/** An encoding of a picture, with full or halved chroma. */
interface Way {
  readonly settings: AvifSettings;
  readonly cells: Cells;
}

/**
 * The speed to use. At quality 100, libaom does not quantize, and at its usual speed always searches for copies, which
 * takes 140 bytes per pixel.
 */
function speedFor({ quality, speed = usualSpeed }: Coding): Speed {
  return quality === 100 && speed === usualSpeed ? 1 : speed;
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
  const { quality, exact, isDrawn = false } = coding;
  const speed = speedFor(coding);
  const whole = coding.sampleOf ?? { shape, speed };
  const wayWith = (fullChroma: boolean, of = { shape, speed }): Way => {
    const settings = { quality, speed: of.speed, fullChroma, isDrawn };
    const widestHere = widest ?? ((height: number) => widestCell(height, settings, slack));
    return { settings, cells: cellsOf(of.shape, widestHere) };
  };
  const [full, halved] = [wayWith(true), wayWith(false)];
  // A sample is encoded like its picture.
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
    *encode(rows, run) {
      const { settings, cells } = isSurveyed
        ? wayFor(yield* surveyOf(rows), coding, ways)
        : (ways.full ?? ways.halved);
      return yield* avifOfRows(rows, { ...settings, cells, hasAlpha: shape.hasAlpha, exact }, run);
    },
  };
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

/** The possible encodings of a picture. */
type Ways =
  | { readonly full: Way; readonly halved?: Way }
  | { readonly full?: never; readonly halved: Way };

/**
 * Chooses full chroma if halving would wash colors out and, if there is time, for detailed pictures, in which it takes
 * fewer bytes at equal SSIMULACRA2 scores, because chroma is small compared with their luma.
 */
function wayFor(
  { washedOut, lost, detail }: Survey,
  { speed = usualSpeed }: Coding,
  ways: Ways,
): Way {
  const { full, halved } = ways;
  if (!full) return halved;
  if (washedOut > maxWashedOut) return full;
  const isBusy = detail > busyDetail && lost > colorlessError;
  if (halved && (!isBusy || speed >= hurriedSpeed)) return halved;
  return full;
}

/** Maximum share of blocks with washed-out colors. */
const maxWashedOut = 1 / 200;

/**
 * Detail above which full chroma takes fewer bytes: 0.88 to 1.00 of those of halved chroma, and 1.05 to 1.2 below, on
 * twelve camera photos and Kodak's.
 */
const busyDetail = 3.2;

/** Maximum RMS error of halving, in levels, of a picture with hardly any color. */
const colorlessError = 0.1;

function cellSize({ cellWidth: width, cellHeight: height }: Cells) {
  return { width, height };
}
