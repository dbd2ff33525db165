import { ByteCursor, viewOf } from '../container/byte-cursor.ts';
import { profileSpace, readXyz } from './icc-reader.ts';
import { d50 } from './primaries.ts';

// What the color engine of Chromium (skcms) demands of a profile. Sections refer to ICC.1:2022.

const headerBytes = 128;
const entryBytes = 12;

/** The engine's tolerance for the illuminant of a header. */
const illuminantTolerance = 0.01;

/**
 * Whether color engines can apply an ICC profile. Of a JPEG, PNG or WebP with any other profile, browsers ignore the
 * profile; an AVIF or JPEG XL with one they do not show at all.
 *
 * A profile is accepted if its header and tag table are sound, it has either a lookup table or curves and, for RGB,
 * colorants, and each of these is sound. The contents of all other tags do not matter.
 */
export function isAcceptedProfile(icc: Uint8Array): boolean {
  if (!hasSoundHeader(icc)) return false;
  const tags = soundTags(icc);
  if (!tags) return false;
  const codePoints = tags.get('cicp');
  if (codePoints && !(hasType(codePoints, 'cicp') && codePoints.length >= 12)) return false;
  const toConnection = tags.get('A2B0') ?? tags.get('A2B1');
  const fromConnection = tags.get('B2A0') ?? tags.get('B2A1');
  if (toConnection && !isSoundTable(toConnection, 'mAB ')) return false;
  if (fromConnection && !isSoundTable(fromConnection, 'mBA ')) return false;
  const shape = shapeOf(icc, tags);
  return shape !== 'damaged' && (shape === 'complete' || toConnection !== undefined);
}

/** Size, major version, signature, illuminant and connection space (§7.2). */
function hasSoundHeader(icc: Uint8Array): boolean {
  const view = viewOf(icc);
  if (icc.length < headerBytes + 4 || view.getUint32(0) > icc.length) return false;
  const cursor = new ByteCursor(view, 20, headerBytes);
  const connectionSpace = cursor.text(4);
  cursor.skip(36 - 24);
  const signature = cursor.text(4);
  cursor.skip(68 - 40);
  return (
    signature === 'acsp' &&
    view.getUint8(8) <= 4 &&
    (connectionSpace === 'XYZ ' || connectionSpace === 'Lab ') &&
    d50.every((value) => Math.abs(cursor.int32() / 65536 - value) <= illuminantTolerance)
  );
}

/** The signatures of tags that are read. */
const readTags: ReadonlySet<string> = new Set([
  ...['rXYZ', 'gXYZ', 'bXYZ', 'rTRC', 'gTRC', 'bTRC', 'kTRC'],
  ...['A2B0', 'A2B1', 'B2A0', 'B2A1', 'cicp'],
]);

/** The tags that are read; null if the table or any tag, read or not, reaches beyond the profile's stated size (§7.3). */
function soundTags(icc: Uint8Array): ReadonlyMap<string, Uint8Array> | null {
  const view = viewOf(icc);
  const size = view.getUint32(0);
  const cursor = new ByteCursor(view, headerBytes, size);
  const count = cursor.uint32();
  if (cursor.overrun || count * entryBytes > cursor.remaining) return null;
  const tags = new Map<string, Uint8Array>();
  for (let left = count; left > 0; left -= 1) {
    const signature = cursor.text(4);
    const offset = cursor.uint32();
    const length = cursor.uint32();
    if (length < 4 || offset + length > size) return null;
    if (readTags.has(signature) && !tags.has(signature)) {
      tags.set(signature, icc.subarray(offset, offset + length));
    }
  }
  return tags;
}

function hasType(tag: Uint8Array, type: string): boolean {
  return new ByteCursor(viewOf(tag), 0, 4).text(4) === type;
}

/** Whether curves and, for RGB, colorants are complete (§8.3.3, §8.3.4); `damaged` if one cannot be read. */
function shapeOf(
  icc: Uint8Array,
  tags: ReadonlyMap<string, Uint8Array>,
): 'complete' | 'partial' | 'damaged' {
  const grey = profileSpace(icc) === 'grey' ? tags.get('kTRC') : undefined;
  if (grey) {
    if (curveEnd(grey, 0) === null) return 'damaged';
    // Lightness alone, in a profile that connects by Lab, is not enough for the engine.
    return connectsByXyz(icc) ? 'complete' : 'partial';
  }
  const curves = allOf(tags, ['rTRC', 'gTRC', 'bTRC']);
  const colorants = allOf(tags, ['rXYZ', 'gXYZ', 'bXYZ']);
  if (curves?.some((tag) => curveEnd(tag, 0) === null)) return 'damaged';
  if (colorants?.some((tag) => readXyz(tag) === null)) return 'damaged';
  return curves && colorants ? 'complete' : 'partial';
}

function connectsByXyz(icc: Uint8Array): boolean {
  return new ByteCursor(viewOf(icc), 20, 24).text(4) === 'XYZ ';
}

/** These tags; null if one is missing. */
function allOf(
  tags: ReadonlyMap<string, Uint8Array>,
  signatures: readonly string[],
): readonly Uint8Array[] | null {
  const found = signatures.flatMap((signature) => tags.get(signature) ?? []);
  return found.length === signatures.length ? found : null;
}

/** Number of parameters of each function type of `para` (§10.18, table 68). */
const parameterCounts = [1, 3, 4, 5, 7] as const;

