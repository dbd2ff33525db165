/**
 * Encodes rows of pixels as a VP8L stream (RFC 9649): transforms them, collects bands, and encodes each complete band.
 * The parts of the stream that precede the pixels are known last, so three strings grow at the same time. What takes
 * long is done by `encodeOn`, in steps.
 */
import { prepareLogarithms } from '../../../../wasm/assembly/logarithms';
import { allocate } from '../../../../wasm/assembly/memory';
import {
  allocateBands,
  bandGroups,
  beginBand,
  beginBands,
  beginSmallBand,
  encodeBand,
  limitGroups,
  numberTiles,
} from './band';
import {
  beginStrings,
  codeString,
  finishedBytes,
  finishString,
  headString,
  join,
  openString,
  pixelString,
  putBits,
} from './bit-strings';
import { allocateFactors, areFactorsUsed, beginFactors, factorTiles } from './color-factors';
import {
  bundleBits,
  bundleIndices,
  colorCount,
  colors,
  maxColors,
  sortColors,
  subtractGreen,
} from './color-transforms';
import { cacheBits, setCacheBits, setDistanceWidth } from './histograms';
import { allocateWindow, bandAt, beginMatches, beginWindow, slideWindow } from './match-finder';
import {
  allocatePredictors,
  beginResidualCosts,
  predictorTiles,
  setHiddenFree,
} from './predictors';
import {
  allocateStrips,
  beginStrips,
  finishStrip,
  nextStripRow,
  stripRows,
  takeStripRow,
} from './strips';
import { indexed, predictive, predictiveWithoutGreen, withoutGreen } from './survey';
import { setGroupTiles, tilesOf } from './tile-costs';

/* Transform types in the stream. */
const predictorType: u32 = 0;
const crossColorType: u32 = 1;
const subtractGreenType: u32 = 2;
const colorIndexingType: u32 = 3;

/** log2 of the tile side, unless that gives more than the maximum number of tiles. */
const usualTileBits: i32 = 3;
const maxTiles: i32 = 1 << 18;
/** Approximate maximum number of groups in a picture; decoders keep the tables of all. */
const maxGroups: i32 = 384;

let width: i32 = 0;
let height: i32 = 0;
let transforms: i32 = 0;
/** Width of coded rows. */
let codedWidth: i32 = 0;
/** Rows of a band, and number of those it has so far. */
let bandHeight: i32 = 0;
let bandRows: i32 = 0;
/** log2 of the tile side. */
let tileBits: i32 = 0;
/** Group number of each tile in the picture, u16. */
let groupNumbers: usize = 0;
let groupCount: i32 = 0;
/** Number of tiles with an assigned group. */
let groupTiles: i32 = 0;
/** A row of colors, if there are no strips. */
let colorRow: usize = 0;

/* Parts of the stream, in the order in which they are encoded. */
const bands: i32 = 0;
const colorTransforms: i32 = 1;
const predictorImage: i32 = 2;
const factorImage: i32 = 3;
const entropyImage: i32 = 4;
const codesOfBands: i32 = 5;
const pixelsOfBands: i32 = 6;
/** The part that is being encoded, and whether the last row has been added. */
let part: i32 = bands;
let isLastBand: bool = false;
/** Pieces of a string that are appended in a step. */
const stepPieces: i32 = 64;
/** log2 of the size of the picture's color cache. */
let pictureCacheBits: i32 = 0;

function isPredictive(): bool {
  return transforms === predictive || transforms === predictiveWithoutGreen;
}

function tilesOver(pixels: i32, sideBits: i32): i32 {
  return (pixels + (1 << sideBits) - 1) >> sideBits;
}

/** Number of tiles in the picture. */
function tilesOfPicture(): i32 {
  return tilesOver(width, tileBits) * tilesOver(height, tileBits);
}

/**
 * Allocates the memory for encoding a picture, except for the strings.
 *
 * @param kind kind of transforms, see survey.ts
 * @param bandPixels approximate number of pixels in a band
 * @param historyPixels maximum number of pixels before the band that references can reach
 * @returns false if there is no memory
 */
