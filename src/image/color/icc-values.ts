import { fixed16, tagCursor } from './icc-tags.ts';
import type { Matrix, Vector } from './matrix.ts';

/** The one value of an `XYZ ` tag (ICC.1:2022 §10.31); null when it is of another type or cut short. */
export function readXyz(tag: Uint8Array): Vector | null {
  const cursor = tagCursor(tag);
  if (cursor.text(4) !== 'XYZ ') return null;
  cursor.skip(4);
  const values: Vector = [fixed16(cursor), fixed16(cursor), fixed16(cursor)];
  return cursor.overrun ? null : values;
}

/** The matrix of a `chad` tag, an array of nine numbers by rows (§9.2.15, §10.22); null as above. */
export function readAdaptation(tag: Uint8Array): Matrix | null {
  const cursor = tagCursor(tag);
  if (cursor.text(4) !== 'sf32') return null;
  cursor.skip(4);
  const row = (): Vector => [fixed16(cursor), fixed16(cursor), fixed16(cursor)];
  const matrix: Matrix = [row(), row(), row()];
  return cursor.overrun ? null : matrix;
}

export interface TaggedCodePoints {
  readonly primaries: number;
  readonly transfer: number;
}

/** Code points of ITU-T H.273 in a `cicp` tag (§9.2.17, §10.3), which version 4.4 introduced. */
export function readTaggedCodePoints(tag: Uint8Array): TaggedCodePoints | null {
  const cursor = tagCursor(tag);
  if (cursor.text(4) !== 'cicp') return null;
  cursor.skip(4);
  const points = { primaries: cursor.uint8(), transfer: cursor.uint8() };
  return cursor.overrun ? null : points;
}
