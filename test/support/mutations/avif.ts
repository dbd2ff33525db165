import { type BoxTree, boxTrees, laidOut, someBox, withBoxes } from '../box-trees.ts';
import type { Random } from '../random.ts';
import { mutatedBytes } from './jpeg.ts';
import {
  below,
  chosen,
  hostileNumber,
  joined,
  type Mutation,
  noise,
  withByte,
  withFlippedBits,
} from './mutation.ts';

type Trees = readonly BoxTree[];
type TreeMutation = (trees: Trees, random: Random, fileBytes: number) => Trees;

/**
 * An AVIF with some changes: of bytes; of boxes, with correct lengths; of table contents; of the coded data; or only of
 * lengths. If boxes before the data grow or shrink, offsets usually still point to the data. Container: ISO/IEC
 * 14496-12 §4.2.
 */
export const mutatedAvif: Mutation = (file, random) => {
  const kind = below(6, random);
  if (kind === 0) return mutatedBytes(file, random);
  const mutations =
    kind < 3 ? boxMutations : kind < 5 ? tableMutations : [...boxMutations, ...tableMutations];
  let trees: Trees = boxTrees(file);
  for (let left = below(5, random); left >= 0; left -= 2) {
    trees = chosen(mutations, random)?.(trees, random, file.length) ?? trees;
  }
  const whole = joined(laidOut(random.unit() < 0.8 ? withMovedOffsets(trees, file) : trees));
  return kind === 5 ? withWrongLength(whole, random) : whole;
};

const types = [
  'meta',
  'iloc',
  'iinf',
  'iprp',
  'ipco',
  'iref',
  'moov',
  'mdat',
  'free',
  'av01',
  'idat',
];

/**
 * Maximum size of a file after multiplication, in bytes: a box that occurs hundreds of times is changed in all these
 * places, so a few consecutive changes could produce gigabytes.
 */
export const largest = 1_000_000;

const boxMutations: readonly TreeMutation[] = [
  (trees, random) => withBox(trees, someBox(trees, random), () => []),
  (trees, random) => withBox(trees, someBox(trees, random), (box) => [box, box]),
  // Another box in its place.
  (trees, random) => {
    const other = someBox(trees, random);
    return withBox(trees, someBox(trees, random), () => (other ? [other] : []));
  },
  // Two boxes swapped.
  (trees, random) => {
    const [one, other] = [someBox(trees, random), someBox(trees, random)];
    if (!one || !other) return trees;
    return replaced(trees, [
      [other, [one]],
      [one, [other]],
    ]);
  },
  (trees, random) =>
    withBox(trees, someBox(trees, random), (box) => [
      { ...box, type: chosen(types, random) ?? box.type },
    ]),
  // A box nested in boxes of its own kind, to some depth.
  (trees, random) =>
    withBox(trees, someBox(trees, random), (box) => {
      let nested = box;
      for (let depth = below(60, random); depth >= 0; depth -= 1) {
        nested = { ...box, inner: [nested] };
      }
      return [nested];
    }),
  // A box repeated many times.
  (trees, random) =>
    withBox(trees, someBox(trees, random), (box) =>
      Array.from({ length: below(400, random) }, () => box),
    ),
];

const tableMutations: readonly TreeMutation[] = [
  // Versions, flags, counts, ids: the fields at the beginning.
  (trees, random, fileBytes) => {
    const leaf = someBox(trees, random, isTable);
    return withContent(trees, leaf, (content) =>
      withNumber(content, below(24, random), hostileNumber(fileBytes, random), random),
    );
  },
  // Fields further back: offsets, lengths, references.
  (trees, random, fileBytes) => {
    const leaf = someBox(trees, random, isTable);
    return withContent(trees, leaf, (content) =>
      withNumber(content, below(content.length, random), hostileNumber(fileBytes, random), random),
    );
  },
  (trees, random, fileBytes) => {
    const locations = someBox(trees, random, ({ type }) => type === 'iloc');
    return withContent(trees, locations, (content) =>
      withNumber(content, below(content.length, random), hostileNumber(fileBytes, random), random),
    );
  },
  (trees, random) =>
    withContent(trees, someBox(trees, random, isTable), (content) =>
      withByte(content, below(content.length, random), () => below(256, random)),
    ),
  (trees, random) =>
    withContent(trees, someBox(trees, random, isTable), (content) =>
      content.subarray(0, below(content.length + 1, random)),
    ),
  (trees, random) =>
    withContent(trees, someBox(trees, random, isTable), (content) =>
      joined(content, noise(1 + below(40, random), random)),
    ),
  // Coded data.
  (trees, random) =>
    withContent(
      trees,
      someBox(trees, random, ({ type }) => type === 'mdat'),
      (content) => withFlippedBits(content, random),
    ),
];

