import { ByteCursor } from './inspect/byte-cursor.ts';

type Channel = 'r' | 'g' | 'b';
const channels: readonly Channel[] = ['r', 'g', 'b'];

/**
 * sRGB's primaries as a profile states them: adapted to D50 by the Bradford transform.
 * Source: IEC 61966-2-1, ICC.1:2022 annex E.
 */
const srgbColorants: Readonly<Record<Channel, readonly number[]>> = {
  r: [0.43607, 0.22249, 0.01392],
  g: [0.38515, 0.71687, 0.09708],
  b: [0.14307, 0.06061, 0.7141],
};

const colorantTolerance = 0.001;
const curveTolerance = 1 / 255;

/** Finer than the 8-bit codes, and on them. */
const curveSteps = 255 * 16;

/** Tables that engines prefer over matrix and curves, wherever they are (ICC.1:2022 §8.10.2). */
const tableTags = /^(A2B|B2A|D2B|B2D)\d$/;

/**
 * Whether an ICC profile says nothing but sRGB, so that a picture looks the same without it.
 *
 * Judged by what it does, never by its name: an RGB matrix/TRC profile with colorants within 0.001 of
 * sRGB's, curves within 1/255, and no lookup tables. Curves are compared both as light and as code
 * values: as light alone, 1/255 would let black be lifted by twelve codes. False for what cannot be
 * read. Sources: ICC.1:2022 §7, §8.3.3, §10.
 */
export function isSrgb(icc: Uint8Array): boolean {
  const view = new DataView(icc.buffer, icc.byteOffset, icc.byteLength);
  const header = new ByteCursor(view, 16, view.byteLength);
  const space = header.text(4) + header.text(4);
  const tags = readTags(view);
  if (space !== 'RGB XYZ ' || !tags) return false;
  if ([...tags.keys()].some((name) => tableTags.test(name))) return false;
  const codePoints = tags.get('cicp');
  if (codePoints && !isSrgbCodePoints(codePoints)) return false;
  return channels.every((channel) => {
    const colorant = tags.get(`${channel}XYZ`);
    const curve = tags.get(`${channel}TRC`);
    return colorant && curve && isSrgbColorant(colorant, channel) && isSrgbCurve(curve);
  });
}

/** §7.3: contents by signature; undefined when the table does not fit the profile. */
function readTags(view: DataView): Map<string, ByteCursor> | undefined {
  const cursor = new ByteCursor(view, 36, view.byteLength);
  if (cursor.text(4) !== 'acsp') return undefined;
  cursor.skip(128 - 40);
  const tags = new Map<string, ByteCursor>();
  for (let left = cursor.uint32(); left > 0; left--) {
    const signature = cursor.text(4);
    const offset = cursor.uint32();
    const length = cursor.uint32();
    if (cursor.overrun || offset + length > view.byteLength) return undefined;
    if (!tags.has(signature)) tags.set(signature, new ByteCursor(view, offset, offset + length));
  }
  return tags;
}

/** `cicp` of version 4.4 (§9.2.17): engines that know it believe it before matrix and curves. */
function isSrgbCodePoints(tag: ByteCursor): boolean {
  tag.skip(8);
  return tag.uint8() === 1 && tag.uint8() === 13;
}

/** `XYZ ` (§10.31). */
function isSrgbColorant(tag: ByteCursor, channel: Channel): boolean {
  if (tag.text(4) !== 'XYZ ') return false;
  tag.skip(4);
  const distances = srgbColorants[channel].map((value) => Math.abs(fixed16(tag) - value));
  return !tag.overrun && distances.every((distance) => distance <= colorantTolerance);
}

function isSrgbCurve(tag: ByteCursor): boolean {
  const curve = readCurve(tag);
  if (!curve) return false;
  for (let step = 0; step <= curveSteps; step++) {
    const code = step / curveSteps;
    const light = Math.min(Math.max(curve(code), 0), 1);
    // Written so that NaN, of a power of something negative, fails too.
    if (!(Math.abs(light - srgbLight(code)) <= curveTolerance)) return false;
    if (!(Math.abs(srgbCode(light) - code) <= curveTolerance)) return false;
  }
  return true;
}

type Curve = (code: number) => number;

/** From code values to light, both 0 to 1; undefined when the tag is of another type or damaged. */
function readCurve(tag: ByteCursor): Curve | undefined {
  const type = tag.text(4);
  tag.skip(4);
  if (type === 'curv') return readSampledCurve(tag);
  if (type === 'para') return readParametricCurve(tag);
  return undefined;
}

/** `curv` (§10.6): nothing is linear, one value a gamma, several are samples joined by lines. */
function readSampledCurve(tag: ByteCursor): Curve | undefined {
  const count = tag.uint32();
  if (tag.overrun || count * 2 > tag.remaining) return undefined;
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

/** Parameters of each function type of `para`, by their names in §10.18, table 68. */
const parameterNames = ['g', 'gab', 'gabc', 'gabcd', 'gabcdef'] as const;

/** `para` (§10.18). Every type is the last one with some parameters at rest. */
function readParametricCurve(tag: ByteCursor): Curve | undefined {
  const type = tag.uint16();
  tag.skip(2);
  const names = parameterNames[type];
  if (names === undefined) return undefined;
  const p = { g: 1, a: 1, b: 0, c: 0, d: Number.NEGATIVE_INFINITY, e: 0, f: 0 };
  for (const name of names) p[name as keyof typeof p] = fixed16(tag);
  if (tag.overrun) return undefined;
  if (type === 1 || type === 2) {
    // Below −b/a they are constant: 0 in type 1, and type 2 adds its c to both parts.
    const offset = p.c;
    return (code) => (code >= -p.b / p.a ? (p.a * code + p.b) ** p.g : 0) + offset;
  }
  return (code) => (code >= p.d ? (p.a * code + p.b) ** p.g + p.e : p.c * code + p.f);
}

/** s15Fixed16Number (§4.6). */
function fixed16(cursor: ByteCursor): number {
  return cursor.int32() / 65536;
}

/** IEC 61966-2-1 §5.2. */
function srgbLight(code: number): number {
  return code <= 0.04045 ? code / 12.92 : ((code + 0.055) / 1.055) ** 2.4;
}

function srgbCode(light: number): number {
  return light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055;
}
