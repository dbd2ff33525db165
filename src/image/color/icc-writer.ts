import { ascii, joinBytes } from '../container/assemble.ts';
import type { ParametricFunction } from './curves.ts';
import {
  adaptedPrimaries,
  type Chromaticities,
  d50,
  type Matrix,
  type Vector,
} from './primaries.ts';

/**
 * A matrix/TRC profile of about 450 bytes for primaries and one curve; equal inputs give equal bytes. Null if no
 * display can have such primaries. Sources: ICC.1:2022 §8.3.3, §9, annex E.
 */
export function rgbProfile(options: {
  readonly primaries: Chromaticities;
  readonly curve: ParametricFunction;
}): Uint8Array<ArrayBuffer> | null {
  const adapted = adaptedPrimaries(options.primaries);
  return adapted && matrixProfile({ ...adapted, curve: options.curve });
}

/** A matrix/TRC profile for the XYZ of red, green and blue under D50; `adaptation` is null if unknown. */
export function matrixProfile(options: {
  readonly colorants: Matrix;
  readonly adaptation: Matrix | null;
  readonly curve: ParametricFunction;
}): Uint8Array<ArrayBuffer> {
  const { colorants, adaptation } = options;
  const [red, green, blue] = colorants;
  const curve = parametric(options.curve);
  const chad: readonly Tag[] = adaptation ? [['chad', fixed16Array(adaptation.flat())]] : [];
  return displayProfile('RGB ', [
    ...chad,
    ['rXYZ', xyz(red)],
    ['gXYZ', xyz(green)],
    ['bXYZ', xyz(blue)],
    ['rTRC', curve],
    ['gTRC', curve],
    ['bTRC', curve],
  ]);
}

/**
 * A monochrome profile of about 300 bytes with the curve from code to luminance relative to white. The
 * original white does not affect how it is displayed and is not recorded.
 * Source: ICC.1:2022 §8.3.4.
 */
export function greyProfile(curve: ParametricFunction): Uint8Array<ArrayBuffer> {
  return displayProfile('GRAY', [['kTRC', parametric(curve)]]);
}

/** A tag's signature and contents, including the type signature. Contents shared by several tags are written once. */
type Tag = readonly [signature: string, contents: Uint8Array];

const version = 0x0440_0000;

/** January 1, 2026: a constant, so that equal inputs give equal bytes. */
const date = [2026, 1, 1, 0, 0, 0];

/**
 * A display profile of version 4.4 with XYZ as connection space. The tags required in every profile are
 * added: names and white. Sources: ICC.1:2022 §7.2, §7.3, §8.2.
 */
function displayProfile(space: 'RGB ' | 'GRAY', ownTags: readonly Tag[]): Uint8Array<ArrayBuffer> {
  const tags: readonly Tag[] = [
    ['desc', localizedText(space.trim())],
    ['cprt', localizedText('CC0')],
    ['wtpt', xyz(d50)],
    ...ownTags,
  ];
  const contents = [...new Set(tags.map(([, content]) => content))];
  const offsets = new Map<Uint8Array, number>();
  let end = 128 + 4 + 12 * tags.length;
  for (const content of contents) {
    offsets.set(content, end);
    end += content.length;
  }
  const table = tags.map(([signature, content]) =>
    joinBytes(ascii(signature), uint32s(offsets.get(content) ?? 0, content.length)),
  );
  return joinBytes(
    ...[uint32s(end, 0, version), ascii('mntr'), ascii(space), ascii('XYZ ')],
    ...[uint16s(...date), ascii('acsp'), new Uint8Array(28), fixed16s(...d50)],
    ...[new Uint8Array(48), uint32s(tags.length), ...table, ...contents],
  );
}

/** `XYZ ` (§10.31). */
function xyz(value: Vector): Uint8Array {
  return joinBytes(ascii('XYZ '), uint32s(0), fixed16s(...value));
}

/** `sf32` (§10.22). */
function fixed16Array(values: readonly number[]): Uint8Array {
  return joinBytes(ascii('sf32'), uint32s(0), fixed16s(...values));
}

/** `para` (§10.18): type 0 for a pure power, type 3 for a power with a linear segment below it. */
function parametric({ g, a, b, c, d }: ParametricFunction): Uint8Array {
  const isPower = a === 1 && b === 0 && d <= 0;
  return joinBytes(
    ...[ascii('para'), uint32s(0), uint16s(isPower ? 0 : 3, 0)],
    fixed16s(...(isPower ? [g] : [g, a, b, c, d])),
  );
}

/** `mluc` (§10.15) in English, padded to a multiple of four bytes. */
function localizedText(text: string): Uint8Array {
  const codes = [...text].map((character) => character.charCodeAt(0));
  return joinBytes(
    ...[ascii('mluc'), uint32s(0, 1, 12), ascii('enUS'), uint32s(codes.length * 2, 28)],
    ...[uint16s(...codes), new Uint8Array((codes.length % 2) * 2)],
  );
}

function uint16s(...values: readonly number[]): Uint8Array {
  return Uint8Array.from(values.flatMap((value) => [value >>> 8, value & 255]));
}

function uint32s(...values: readonly number[]): Uint8Array {
  return uint16s(...values.flatMap((value) => [value >>> 16, value & 0xffff]));
}

/** s15Fixed16Number (§4.6). */
function fixed16s(...values: readonly number[]): Uint8Array {
  return uint32s(...values.map((value) => Math.round(value * 65536)));
}
