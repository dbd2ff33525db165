import { ByteCursor, viewOf } from '../container/byte-cursor.ts';
import { type ColorStage, labToXyz, maxChannels } from './connection-space.ts';
import type { Curve } from './curves.ts';
import { curveBytes, iccTags, profileSpace, readCurve, tagCursor } from './icc-reader.ts';

// Lookup tables of ICC profiles: `lut8Type`, `lut16Type` and `lutAToBType` or `lutBToAType` (ICC.1:2022 §10.10 to §10.13).

/** Channels on both sides of a table, of which the one that is not the connection space's has 3 or 4. */
interface Channels {
  readonly inputs: number;
  readonly outputs: number;
}

type ConnectionSpace = 'lab' | 'xyz';

/** How a table codes L*, a* and b* as numbers of 0–1: `lut16Type` reaches beyond 100 and 127 (§10.10, table 42). */
const labCodings = {
  whole: { lightness: 100, opponent: 255 },
  lut16: { lightness: (100 * 65535) / 65280, opponent: 65535 / 256 },
} as const;

/** X, Y and Z reach 1 + 32767/32768 (§6.3.4.2). */
const xyzRange = 1 + 32767 / 32768;

/**
 * The lookup table of a profile from device values to colors relative to its white, by relative colorimetry if it has
 * that (`A2B1`), else by its only or perceptual one (`A2B0`). Null if there is none, or it cannot be read.
 * @param channels number of device values: 3 or 4
 */
export function colorsOfDevice(
  tags: ReadonlyMap<string, Uint8Array>,
  icc: Uint8Array,
  channels: 3 | 4,
): ColorStage | null {
  const tag = tags.get('A2B1') ?? tags.get('A2B0');
  const space = connectionSpace(icc);
  const table = tag && space ? readTable(tag, { inputs: channels, outputs: 3 }, 'mAB ') : null;
  if (!table || !space) return null;
  const decode = space === 'xyz' ? decodeXyz : decodeLab(labCodings[table.coding]);
  return inTurn([...table.stages, decode]);
}

/** L* of the darkest color of perceptual rendering: since version 4, that of a reference medium. */
const perceptualBlack = { version2: 0, version4: 3.1373 } as const;

/**
 * The device values for the darkest color, as the profile's perceptual table (`B2A0`) renders it. Null if there is none,
 * or it cannot be read.
 * @param channels number of device values: 3 or 4
 */
export function darkestDevice(
  tags: ReadonlyMap<string, Uint8Array>,
  icc: Uint8Array,
  channels: 3 | 4,
): Float64Array | null {
  const tag = tags.get('B2A0');
  const space = connectionSpace(icc);
  const table = tag && space ? readTable(tag, { inputs: 3, outputs: channels }, 'mBA ') : null;
  if (!table) return null;
  const values = new Float64Array(maxChannels);
  const lightness = perceptualBlack[(icc[8] ?? 0) < 4 ? 'version2' : 'version4'];
  if (space === 'lab') {
    const coding = labCodings[table.coding];
    values.set([lightness / coding.lightness, 128 / coding.opponent, 128 / coding.opponent]);
  } else {
    values.set([lightness, 0, 0]);
    labToXyz(values);
    for (let i = 0; i < 3; i += 1) values[i] = (values[i] ?? 0) / xyzRange;
  }
  inTurn(table.stages)(values);
  return values;
}

/** Samples of a tone curve: four for each 8-bit code. */
const toneSteps = 4 * 255;

/**
 * The tone curve of an RGB profile by its lookup table: the luminance of grays, from 0 for black to 1 for white, and never
 * decreasing. Null if there is no table, it cannot be read, or white is not lighter than black.
 */
export function neutralCurve(icc: Uint8Array): Curve | null {
  const tags = profileSpace(icc) === 'rgb' ? iccTags(icc) : null;
  const toXyz = tags && colorsOfDevice(tags, icc, 3);
  if (!toXyz) return null;
  const values = new Float64Array(maxChannels);
  const luminances = Float64Array.from({ length: toneSteps + 1 }, (_, step) => {
    values.fill(step / toneSteps);
    toXyz(values);
    return values[1] ?? 0;
  });
  const black = luminances[0] ?? 0;
  const range = (luminances[toneSteps] ?? 0) - black;
  if (!(range > 0)) return null;
  let highest = 0;
  return sampled(
    luminances.map((luminance) => {
      highest = Math.min(Math.max(highest, (luminance - black) / range), 1);
      return highest;
    }),
  );
}

function connectionSpace(icc: Uint8Array): ConnectionSpace | null {
  const signature = new ByteCursor(viewOf(icc), 20, 24).text(4);
  if (signature === 'Lab ') return 'lab';
  return signature === 'XYZ ' ? 'xyz' : null;
}

function decodeXyz(values: Float64Array): void {
  for (let i = 0; i < 3; i += 1) values[i] = (values[i] ?? 0) * xyzRange;
}

