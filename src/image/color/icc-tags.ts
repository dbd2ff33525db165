import { ByteCursor } from '../inspect/byte-cursor.ts';

/** As in Little CMS. Without a limit, a table of 4 MiB would become many times that in objects. */
const maximumTags = 100;

/**
 * Contents of a profile's tags by signature, type signature included; they share the profile's
 * memory. Null when the table does not fit the profile or has more than 100 entries.
 * Source: ICC.1:2022 §7.3.
 */
export function iccTags(icc: Uint8Array): ReadonlyMap<string, Uint8Array> | null {
  const view = new DataView(icc.buffer, icc.byteOffset, icc.byteLength);
  const cursor = new ByteCursor(view, 36, view.byteLength);
  if (cursor.text(4) !== 'acsp') return null;
  cursor.skip(128 - 40);
  const count = cursor.uint32();
  if (cursor.overrun || count > maximumTags) return null;
  const tags = new Map<string, Uint8Array>();
  for (let left = count; left > 0; left--) {
    const signature = cursor.text(4);
    const offset = cursor.uint32();
    const length = cursor.uint32();
    if (cursor.overrun || offset + length > icc.length) return null;
    if (!tags.has(signature)) tags.set(signature, icc.subarray(offset, offset + length));
  }
  return tags;
}

/** Tables that engines prefer over matrix and curves, wherever they are (ICC.1:2022 §8.10.2). */
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

/** s15Fixed16Number (ICC.1:2022 §4.6). */
export function fixed16(cursor: ByteCursor): number {
  return cursor.int32() / 65536;
}