export function allocateCoder(
  columns: i32,
  rows: i32,
  kind: i32,
  bandPixels: i32,
  historyPixels: i32,
): bool {
  width = columns;
  height = rows;
  transforms = kind;
  codedWidth = kind === indexed ? tilesOver(columns, bundleBits()) : columns;
  tileBits = usualTileBits;
  while (tilesOfPicture() > maxTiles) tileBits += 1;
  const side = 1 << tileBits;
  const highest = max(side, (bandPixels / codedWidth / side) * side);
  const bands = (rows + highest - 1) / highest;
  bandHeight = min(rows, highest);
  limitGroups(maxGroups / bands);
  const pixels = bandHeight * codedWidth;
  const history = min(historyPixels, (bands - 1) * pixels);
  // Palettes and tiles are encoded as bands, too.
  const room = max(max(pixels, maxColors), tilesOfPicture());
  setGroupTiles(codedWidth, tileBits);
  groupNumbers = allocate((<usize>tilesOf(rows)) << 1);
  return (
    groupNumbers !== 0 &&
    allocateRows() &&
    allocateWindow(history, room) &&
    allocateBands(room, history + room, tilesOf(bandHeight))
  );
}

function allocateRows(): bool {
  if (!isPredictive()) {
    colorRow = allocate(((<usize>width) << 2) + 16);
    return colorRow !== 0;
  }
  return (
    allocateStrips(width, tileBits) &&
    allocatePredictors(width, tilesOfPicture(), tileBits) &&
    allocateFactors(tilesOfPicture(), tileBits)
  );
}

/**
 * Starts before the first row.
 * @param keepsHidden whether to keep colors of fully transparent pixels
 */
export function beginCoder(keepsHidden: bool): void {
  prepareLogarithms();
  beginStrings();
  beginWindow();
  beginMatches(isPredictive());
  setDistanceWidth(codedWidth);
  setGroupTiles(codedWidth, tileBits);
  setCacheBits(0);
  bandRows = 0;
  groupCount = 0;
  groupTiles = 0;
  part = bands;
  isLastBand = false;
  beginBands();
  if (transforms === indexed) sortColors();
  if (!isPredictive()) return;
  beginStrips();
  beginResidualCosts();
  beginFactors();
  setHiddenFree(!keepsHidden);
}

/** Destination for the pixels of the next row. */
export function nextCoderRow(): usize {
  return isPredictive() ? nextStripRow() : colorRow;
}

/** Adds the row that was written to `nextCoderRow`; before the next one, `encodeOn` must return false. */
export function takeCoderRow(): void {
  if (isPredictive()) {
    if (transforms === predictiveWithoutGreen) subtractGreen(nextStripRow(), width);
    if (takeStripRow()) flushStrip();
  } else {
    const to = bandAt + ((<usize>(bandRows * codedWidth)) << 2);
    if (transforms === withoutGreen) subtractGreen(colorRow, width);
    if (transforms === indexed) bundleIndices(colorRow, to, width);
    else memory.copy(to, colorRow, (<usize>width) << 2);
    bandRows += 1;
  }
  if (bandRows === bandHeight) beginBand(bandRows, codedWidth, groupCount === 0);
}

function flushStrip(): void {
  const rows = stripRows;
  finishStrip(bandAt + ((<usize>(bandRows * codedWidth)) << 2));
  bandRows += rows;
}

/**
 * Begins to encode the rows of incomplete strips and bands after the last row, and then the rest of the stream; bits may
 * be put into its head string before `encodeOn`.
 */
export function endCoderRows(): void {
  if (isPredictive() && stripRows > 0) flushStrip();
  if (bandRows > 0) beginBand(bandRows, codedWidth, groupCount === 0);
  isLastBand = true;
}

/**
 * Goes on with the complete band or, after the last row, with the stream, by a step of a few milliseconds.
 * @returns whether more may be left
 */
export function encodeOn(): bool {
  if (encodeBand()) return true;
  if (part === bands) {
    if (bandRows === bandHeight || (isLastBand && bandRows > 0)) endBand();
    if (!isLastBand) return false;
  }
  if (part === codesOfBands && join(codeString, stepPieces)) return true;
  if (part === pixelsOfBands) return join(pixelString, stepPieces);
  part += 1;
  beginPart();
  return true;
}