function decodeLab(coding: (typeof labCodings)[keyof typeof labCodings]): ColorStage {
  return (values) => {
    const [l = 0, a = 0, b = 0] = values;
    values[0] = coding.lightness * l;
    values[1] = coding.opponent * a - 128;
    values[2] = coding.opponent * b - 128;
    labToXyz(values);
  };
}

function inTurn(stages: readonly ColorStage[]): ColorStage {
  return (values) => {
    for (const stage of stages) stage(values);
  };
}

interface Table {
  readonly stages: readonly ColorStage[];
  readonly coding: keyof typeof labCodings;
}

/** @param elementsType the type of tables made of elements that is possible in this direction */
function readTable(
  tag: Uint8Array,
  channels: Channels,
  elementsType: 'mAB ' | 'mBA ',
): Table | null {
  const cursor = tagCursor(tag);
  const type = cursor.text(4);
  cursor.skip(4);
  if (cursor.uint8() !== channels.inputs || cursor.uint8() !== channels.outputs) return null;
  if (type === 'mft1' || type === 'mft2') {
    const stages = readTables(tag, channels, type === 'mft1' ? 1 : 2);
    return stages && { stages, coding: type === 'mft1' ? 'whole' : 'lut16' };
  }
  const stages = type === elementsType ? readElements(tag, channels, type === 'mAB ') : null;
  return stages && { stages, coding: 'whole' };
}

/**
 * `mft1` and `mft2`: tables of one size for all channels, before and behind the grid. The matrix before them applies to
 * X, Y and Z only, of which the darkest color alone is looked up, which is 0 or nearly so.
 */
function readTables(
  tag: Uint8Array,
  { inputs, outputs }: Channels,
  width: 1 | 2,
): ColorStage[] | null {
  const cursor = new ByteCursor(viewOf(tag), 10, tag.length);
  const points = cursor.uint8();
  cursor.skip(1 + 4 * 9);
  const [before, behind] = width === 1 ? [256, 256] : [cursor.uint16(), cursor.uint16()];
  const areSized = [before, behind].every((entries) => entries >= 2 && entries <= 4096);
  if (cursor.overrun || !areSized) return null;
  const table = (entries: number): Curve => {
    const at = cursor.position;
    cursor.skip(width * entries);
    return cursor.overrun ? (code) => code : sampled(samplesAt(tag, at, entries, width));
  };
  const first = Array.from({ length: inputs }, () => table(before));
  const grid = readGrid(tag, cursor.position, {
    points: Array(inputs).fill(points),
    outputs,
    width,
  });
  if (!grid) return null;
  cursor.skip(grid.bytes);
  const last = Array.from({ length: outputs }, () => table(behind));
  return cursor.overrun ? null : [throughCurves(first), grid.stage, throughCurves(last)];
}

/** A table that is interpolated linearly, from 0–1 to 0–1. */
function sampled(samples: Float64Array): Curve {
  const last = samples.length - 1;
  return (code) => {
    const position = last * Math.min(Math.max(code, 0), 1);
    const below = Math.min(Math.floor(position), last - 1);
    const low = samples[below] ?? 0;
    return low + ((samples[below + 1] ?? 0) - low) * (position - below);
  };
}

function samplesAt(tag: Uint8Array, at: number, count: number, width: number): Float64Array {
  const cursor = new ByteCursor(viewOf(tag), at, tag.length);
  return Float64Array.from({ length: count }, () =>
    width === 1 ? cursor.uint8() / 255 : cursor.uint16() / 65535,
  );
}

/** `mAB ` or, in the opposite order, `mBA `: curves, optionally a matrix and a grid, each with curves of its own. */
function readElements(
  tag: Uint8Array,
  channels: Channels,
  isToColors: boolean,
): ColorStage[] | null {
  const cursor = new ByteCursor(viewOf(tag), 12, tag.length);
  const [bAt, matrixAt, mAt] = [cursor.uint32(), cursor.uint32(), cursor.uint32()];
  const [gridAt, aAt] = [cursor.uint32(), cursor.uint32()];
  const device = isToColors ? channels.inputs : channels.outputs;
  if (cursor.overrun || bAt === 0 || (aAt === 0) !== (gridAt === 0)) return null;
  if (aAt === 0 && device !== 3) return null;
  const stages = [
    ...(aAt === 0 ? [] : [readCurves(tag, aAt, device), readSizedGrid(tag, gridAt, channels)]),
    ...(mAt === 0 ? [] : [readCurves(tag, mAt, 3), readMatrix(tag, matrixAt)]),
    readCurves(tag, bAt, 3),
  ];
  const sound = stages.filter((stage) => stage !== null);
  if (sound.length < stages.length) return null;
  return isToColors ? sound : sound.toReversed();
}

/** Consecutive curves, each padded to a multiple of four bytes. */
function readCurves(tag: Uint8Array, start: number, count: number): ColorStage | null {
  const curves: Curve[] = [];
  let at = start;
  while (curves.length < count) {
    if (at >= tag.length) return null;
    const rest = tag.subarray(at);
    const curve = readCurve(rest);
    if (!curve) return null;
    curves.push(curve);
    at += (curveBytes(rest) + 3) & ~3;
  }
  return throughCurves(curves);
}

