import { joinBytes, sameBytes, startsWith } from '../container/assemble.ts';
import { ByteCursor, type ByteRange } from '../container/byte-cursor.ts';
import { type Curve, type Curves, parametricCurve } from './curves.ts';
import type { Matrix, Vector } from './primaries.ts';

export type ProfileSpace = 'rgb' | 'grey' | 'cmyk' | 'other';

/** The data color space of an ICC profile, from its header (ICC.1:2022 §7.2.8). */
export function profileSpace(icc: Uint8Array): ProfileSpace {
  const signature = icc.subarray(16, 20);
  if (startsWith(signature, 'RGB ')) return 'rgb';
  if (startsWith(signature, 'GRAY')) return 'grey';
  return startsWith(signature, 'CMYK') ? 'cmyk' : 'other';
}

/** Maximum number of tags, as in Little CMS. Without it, a table of 4 MiB would take many times that in objects. */
const maxTags = 100;

/**
 * The contents of a profile's tags by signature, including the type signature, as views of the profile. Null if the
 * table does not fit into the profile or has more than 100 entries. Source: ICC.1:2022 §7.3.
 */
export function iccTags(icc: Uint8Array): ReadonlyMap<string, Uint8Array> | null {
  const view = new DataView(icc.buffer, icc.byteOffset, icc.byteLength);
  const cursor = new ByteCursor(view, 36, view.byteLength);
  if (cursor.text(4) !== 'acsp') return null;
  cursor.skip(128 - 40);
  const count = cursor.uint32();
  if (count > maxTags || !hasSoundTable(icc)) return null;
  const tags = new Map<string, Uint8Array>();
  for (let left = count; left > 0; left--) {
    const signature = cursor.text(4);
    const offset = cursor.uint32();
    const length = cursor.uint32();
    if (!tags.has(signature)) tags.set(signature, icc.subarray(offset, offset + length));
  }
  return tags;
}

/** Whether the tag table of a profile and all of its tags lie within the profile (ICC.1:2022 §7.3). */
function hasSoundTable(icc: Uint8Array): boolean {
  const view = new DataView(icc.buffer, icc.byteOffset, icc.byteLength);
  const cursor = new ByteCursor(view, 128, view.byteLength);
  for (let left = cursor.uint32(); left > 0 && !cursor.overrun; left -= 1) {
    cursor.skip(4);
    const offset = cursor.uint32();
    if (offset + cursor.uint32() > icc.length) return false;
  }
  return !cursor.overrun;
}

/** Whether a profile has lookup tables, which engines prefer over matrix and curves (ICC.1:2022 §8.10.2). */
export function hasLookupTables(tags: ReadonlyMap<string, Uint8Array>): boolean {
  return [...tags.keys()].some((signature) => /^(A2B|B2A|D2B|B2D)\d$/.test(signature));
}

/** A cursor over the contents of a tag. */
export function tagCursor(tag: Uint8Array): ByteCursor {
  return new ByteCursor(
    new DataView(tag.buffer, tag.byteOffset, tag.byteLength),
    0,
    tag.byteLength,
  );
}

/** Reads an s15Fixed16Number (ICC.1:2022 §4.6). */
function fixed16(cursor: ByteCursor): number {
  return cursor.int32() / 65536;
}

const probes = 1024;

/**
 * The curves of an RGB or gray profile; channels with equal curves share one function. Null if a curve cannot be read,
 * or is decreasing or constant and so cannot be inverted.
 */
export function profileCurves(icc: Uint8Array): Curves | null {
  const curves = profileSpace(icc) === 'grey' ? greyCurves(icc) : rgbCurves(icc);
  return curves?.every(rises) ? curves : null;
}

function greyCurves(icc: Uint8Array): Curves | null {
  const curve = greyCurve(icc);
  return curve && [curve, curve, curve];
}

function rgbCurves(icc: Uint8Array): Curves | null {
  const tags = iccTags(icc);
  const red = tags?.get('rTRC');
  const green = tags?.get('gTRC');
  const blue = tags?.get('bTRC');
  if (!red || !green || !blue) return null;
  const r = readCurve(red);
  const g = sameBytes(red, green) ? r : readCurve(green);
  const b = sameBytes(red, blue) ? r : readCurve(blue);
  return r && g && b && [r, g, b];
}

