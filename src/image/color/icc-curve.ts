import type { ByteCursor } from '../inspect/byte-cursor.ts';
import type { Curve } from './curves.ts';
import { fixed16, tagCursor } from './icc-tags.ts';
import { parametricCurve } from './parametric-function.ts';

/** As in Little CMS; real curves have 4096 samples at most. */
const maximumSamples = 0x7fff;

/**
 * The curve that a tag holds; null when it is of another type, damaged, or of more than 32767 samples.
 * It never leaves 0–1 and keeps no hold of the profile. Sources: ICC.1:2022 §10.6, §10.18.
 */
export function readCurve(tag: Uint8Array): Curve | null {
  const cursor = tagCursor(tag);
  const type = cursor.text(4);
  cursor.skip(4);
  if (type === 'curv') return readSampledCurve(cursor);
  if (type === 'para') return readParametricCurve(cursor);
  return null;
}

/** `curv` (§10.6): nothing is linear, one value a gamma, several are samples joined by lines. */
function readSampledCurve(tag: ByteCursor): Curve | null {
  const count = tag.uint32();
  if (tag.overrun || count > maximumSamples || count * 2 > tag.remaining) return null;
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
function readParametricCurve(tag: ByteCursor): Curve | null {
  const type = tag.uint16();
  tag.skip(2);
  const names = parameterNames[type];
  if (names === undefined) return null;
  const p = { g: 1, a: 1, b: 0, c: 0, d: Number.NEGATIVE_INFINITY, e: 0, f: 0 };
  for (const name of names) p[name as keyof typeof p] = fixed16(tag);
  if (tag.overrun) return null;
  if (type === 1 || type === 2) {
    // Below −b/a they are constant: 0 in type 1, and type 2 adds its c to both parts.
    return parametricCurve({ ...p, c: 0, d: -p.b / p.a }, { e: p.c, f: p.c });
  }
  return parametricCurve(p, p);
}
