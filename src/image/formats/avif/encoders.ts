import type { PictureShape } from '../../pixels/raster.ts';
import { type Coding, type RowEncoder, type Speed, usualSpeed } from '../format.ts';
import { type Cells, cellsOf, cellUnit } from './cells.ts';
import { avifEncoder } from './codec.ts';
import { avifEncodingMs } from './cpu.ts';
import { avifOfRows } from './encode-rows.ts';
import { heldBytes, maxPhotoPixels, photoEncodingBytes, resultBytes } from './memory.ts';
import type { AvifSettings } from './settings.ts';
import { type Survey, surveyOf } from './survey.ts';

/** Pixels of the cells that are tried where a photo's run out of memory. */
const smallCells = [512 * 512, 256 * 256];

/**
 * AVIF from rows of pixels. A photo is coded whole or in large cells, and given what photos take. Screen content
 * runs out of that within milliseconds, and gets cells so small that the ceiling is enough for it.
 */
export function avifEncoders(shape: PictureShape, coding: Coding): readonly RowEncoder[] {
  const large = encoderIn(shape, coding, Number.POSITIVE_INFINITY);
  const encoders = [
    { ...large, maxBytes: Math.min(large.photoBytes, large.maxBytes) },
    ...smallCells.map((maxPixels) => encoderIn(shape, coding, maxPixels)),
  ];
  if (coding.quality === 'lossless' || !isThin(shape)) return encoders;
  return [...encoders, encoderIn(shape, coding, Number.POSITIVE_INFINITY, true)];
}

/** A long strip that has to stay whole may have no room but for halved chroma. */
function isThin({ width, height }: PictureShape): boolean {
  return Math.min(width, height) < cellUnit;
}

/** How a picture is coded, with chroma halved or not. */
interface Way {
  readonly settings: AvifSettings;
  readonly cells: Cells;
}

/**
 * @param maxPixels of a cell
 * @param isHalved chroma is, whatever a survey would say
 */
function encoderIn(
  shape: PictureShape,
  coding: Coding,
  maxPixels: number,
  isHalved = false,
): RowEncoder {
  const { quality, exact, speed = usualSpeed } = coding;
  const wayWith = (fullChroma: boolean): Way => {
    const settings = { quality, speed, fullChroma };
    return { settings, cells: cellsOf(shape, Math.min(maxPixels, maxPhotoPixels(settings))) };
  };
  const [full, halved] = [wayWith(true), wayWith(false)];
  const needsFull = quality === 'lossless' || !mayBeHalved(shape, halved.cells);
  const chosen = needsFull ? full : isHalved ? halved : null;
  const ways = chosen ? [chosen] : [full, halved];
  const most = (bytesOf: (way: Way) => number) => Math.max(...ways.map(bytesOf));
  const result = resultBytes(shape, { quality });
  const maxCell = ({ settings, cells }: Way) =>
    avifEncoder.arenaBytes({ ...cellSize(cells), hasAlpha: shape.hasAlpha }, settings);
  return {
    photoBytes: most(({ settings, cells }) => photoEncodingBytes(cellSize(cells), settings)),
    maxBytes: most(maxCell),
    bufferBytes: result.photo,
    maxBufferBytes: result.max,
    strips: {
      rows: Math.min(...ways.map(({ cells }) => cells.cellHeight)),
      heldBytes: most(({ cells }) => heldBytes(shape, cells)),
    },
    runs: chosen ? 1 : 2,
    cpuMs: (detail) => avifEncodingMs(shape, { quality, speed }, detail),
    encode: (rows, run) => {
      const { settings, cells } = chosen ?? wayFor(surveyOf(rows), coding, full, halved);
      return avifOfRows(rows, { ...settings, cells, hasAlpha: shape.hasAlpha, exact }, run);
    },
  };
}

/** With halved chroma, a grid has to have even sides (MIAF §7.3.11.4.2). */
function mayBeHalved({ width, height }: PictureShape, { columns, rows }: Cells): boolean {
  return columns * rows === 1 || ((width | height) & 1) === 0;
}

/**
 * Full chroma is for what halving would wash out, and for busy pictures, where it takes fewer bytes at equal
 * SSIMULACRA2 if there is the time for it: chroma is little beside their luma.
 */
function wayFor(
  { washedOut, detail }: Survey,
  { quality, speed = usualSpeed, isAutomatic = false }: Coding,
  full: Way,
  halved: Way,
): Way {
  if (washedOut > maxWashedOut) return full;
  if (detail <= busyDetail || speed >= hurriedSpeed) return halved;
  // it scores higher at the same figure
  const isSpared = isAutomatic && quality !== 'lossless';
  return isSpared
    ? { ...full, settings: { ...full.settings, quality: Math.max(1, quality - sparedQuality) } }
    : full;
}

/** Share of blocks that may be washed out. */
const maxWashedOut = 1 / 200;

/** Of twelve camera photos and Kodak's, those above take 0.88 to 1.00 of the bytes, those below 1.05 to 1.2. */
const busyDetail = 3.2;

/** In AVIF's quality, where nobody has asked for a figure: what full chroma gains a busy picture by SSIMULACRA2. */
const sparedQuality = 5;

/** At which libaom takes a third longer for full chroma than there is time for. */
const hurriedSpeed: Speed = 2;

function cellSize({ cellWidth: width, cellHeight: height }: Cells) {
  return { width, height };
}
