import { startsWith } from '../container/assemble.ts';
import type { Slices } from '../slices.ts';
import { blackTo, type ColorStage, labToXyz, maxChannels, xyzToSrgb } from './connection-space.ts';
import { iccTags } from './icc-reader.ts';
import { colorsOfDevice, darkestDevice } from './lut-profile.ts';
import { pressColors } from './press-inks.ts';
import type { SourceColor } from './source-color.ts';

/** Points in each direction of the grid, as many as Little CMS takes for four channels: 16 levels of ink apart. */
const points = 17;

/**
 * Codes of sRGB for a grid of amounts of ink, three for each point, in units of 1/64. Black varies most slowly, then cyan,
 * magenta and yellow.
 */
type InkTable = Uint16Array<ArrayBuffer>;

const unit = 64;
const tableLength = 3 * points ** 4;

/** Bytes of a table, which is held as long as the color that it belongs to. */
export const inkTableBytes = Uint16Array.BYTES_PER_ELEMENT * tableLength;

/** Predicted CPU time of making a table, in milliseconds: of profiles with the slowest curves. */
export const inkTableMs = 90;

const tables = new WeakMap<SourceColor, InkTable>();

/**
 * The table of the inks of a picture, which is made when it is first asked for: of its profile or, if there is none or
 * it cannot be read, of a press. Rendered relative to paper, with black point compensation.
 */
export function* inkTable(color: SourceColor): Slices<InkTable> {
  const known = tables.get(color);
  if (known) return known;
  const table = yield* bakedTable((color.profile && profileColors(color.profile)) ?? press());
  tables.set(color, table);
  return table;
}

function* bakedTable(toXyz: ColorStage): Slices<InkTable> {
  const table = new Uint16Array(tableLength);
  const values = new Float64Array(maxChannels);
  const amounts = Array.from({ length: points }, (_, point) => point / (points - 1));
  let at = 0;
  for (const black of amounts) {
    for (const cyan of amounts) {
      for (const magenta of amounts) {
        for (const yellow of amounts) {
          values[0] = cyan;
          values[1] = magenta;
          values[2] = yellow;
          values[3] = black;
          toXyz(values);
          xyzToSrgb(values);
          for (let channel = 0; channel < 3; channel += 1) {
            table[at] = 255 * unit * (values[channel] ?? 0) + 0.5;
            at += 1;
          }
        }
      }
    }
    yield inkTableMs / points;
  }
  return table;
}

/** The colors of inks by a CMYK profile; null if it has no table that can be read. */
function profileColors(icc: Uint8Array): ColorStage | null {
  const tags = iccTags(icc);
  const toXyz = tags && colorsOfDevice(tags, icc, 4);
  if (!toXyz) return null;
  return compensated(toXyz, darkestInks(icc, tags));
}

/**
 * The inks that become black, as in Little CMS. For presses, those by which the profile renders the darkest color, since
 * paper does not take all ink at once; null where a profile does not tell, so that nothing is compensated.
 */
function darkestInks(icc: Uint8Array, tags: ReadonlyMap<string, Uint8Array>): Float64Array | null {
  const isPress = startsWith(icc.subarray(12, 16), 'prtr');
  if (!isPress) return tags.has('A2B1') ? allInks() : null;
  return tags.has('A2B0') ? darkestDevice(tags, icc, 4) : null;
}

function press(): ColorStage {
  return compensated(pressColors(), allInks());
}

function allInks(): Float64Array {
  return new Float64Array(maxChannels).fill(1);
}

/** The lightest black, by L*, that is compensated, as in Little CMS. */
const lightestBlack = 50;

/** @param darkest the inks that become black; null for none */
function compensated(toXyz: ColorStage, darkest: Float64Array | null): ColorStage {
  if (!darkest) return toXyz;
  const color = darkest.slice();
  toXyz(color);
  const lightest = Float64Array.of(lightestBlack, 0, 0, 0);
  labToXyz(lightest);
  const black = Math.min(Math.max(color[1] ?? 0, 0), lightest[1] ?? 0);
  const compensate = blackTo(black);
  return (values) => {
    toXyz(values);
    compensate(values);
  };
}

/*
 * Interpolation: between four points of a tetrahedron in cyan, magenta and yellow, so that grays stay gray, and linear
 * in black. Fractions of a cell are multiples of 1/255, so that whole numbers suffice.
 */

const cellParts = 255;
const yellowStep = 3;
const magentaStep = points * yellowStep;
const cyanStep = points * magentaStep;
const blackStep = points * cyanStep;

/** For amounts of ink: the number of the cell, and how far it is into that. */
const cells = new Uint8Array(256);
const parts = new Uint8Array(256);
for (let amount = 0; amount < 256; amount += 1) {
  cells[amount] = Math.min(points - 2, Math.floor((amount * (points - 1)) / cellParts));
  parts[amount] = amount * (points - 1) - cellParts * (cells[amount] ?? 0);
}

const toCode = 1 / (cellParts * cellParts * unit);

/** Converts a row of amounts of cyan, magenta, yellow and black, in place, to one of opaque RGBA. */
export function inksToSrgb(row: Uint8Array | Uint8ClampedArray, table: InkTable): void {
  let previous = -1;
  for (let i = 0; i < row.length; i += 4) {
    const c = row[i] ?? 0;
    const m = row[i + 1] ?? 0;
    const y = row[i + 2] ?? 0;
    const k = row[i + 3] ?? 0;
    const inks = (c << 24) | (m << 16) | (y << 8) | k;
    if (i > 0 && inks === previous) {
      for (let at = i; at < i + 4; at += 1) row[at] = row[at - 4] ?? 0;
      continue;
    }
    previous = inks;
    const cp = parts[c] ?? 0;
    const mp = parts[m] ?? 0;
    const yp = parts[y] ?? 0;
    const kp = parts[k] ?? 0;
    // The way through the cell: along the ink of which there is most, then along the next, then along the last.
    let most = cp;
    let middle = mp;
    let least = yp;
    let toMost = cyanStep;
    let toLeast = yellowStep;
    if (cp < mp) {
      most = mp;
      middle = cp;
      toMost = magentaStep;
    }
    if (middle < yp) {
      least = middle;
      middle = yp;
      toLeast = cp < mp ? cyanStep : magentaStep;
      if (most < yp) {
        middle = most;
        most = yp;
        toLeast = cp < mp ? cyanStep : magentaStep;
        toMost = yellowStep;
      }
    }
    const begin =
      blackStep * (cells[k] ?? 0) +
      cyanStep * (cells[c] ?? 0) +
      magentaStep * (cells[m] ?? 0) +
      yellowStep * (cells[y] ?? 0);
    const end = begin + cyanStep + magentaStep + yellowStep;
    const first = begin + toMost;
    const second = end - toLeast;
    const atBegin = cellParts - most;
    const atFirst = most - middle;
    const atSecond = middle - least;
    for (let channel = 0; channel < 3; channel += 1) {
      let sum =
        (cellParts - kp) *
        (atBegin * (table[begin + channel] ?? 0) +
          atFirst * (table[first + channel] ?? 0) +
          atSecond * (table[second + channel] ?? 0) +
          least * (table[end + channel] ?? 0));
      if (kp > 0) {
        const above = blackStep + channel;
        sum +=
          kp *
          (atBegin * (table[begin + above] ?? 0) +
            atFirst * (table[first + above] ?? 0) +
            atSecond * (table[second + above] ?? 0) +
            least * (table[end + above] ?? 0));
      }
      row[i + channel] = (toCode * sum + 0.5) | 0;
    }
    row[i + 3] = 255;
  }
}