function endBand(): void {
  numberTiles(groupCount, groupNumbers + (groupTiles << 1));
  groupCount += bandGroups;
  groupTiles += tilesOf(bandRows);
  slideWindow(bandRows * codedWidth);
  bandRows = 0;
}

/**
 * Ends the stream, after `encodeOn` has returned false.
 * @returns its first piece; 0 if memory was insufficient
 */
export function finishCoder(): usize {
  return finishString();
}

/** Length of the stream in bytes. */
export function coderBytes(): f64 {
  return <f64>finishedBytes;
}

/** Begins a part after the bands. All of them go to the head string, which is open from now on. */
function beginPart(): void {
  if (part === colorTransforms) {
    pictureCacheBits = cacheBits;
    openString(headString);
    if (transforms === indexed) beginPalette();
    if (transforms === withoutGreen || transforms === predictiveWithoutGreen) {
      putType(subtractGreenType);
    }
  } else if (part === predictorImage) {
    if (isPredictive()) beginPredictorImage();
  } else if (part === factorImage) {
    if (isPredictive() && areFactorsUsed) beginFactorImage();
  } else if (part === entropyImage) {
    // There are no more transforms.
    putBits(0, 1);
    putBits(pictureCacheBits > 0 ? 1 : 0, 1);
    if (pictureCacheBits > 0) putBits(pictureCacheBits, 4);
    putBits(groupCount > 1 ? 1 : 0, 1);
    if (groupCount > 1) beginEntropyImage();
  }
}

function beginPredictorImage(): void {
  const columns = tilesOver(width, tileBits);
  const tiles = tilesOfPicture();
  putType(predictorType);
  putBits(tileBits - 2, 3);
  beginSmallPicture(columns);
  for (let i = 0; i < tiles; i += 1) setPixel(i, (<u32>load<u8>(predictorTiles + i)) << 8);
  beginSmallBand(tiles, columns);
}

function beginFactorImage(): void {
  const columns = tilesOver(width, tileBits);
  const tiles = tilesOfPicture();
  putType(crossColorType);
  putBits(tileBits - 2, 3);
  beginSmallPicture(columns);
  // Red-to-blue is stored as red, green-to-blue as green, green-to-red as blue.
  for (let i = 0; i < tiles; i += 1) setPixel(i, load<u32>(factorTiles + ((<usize>i) << 2)));
  beginSmallBand(tiles, columns);
}

function beginEntropyImage(): void {
  const columns = tilesOver(codedWidth, tileBits);
  const tiles = columns * tilesOver(height, tileBits);
  putBits(tileBits - 2, 3);
  beginSmallPicture(columns);
  for (let i = 0; i < tiles; i += 1) setPixel(i, (<u32>load<u16>(groupNumbers + (i << 1))) << 8);
  beginSmallBand(tiles, columns);
}

function putType(type: u32): void {
  putBits(1 | (type << 1), 3);
}

function beginPalette(): void {
  putType(colorIndexingType);
  putBits(colorCount - 1, 8);
  beginSmallPicture(colorCount);
  let last: u32 = 0;
  for (let i: usize = 0; i < <usize>colorCount; i += 1) {
    const color = load<u32>(colors + (i << 2));
    const changed = i8x16.sub(i32x4.splat(color), i32x4.splat(last));
    store<u32>(bandAt + (i << 2), i32x4.extract_lane(changed, 0));
    last = color;
  }
  beginSmallBand(colorCount, colorCount);
}

/** Prepares the window for a subresolution picture. */
function beginSmallPicture(columns: i32): void {
  setCacheBits(0);
  beginWindow();
  beginMatches(false);
  setDistanceWidth(columns);
}

/** Sets a pixel of a subresolution picture without meaningful alpha. */
function setPixel(i: i32, colors: u32): void {
  store<u32>(bandAt + ((<usize>i) << 2), 0xff000000 | colors);
}