function throughCurves(curves: readonly Curve[]): ColorStage {
  return (values) => {
    for (let i = 0; i < curves.length; i += 1) {
      values[i] = curves[i]?.(Math.min(Math.max(values[i] ?? 0, 0), 1)) ?? 0;
    }
  };
}

/** Three rows of three numbers, then three to be added. */
function readMatrix(tag: Uint8Array, at: number): ColorStage | null {
  const cursor = new ByteCursor(viewOf(tag), at, tag.length);
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0, i = 0, p = 0, q = 0, r = 0] =
    Array.from({ length: 12 }, () => cursor.int32() / 65536);
  if (at === 0 || cursor.overrun) return null;
  return (values) => {
    const [x = 0, y = 0, z = 0] = values;
    values[0] = a * x + b * y + c * z + p;
    values[1] = d * x + e * y + f * z + q;
    values[2] = g * x + h * y + i * z + r;
  };
}

/** A grid of a table of elements, which states its points in each direction, and the bytes of a number. */
function readSizedGrid(
  tag: Uint8Array,
  at: number,
  { inputs, outputs }: Channels,
): ColorStage | null {
  const cursor = new ByteCursor(viewOf(tag), at, tag.length);
  const points = Array.from({ length: 16 }, () => cursor.uint8()).slice(0, inputs);
  const width = cursor.uint8();
  cursor.skip(3);
  if (cursor.overrun || (width !== 1 && width !== 2)) return null;
  return readGrid(tag, cursor.position, { points, outputs, width })?.stage ?? null;
}

/** The shape of a grid in a tag. */
interface GridShape {
  /** Number of points in each direction, of which the first varies most slowly. */
  readonly points: readonly number[];
  /** Numbers at each point. */
  readonly outputs: number;
  /** Bytes per number. */
  readonly width: 1 | 2;
}

/** A grid at an offset of a tag, which is read where it lies; null if it does not fit or has a single point. */
function readGrid(
  tag: Uint8Array,
  at: number,
  { points, outputs, width }: GridShape,
): { readonly stage: ColorStage; readonly bytes: number } | null {
  const bytes = points.reduce((product, count) => product * count, width * outputs);
  if (points.some((count) => count < 2) || at + bytes > tag.length) return null;
  const view = viewOf(tag);
  const numberAt =
    width === 1
      ? (index: number) => view.getUint8(at + index) / 255
      : (index: number) => view.getUint16(at + 2 * index) / 65535;
  const steps: number[] = [];
  let step = outputs;
  for (const count of points.toReversed()) {
    steps.unshift(step);
    step *= count;
  }
  return { bytes, stage: throughGrid({ points, steps, outputs }, numberAt) };
}

/** The simplex that is around a position in a grid: tetrahedra in three directions (Kasson, Nin, Plouffe and Hafner 1995). */
function throughGrid(
  grid: {
    readonly points: readonly number[];
    readonly steps: readonly number[];
    readonly outputs: number;
  },
  numberAt: (index: number) => number,
): ColorStage {
  const { points, steps, outputs } = grid;
  const sums = new Float64Array(maxChannels);
  const parts = new Float64Array(points.length);
  const inner = points.length - Math.min(3, points.length);
  const order = points.map((_, axis) => axis).slice(inner);
  const addAt = (index: number, weight: number): void => {
    for (let out = 0; out < outputs; out += 1) {
      sums[out] = (sums[out] ?? 0) + weight * numberAt(index + out);
    }
  };
  const byPart = (a: number, b: number) => (parts[b] ?? 0) - (parts[a] ?? 0);
  /** Adds the interpolated numbers of the last three directions. */
  const addTetrahedron = (start: number, weight: number): void => {
    let index = start;
    let above = 1;
    for (let i = 0; i < order.length; i += 1) {
      const axis = order[i] ?? 0;
      const part = parts[axis] ?? 0;
      if (above > part) addAt(index, weight * (above - part));
      index += steps[axis] ?? 0;
      above = part;
    }
    if (above > 0) addAt(index, weight * above);
  };
  return (values) => {
    let index = 0;
    for (let axis = 0; axis < points.length; axis += 1) {
      const count = points[axis] ?? 0;
      const position = Math.min(Math.max(values[axis] ?? 0, 0), 1) * (count - 1);
      const below = Math.min(Math.floor(position), count - 2);
      parts[axis] = position - below;
      index += below * (steps[axis] ?? 0);
    }
    order.sort(byPart);
    sums.fill(0);
    const [outer = 0] = parts;
    if (inner === 0) addTetrahedron(index, 1);
    else {
      addTetrahedron(index, 1 - outer);
      if (outer > 0) addTetrahedron(index + (steps[0] ?? 0), outer);
    }
    values.set(sums);
  };
}