function rises(curve: Curve): boolean {
  let previous = curve(0);
  if (curve(1) <= previous) return false;
  for (let probe = 1; probe <= probes; probe++) {
    const next = curve(probe / probes);
    if (next < previous) return false;
    previous = next;
  }
  return true;
}

/**
 * The curve from gray code to luminance given by the kTRC of a gray profile, whether or not it has lookup tables; null
 * if it is unreadable. With a Lab connection space, kTRC gives CIE 1976 L* (ICC.1:2022 §8.3.4).
 */
export function greyCurve(icc: Uint8Array): Curve | null {
  const tag = iccTags(icc)?.get('kTRC');
  const curve = tag ? readCurve(tag) : null;
  const givesLightness = startsWith(icc.subarray(20, 24), 'Lab ');
  return curve && givesLightness ? (code) => luminance(curve(code)) : curve;
}

/** The luminance Y of a lightness L*, both scaled to 0–1 (ISO/CIE 11664-4). */
function luminance(lightness: number): number {
  return lightness <= 0.08 ? (lightness * 2700) / 24389 : ((lightness + 0.16) / 1.16) ** 3;
}

/** Maximum number of curve samples, as in Little CMS; real curves have at most 4096. */
const maxSamples = 0x7fff;

/**
 * The curve in a tag; null if the tag has another type, is damaged, or has more than 32767 samples. Its values are
 * within 0–1, and it does not reference the profile. Sources: ICC.1:2022 §10.6, §10.18.
 */
export function readCurve(tag: Uint8Array): Curve | null {
  const cursor = tagCursor(tag);
  const type = cursor.text(4);
  cursor.skip(4);
  if (type === 'curv') return readSampledCurve(cursor);
  if (type === 'para') return readParametricCurve(cursor);
  return null;
}

/** `curv` (§10.6): no value means linear, one a gamma, several are samples to interpolate linearly. */
function readSampledCurve(tag: ByteCursor): Curve | null {
  const count = tag.uint32();
  if (tag.overrun || count > maxSamples || count * 2 > tag.remaining) return null;
  if (count === 0) return (code) => code;
  const samples = Uint16Array.from({ length: count }, () => tag.uint16());
  const [first = 0] = samples;
  if (count === 1) return (code) => code ** (first / 256);
  return (code) => {
    const position = code * (count - 1);
    const below = Math.min(Math.floor(position), count - 2);
    const low = samples[below] ?? 0;
    const high = samples[below + 1] ?? 0;
    return (low + (high - low) * (position - below)) / 65535;
  };
}

/** The length in bytes of a curve that has been read, without padding: in tables, others follow it. */
export function curveBytes(tag: Uint8Array): number {
  const cursor = tagCursor(tag);
  const isSampled = cursor.text(4) === 'curv';
  cursor.skip(4);
  if (isSampled) return 12 + 2 * cursor.uint32();
  return 12 + 4 * (parameterNames[cursor.uint16()]?.length ?? 0);
}

/** The parameters of each function type of `para`, by their names in §10.18, table 68. */
const parameterNames = ['g', 'gab', 'gabc', 'gabcd', 'gabcdef'] as const;

/** `para` (§10.18). Every type is the last one with some parameters at their defaults. */
function readParametricCurve(tag: ByteCursor): Curve | null {
  const type = tag.uint16();
  tag.skip(2);
  const names = parameterNames[type];
  if (names === undefined) return null;
  const p = { g: 1, a: 1, b: 0, c: 0, d: Number.NEGATIVE_INFINITY, e: 0, f: 0 };
  for (const name of names) p[name as keyof typeof p] = fixed16(tag);
  if (tag.overrun) return null;
  if (type === 1 || type === 2) {
    // Below −b/a, these functions are constant: 0 in type 1; type 2 adds its c to both parts.
    return parametricCurve({ ...p, c: 0, d: -p.b / p.a }, { e: p.c, f: p.c });
  }
  return parametricCurve(p, p);
}

/** The single value of an `XYZ ` tag (ICC.1:2022 §10.31); null if the tag has another type or is truncated. */
export function readXyz(tag: Uint8Array): Vector | null {
  const cursor = tagCursor(tag);
  if (cursor.text(4) !== 'XYZ ') return null;
  cursor.skip(4);
  const values: Vector = [fixed16(cursor), fixed16(cursor), fixed16(cursor)];
  return cursor.overrun ? null : values;
}

