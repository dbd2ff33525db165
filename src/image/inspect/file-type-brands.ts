import { ByteCursor } from './byte-cursor.ts';
import { nextBox } from './iso-boxes.ts';

/** Real files list ten at most; a list that goes on is no reason to. */
const maximumBrands = 64;

/**
 * Major and compatible brands of an ISO base media file, in the order of its `ftyp` box; empty when
 * the file does not begin with one. A box that the end of the file cuts gives the brands that are
 * there. Source: ISO/IEC 14496-12 §4.3.
 */
export function fileTypeBrands(view: DataView): readonly string[] {
  const head = new ByteCursor(view, 0, view.byteLength);
  head.skip(4);
  if (head.text(4) !== 'ftyp') return [];
  const box = nextBox(new ByteCursor(view, 0, view.byteLength));
  const cursor = new ByteCursor(view, box?.start ?? 8, box?.end ?? view.byteLength);
  const brands: string[] = [];
  if (cursor.remaining >= 4) brands.push(cursor.text(4));
  cursor.skip(4);
  while (cursor.remaining >= 4 && brands.length < maximumBrands) brands.push(cursor.text(4));
  return brands;
}
