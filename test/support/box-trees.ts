import { below } from './mutations/mutation.ts';
import type { Random } from './random.ts';

/** A box of the ISO base media file format, with its child boxes. */
export interface BoxTree {
  readonly type: string;
  /** The whole content if there are no child boxes; otherwise the part before them. */
  readonly content: Uint8Array;
  readonly inner: readonly BoxTree[];
}

/** Number of bytes before the first child box, for boxes that have children. */
const headBytes: Readonly<Record<string, number>> = {
  ...{ meta: 4, iinf: 6, iref: 4, iprp: 0, ipco: 0, dinf: 0 },
  ...{ moov: 0, trak: 0, mdia: 0, minf: 0, stbl: 0 },
};

/** The boxes of a file; bytes that do not belong to a box are dropped. Source: ISO/IEC 14496-12 §4.2. */
export function boxTrees(bytes: Uint8Array): readonly BoxTree[] {
  const trees: BoxTree[] = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + 8 <= bytes.length; ) {
    const length = view.getUint32(at) || bytes.length - at;
    if (length < 8 || at + length > bytes.length) break;
    const type = Buffer.from(bytes.subarray(at + 4, at + 8)).toString('latin1');
    const content = bytes.subarray(at + 8, at + length);
    const head = headBytes[type];
    trees.push(
      head === undefined
        ? { type, content, inner: [] }
        : { type, content: content.subarray(0, head), inner: boxTrees(content.subarray(head)) },
    );
    at += length;
  }
  return trees;
}

/** Serializes the boxes with correct lengths. */
export function laidOut(trees: readonly BoxTree[]): Uint8Array {
  return Buffer.concat(trees.flatMap(pieces));
}

function pieces({ type, content, inner }: BoxTree): Uint8Array[] {
  const rest = laidOut(inner);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + content.length + rest.length);
  head.write(type, 4, 'latin1');
  return [head, content, rest];
}

/** A random box at any depth that matches; by default any. */
export function someBox(
  trees: readonly BoxTree[],
  random: Random | null,
  fits: (box: BoxTree) => boolean = () => true,
): BoxTree | undefined {
  const all: BoxTree[] = [];
  const collect = (boxes: readonly BoxTree[]) => {
    for (const box of boxes) {
      if (fits(box)) all.push(box);
      collect(box.inner);
    }
  };
  collect(trees);
  return all[random ? below(all.length, random) : 0];
}

/** The trees with some boxes replaced; boxes for which the replacement is undefined stay. */
export function withBoxes(
  trees: readonly BoxTree[],
  change: (box: BoxTree) => readonly BoxTree[] | undefined,
): readonly BoxTree[] {
  return trees.flatMap((box) => change(box) ?? [{ ...box, inner: withBoxes(box.inner, change) }]);
}