/** The matrix of a `chad` tag, nine numbers by rows (§9.2.15, §10.22); null for another type or a truncated tag. */
export function readAdaptation(tag: Uint8Array): Matrix | null {
  const cursor = tagCursor(tag);
  if (cursor.text(4) !== 'sf32') return null;
  cursor.skip(4);
  const row = (): Vector => [fixed16(cursor), fixed16(cursor), fixed16(cursor)];
  const matrix: Matrix = [row(), row(), row()];
  return cursor.overrun ? null : matrix;
}

interface TaggedCodePoints {
  readonly primaries: number;
  readonly transfer: number;
}

/** The ITU-T H.273 code points of a `cicp` tag (§9.2.17, §10.3), introduced in version 4.4. */
export function readTaggedCodePoints(tag: Uint8Array): TaggedCodePoints | null {
  const cursor = tagCursor(tag);
  if (cursor.text(4) !== 'cicp') return null;
  cursor.skip(4);
  const points = { primaries: cursor.uint8(), transfer: cursor.uint8() };
  return cursor.overrun ? null : points;
}

/** Maximum length of a profile's name, in characters; longer ones are cut. */
const maxNameLength = 200;

/**
 * The name of a profile, in English if there are several languages; null if it states none. Sources: ICC.1:2022
 * §9.2.41, §10.15 (`mluc`), and ICC.1:2001-04 §6.5.17 (`desc`) for version 2.
 */
export function profileName(icc: Uint8Array): string | null {
  const tag = iccTags(icc)?.get('desc');
  if (!tag) return null;
  const cursor = tagCursor(tag);
  const type = cursor.text(4);
  cursor.skip(4);
  const name = type === 'desc' ? cursor.text(nameLength(cursor.uint32())) : localName(tag, cursor);
  return name.replace(/\0.*$/s, '').trim() || null;
}

function nameLength(length: number): number {
  return Math.min(length, maxNameLength);
}

/** @param cursor behind the type of a `mluc` tag */
function localName(tag: Uint8Array, cursor: ByteCursor): string {
  let name = '';
  const count = Math.min(maxTags, cursor.uint32());
  cursor.skip(4);
  for (let i = 0; i < count && !cursor.overrun; i += 1) {
    const language = cursor.text(2);
    cursor.skip(2);
    const length = nameLength(cursor.uint32() / 2);
    const start = cursor.uint32();
    if (name !== '' && language !== 'en') continue;
    const units = Array.from({ length }, (_, at) => {
      const offset = start + 2 * at;
      return ((tag[offset] ?? 0) << 8) | (tag[offset + 1] ?? 0);
    });
    name = String.fromCharCode(...units);
    if (language === 'en') break;
  }
  return name;
}

/** Maximum length of a profile; the largest in use, for printing presses, have about 3 MiB. */
export const maxProfileBytes = 4 * 1024 * 1024;

/**
 * A profile; null if there is no usable one, `too-large` where it is larger than any real one, `excessive` where
 * unpacking it takes more work than any encoder makes.
 */
export type StoredProfile = Uint8Array | 'too-large' | 'excessive' | null;

const headerBytes = 128;
const signatureOffset = 36;

/**
 * The ICC profile in these ranges of a file; null if there is no usable one. It is a copy, valid after the file has
 * been released.
 */
export function storedProfile(file: Uint8Array, ranges: readonly ByteRange[]): StoredProfile {
  if (ranges.length === 0) return null;
  const bytes = ranges.reduce((sum, { length }) => sum + length, 0);
  if (bytes > maxProfileBytes) return 'too-large';
  const pieces = ranges.map(({ offset, length }) => file.subarray(offset, offset + length));
  return usableProfile(joinBytes(pieces));
}

/**
 * The bytes if they have the signature of a profile, which every color engine requires; otherwise null.
 * Source: ICC.1:2022 §7.2.
 */
export function usableProfile(bytes: Uint8Array): Uint8Array | null {
  if (bytes.length < headerBytes) return null;
  return startsWith(bytes.subarray(signatureOffset), 'acsp') ? bytes : null;
}