function withBox(
  trees: Trees,
  wanted: BoxTree | undefined,
  change: (box: BoxTree) => Trees,
): Trees {
  return wanted ? replaced(trees, [[wanted, change(wanted)]]) : trees;
}

/**
 * The trees with some boxes replaced, wherever they are; unchanged if that would produce more than `largest` bytes. The
 * size is computed first, so that an oversized tree is never built.
 */
function replaced(trees: Trees, replacements: readonly (readonly [BoxTree, Trees])[]): Trees {
  const others = new Map(replacements);
  const before = new Map<BoxTree, number>();
  const after = new Map(replacements.map(([box, others]) => [box, bytesOf(others, before)]));
  const bytes = bytesOf(trees, after);
  if (bytes > largest && bytes > bytesOf(trees, before)) return trees;
  return withBoxes(trees, (box) => others.get(box));
}

/** The serialized length of boxes; known lengths are reused. */
function bytesOf(trees: Trees, known: Map<BoxTree, number>): number {
  let sum = 0;
  for (const box of trees) {
    const bytes = known.get(box) ?? 8 + box.content.length + bytesOf(box.inner, known);
    known.set(box, bytes);
    sum += bytes;
  }
  return sum;
}

function isTable({ type, inner }: BoxTree): boolean {
  return inner.length === 0 && type !== 'mdat';
}

function withContent(
  trees: Trees,
  box: BoxTree | undefined,
  change: (content: Uint8Array) => Uint8Array,
): Trees {
  return withBox(trees, box, (found) => [{ ...found, content: change(found.content) }]);
}

/** Overwrites the bytes at this offset with an 8-, 16- or 32-bit number. */
function withNumber(bytes: Uint8Array, at: number, value: number, random: Random): Uint8Array {
  const result = Buffer.from(bytes);
  const size = chosen([1, 2, 4, 4], random) ?? 4;
  if (at + size <= result.length) result.writeUIntBE(value % 256 ** size, at, size);
  return result;
}

/** A wrong length in one of the outer boxes, or in the first box within them. */
function withWrongLength(file: Uint8Array<ArrayBuffer>, random: Random): Uint8Array<ArrayBuffer> {
  const places: number[] = [];
  const text = Buffer.from(file).toString('latin1');
  for (const type of ['ftyp', 'meta', 'hdlr', 'iloc', 'iinf', 'infe', 'iprp', 'ipco', 'ipma']) {
    const at = text.indexOf(type);
    if (at >= 4) places.push(at - 4);
  }
  const place = chosen(places, random);
  if (place === undefined) return file;
  const result = file.slice();
  const view = new DataView(result.buffer);
  const near = Math.max(0, view.getUint32(place) + below(9, random) - 4);
  view.setUint32(place, chosen([near, hostileNumber(file.length, random)], random) ?? 0);
  return result;
}

/**
 * The item locations, adjusted by the distance that the data moved. Only for tables as encoders write them: version 0,
 * 32-bit numbers.
 */
function withMovedOffsets(trees: Trees, file: Uint8Array): Trees {
  const before = dataStart(boxTrees(file));
  const moved = dataStart(trees) - before;
  if (moved === 0) return trees;
  const table = someBox(trees, null, ({ type }) => type === 'iloc');
  return withContent(trees, table, (content) => {
    const result = Buffer.from(content);
    if (result.length < 8 || result[0] !== 0 || result[4] !== 0x44) return result;
    const baseBytes = (result[5] ?? 0) >> 4;
    for (let left = result.readUInt16BE(6), at = 8 + 4; left > 0; left -= 1, at += 4) {
      if (baseBytes === 4 && at + 4 <= result.length) move(result, at, moved);
      at += baseBytes;
      if (at + 2 > result.length) break;
      const extents = result.readUInt16BE(at);
      at += 2;
      for (let i = 0; i < extents && at + 8 <= result.length; i += 1, at += 8) {
        if (baseBytes === 0) move(result, at, moved);
      }
    }
    return result;
  });
}

function move(bytes: Buffer, at: number, by: number): void {
  bytes.writeUInt32BE((bytes.readUInt32BE(at) + by) >>> 0, at);
}

/** Offset of the first `mdat`; the end of the file if there is none. */
function dataStart(trees: Trees): number {
  let at = 0;
  for (const tree of trees) {
    if (tree.type === 'mdat') break;
    at += laidOut([tree]).length;
  }
  return at;
}
