import { readAvifItems } from '../../../src/image/formats/avif/container/items.ts';
import { writeAvif, writeItemEntry } from '../../../src/image/formats/avif/container/writer.ts';
import { avifOf, painted } from '../avif-files.ts';
import { type BoxTree, boxTrees, laidOut, withBoxes } from '../box-trees.ts';
import { joined, repeated } from './bit-writer.ts';

const plain = () => avifOf(painted(64, 64, (x, y) => [4 * x, 4 * y, 2 * (x + y), 255]));

/** A box without content. */
const emptyBox = Uint8Array.of(0, 0, 0, 8, ...Buffer.from('free'));

/** A small picture before boxes without content, of this many bytes. */
export async function avifOfBoxes(bytes: number): Promise<Uint8Array<ArrayBuffer>> {
  return joined(await plain(), repeated(emptyBox, bytes));
}

/** A small picture before boxes of tracks, each within the other, of this many bytes. */
export async function avifOfNesting(bytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const nested = Buffer.alloc(bytes - (bytes % 8));
  for (let at = 0; at < nested.length; at += 8) {
    nested.writeUInt32BE(nested.length - at, at);
    nested.write(at === 0 ? 'moov' : 'trak', at + 4, 'latin1');
  }
  return joined(await plain(), nested);
}

/** A small picture whose list of properties has boxes without content, of this many bytes. */
export async function avifOfProperties(bytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const storm = boxTrees(repeated(emptyBox, bytes));
  const within = (box: BoxTree) =>
    box.type === 'ipco' ? [{ ...box, inner: [...box.inner, ...storm] }] : undefined;
  const trees = boxTrees(await plain());
  const media = trees.filter(({ type }) => type === 'mdat');
  const before = laidOut(
    trees.slice(
      0,
      trees.findIndex(({ type }) => type === 'mdat'),
    ),
  ).length;
  const moved = laidOut(
    withBoxes(
      trees.filter(({ type }) => type !== 'mdat'),
      within,
    ),
  );
  return joined(withOffsets(moved, moved.length - before), laidOut(media));
}

/** A small picture with further items, hidden and without data of their own. */
export async function avifOfItems(count: number): Promise<Uint8Array<ArrayBuffer>> {
  const file = await plain();
  const all = readAvifItems(file);
  if (!all) throw new TypeError('an AVIF has items');
  const { handler, primaryId, references } = all;
  const own = [...all.items.values()].map(({ id, entry, extents, associations }) => {
    const bytes = joined(
      ...(extents ?? []).map(({ offset, length }) => file.subarray(offset, offset + length)),
    );
    return { id, entry, associations, data: { from: 'memory', bytes } as const };
  });
  const others = Array.from({ length: count }, (_, i) => {
    const id = 1000 + i;
    const entry = writeItemEntry({ id, type: 'av01', isHidden: true });
    return {
      id,
      entry,
      associations: [],
      data: { from: 'memory', bytes: Uint8Array.of(0) } as const,
    };
  });
  const brands = ['avif', 'mif1', 'miaf'];
  return writeAvif(new Uint8Array(), {
    brands,
    handler,
    primaryId,
    items: [...own, ...others],
    references,
  });
}

/** The boxes with the offsets of all items raised, in a table of version 0 with 4 bytes for each number. */
function withOffsets(boxes: Uint8Array, by: number): Uint8Array {
  const bytes = Buffer.from(boxes);
  let at = bytes.indexOf('iloc') + 4 + 4;
  if (bytes.readUInt16BE(at) >> 8 !== 0x44) throw new TypeError('offsets have another size');
  const baseBytes = (bytes.readUInt16BE(at) >> 4) & 15;
  const count = bytes.readUInt16BE(at + 2);
  at += 4;
  for (let i = 0; i < count; i += 1) {
    at += 4 + baseBytes;
    const extents = bytes.readUInt16BE(at);
    at += 2;
    for (let extent = 0; extent < extents; extent += 1, at += 8) {
      bytes.writeUInt32BE(bytes.readUInt32BE(at) + by, at);
    }
  }
  return bytes;
}