/** Whether consecutive curves begin at an offset of a tag, each padded to a multiple of four bytes within it. */
function hasCurves(tag: Uint8Array, start: number, count: number): boolean {
  let at: number | null = start;
  for (let left = count; left > 0 && at !== null; left -= 1) {
    const end = curveEnd(tag, at);
    at = end === null ? null : at + ((end - at + 3) & ~3);
    if (at !== null && at > tag.length) return false;
  }
  return at !== null;
}

/**
 * The offset behind a curve in a tag; null unless it is of type `curv` or `para`, within the tag, and a function of
 * real numbers (§10.6, §10.18).
 */
function curveEnd(tag: Uint8Array, start: number): number | null {
  const cursor = new ByteCursor(viewOf(tag), start, tag.length);
  const type = cursor.text(4);
  cursor.skip(4);
  if (type === 'curv') cursor.skip(2 * cursor.uint32());
  else if (type !== 'para' || !readsParameters(cursor)) return null;
  return cursor.overrun ? null : cursor.position;
}

/** Reads the parameters of a `para` curve; returns whether there are enough, and it is defined from 0 to 1. */
function readsParameters(cursor: ByteCursor): boolean {
  const type = cursor.uint16();
  cursor.skip(2);
  const count = parameterCounts[type];
  if (count === undefined) return false;
  const values = Array.from({ length: count }, () => cursor.int32() / 65536);
  const [g = 1, a = 1, b = 0] = values;
  if (cursor.overrun) return false;
  const isContinued = type === 1 || type === 2;
  if (isContinued && a === 0) return false;
  const c = type >= 3 ? (values[3] ?? 0) : 0;
  // The engine computes in single precision, in which −b/a does not always lead back to 0.
  const d = isContinued ? Math.fround(-b / a) : (values[4] ?? 0);
  const base = Math.fround(Math.fround(a * d) + b);
  return g >= 0 && a >= 0 && c >= 0 && d >= 0 && base >= 0;
}

/** Whether a lookup table of one of three types (§10.10, §10.11, §10.12 or §10.13) connects a device of up to four channels. */
function isSoundTable(tag: Uint8Array, elementsType: 'mAB ' | 'mBA '): boolean {
  const isToConnection = elementsType === 'mAB ';
  const cursor = new ByteCursor(viewOf(tag), 8, tag.length);
  const inputs = cursor.uint8();
  const outputs = cursor.uint8();
  const [device, connection] = isToConnection ? [inputs, outputs] : [outputs, inputs];
  if (connection !== 3 || device > 4 || (!isToConnection && device < 3)) return false;
  const channels = { inputs, outputs, device };
  if (hasType(tag, elementsType)) return hasSoundElements(tag, channels);
  if (hasType(tag, 'mft1')) return hasSoundTables(cursor, channels, 1);
  return hasType(tag, 'mft2') && hasSoundTables(cursor, channels, 2);
}

interface Channels {
  readonly inputs: number;
  readonly outputs: number;
  /** Either of them, whichever is not the connection space's. */
  readonly device: number;
}

/** The rest of `mft1` and `mft2` (§10.10, §10.11): grid points, a matrix, and tables of one size for all channels. */
function hasSoundTables(cursor: ByteCursor, { inputs, outputs }: Channels, width: 1 | 2): boolean {
  const gridPoints = cursor.uint8();
  cursor.skip(1 + 4 * 9);
  const [before, behind] = width === 1 ? [256, 256] : [cursor.uint16(), cursor.uint16()];
  const areSized = [before, behind].every((entries) => entries >= 2 && entries <= 4096);
  if (cursor.overrun || inputs < 1 || gridPoints < 2 || !areSized) return false;
  const entries = inputs * before + outputs * gridPoints ** inputs + outputs * behind;
  return width * entries <= cursor.remaining;
}

/** `mAB ` and `mBA ` (§10.12, §10.13): curves, then optionally a matrix and a grid, each with curves of its own. */
function hasSoundElements(tag: Uint8Array, channels: Channels): boolean {
  const { inputs, outputs, device } = channels;
  const cursor = new ByteCursor(viewOf(tag), 12, tag.length);
  const [bAt, matrixAt, mAt] = [cursor.uint32(), cursor.uint32(), cursor.uint32()];
  const [gridAt, aAt] = [cursor.uint32(), cursor.uint32()];
  if (cursor.overrun || bAt === 0 || !hasCurves(tag, bAt, 3)) return false;
  if ((mAt === 0) !== (matrixAt === 0) || (aAt === 0) !== (gridAt === 0)) return false;
  if (mAt !== 0 && (!hasCurves(tag, mAt, 3) || matrixAt + 12 * 4 > tag.length)) return false;
  if (aAt === 0) return inputs === outputs;
  return hasCurves(tag, aAt, device) && hasGrid(tag, gridAt, channels);
}

/** A grid of 8 or 16 bits at an offset of `mAB ` or `mBA `, with at least two points in each direction. */
function hasGrid(tag: Uint8Array, at: number, { inputs, outputs }: Channels): boolean {
  const cursor = new ByteCursor(viewOf(tag), at, tag.length);
  const points = Array.from({ length: 16 }, () => cursor.uint8()).slice(0, inputs);
  const width = cursor.uint8();
  cursor.skip(3);
  if (cursor.overrun || (width !== 1 && width !== 2)) return false;
  const entries = points.reduce((product, count) => product * count, outputs);
  return points.every((count) => count >= 2) && width * entries <= cursor.remaining;
}
