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

/** An extension or an image: the part before its sub-blocks, and the data in them. */
interface Block {
  readonly head: Uint8Array;
  readonly data: Uint8Array;
}

/** A GIF whose sub-blocks are recreated when it is assembled. */
interface Parts {
  /** Signature, logical screen and global color table. */
  readonly screen: Uint8Array;
  readonly blocks: readonly Block[];
}

type PartsMutation = (parts: Parts, random: Random) => Parts;

const [extension, image, trailer] = [0x21, 0x2c, 0x3b];
const [control, application, comment, plainText] = [0xf9, 0xff, 0xfe, 0x01];

/**
 * A GIF with some changes: of bytes; of blocks, with valid sub-blocks; of the fields for the position and disposal of a
 * frame; of the coded data; or only of the lengths of sub-blocks. Container: GIF89a §15 to §26.
 */
export const mutatedGif: Mutation = (file, random) => {
  const kind = below(6, random);
  if (kind === 0) return mutatedBytes(file, random);
  const mutations = kind < 3 ? blockMutations : kind < 5 ? fieldMutations : dataMutations;
  let parts = partsOf(file);
  for (let left = below(5, random); left >= 0; left -= 2) {
    parts = chosen(mutations, random)?.(parts, random) ?? parts;
  }
  return serialized(parts, random);
};

const blockMutations: readonly PartsMutation[] = [
  ({ screen, blocks }, random) => ({ screen, blocks: blocks.toSpliced(anyOf(blocks, random), 1) }),
  ({ screen, blocks }, random) => {
    const i = anyOf(blocks, random);
    const at = below(blocks.length + 1, random);
    return { screen, blocks: blocks.toSpliced(at, 0, ...blocks.slice(i, i + 1)) };
  },
  ({ screen, blocks }, random) => {
    const [one, other] = [anyOf(blocks, random), anyOf(blocks, random)];
    const swapped = blocks.map((_, i) => blocks[i === one ? other : i === other ? one : i]);
    return { screen, blocks: swapped.filter((each) => each !== undefined) };
  },
  // Many copies of a block.
  ({ screen, blocks }, random) => {
    const i = anyOf(blocks, random);
    const many = Array.from({ length: below(400, random) }, () => blocks.slice(i, i + 1)).flat();
    return { screen, blocks: blocks.toSpliced(i, 0, ...many) };
  },
  // An extension, known or unknown.
  ({ screen, blocks }, random) => {
    const labels = [control, application, comment, plainText, below(256, random)];
    const head = Uint8Array.of(extension, chosen(labels, random) ?? 0);
    const added = { head, data: noise(below(300, random), random) };
    return { screen, blocks: blocks.toSpliced(below(blocks.length + 1, random), 0, added) };
  },
  // A number of plays.
  ({ screen, blocks }, random) => {
    const data = joined(Buffer.from('NETSCAPE2.0'), Uint8Array.of(1), noise(2, random));
    const head = Uint8Array.of(extension, application);
    return { screen, blocks: [...blocks, { head, data }] };
  },
  // Truncated after some block.
  ({ screen, blocks }, random) => ({ screen, blocks: blocks.slice(0, anyOf(blocks, random)) }),
];

const fieldMutations: readonly PartsMutation[] = [
  // Size, flags or background of the screen.
  ({ screen, blocks }, random) => ({
    screen: withByte(screen, 6 + below(7, random), () => below(256, random)),
    blocks,
  }),
  // Colors: different ones, fewer or none.
  ({ screen, blocks }, random) => ({
    screen: screen.subarray(0, 13 + below(screen.length - 12, random)),
    blocks,
  }),
  // Position, size, flags or color table of an image, or its code size.
  (parts, random) =>
    changed(parts, isImage, random, ({ head, data }) => ({
      head: withByte(head, 1 + below(head.length - 1, random), () => below(256, random)),
      data,
    })),
  (parts, random) =>
    changed(parts, isImage, random, ({ head, data }) => ({
      head: withByte(head, head.length - 1, () => below(16, random)),
      data,
    })),
  // Disposal, delay or transparent color.
  (parts, random) =>
    changed(parts, isControl, random, ({ head, data }) => ({
      head,
      data: withByte(data, below(4, random), () => below(256, random)),
    })),
  (parts, random) =>
    changed(parts, isControl, random, ({ head, data }) => ({
      head,
      data: withByte(data, 0, (flags) => (flags & 0xe3) | (below(8, random) << 2)),
    })),
];

const dataMutations: readonly PartsMutation[] = [
  (parts, random) =>
    changed(parts, isImage, random, ({ head, data }) => ({
      head,
      data: withFlippedBits(data, random),
    })),
  (parts, random) =>
    changed(parts, isImage, random, ({ head, data }) => ({
      head,
      data: data.subarray(0, below(data.length + 1, random)),
    })),
  (parts, random) =>
    changed(parts, isImage, random, ({ head, data }) => ({
      head,
      data: joined(data, noise(below(600, random), random)),
    })),
  (parts, random) =>
    changed(parts, isImage, random, ({ head, data }) => ({
      head,
      data: noise(data.length, random),
    })),
];

const isImage = ({ head }: Block) => head[0] === image;
const isControl = ({ head }: Block) => head[0] === extension && head[1] === control;

/** Changes one of the blocks of a kind, if there is any. */
function changed(
  { screen, blocks }: Parts,
  isMeant: (block: Block) => boolean,
  random: Random,
  change: (block: Block) => Block,
): Parts {
  const one = chosen(blocks.filter(isMeant), random);
  return { screen, blocks: blocks.map((each) => (each === one ? change(each) : each)) };
}

function anyOf(blocks: readonly Block[], random: Random): number {
  return below(blocks.length, random);
}

/** The parts of a valid file. */
function partsOf(file: Uint8Array): Parts {
  let at = 13 + tableBytes(file[10] ?? 0);
  const screen = file.slice(0, at);
  const blocks: Block[] = [];
  while (file[at] === extension || file[at] === image) {
    // The code size belongs to the head of an image.
    const headBytes = file[at] === image ? 11 + tableBytes(file[at + 9] ?? 0) : 2;
    const head = file.slice(at, at + headBytes);
    at += headBytes;
    const data: Uint8Array[] = [];
    for (let length = file[at] ?? 0; length > 0; length = file[at] ?? 0) {
      data.push(file.subarray(at + 1, at + 1 + length));
      at += 1 + length;
    }
    at += 1;
    blocks.push({ head, data: Buffer.concat(data) });
  }
  return { screen, blocks };
}

function tableBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

/** Usually writes sub-blocks of the maximum length; sometimes shorter ones, or one with a wrong length. */
function serialized({ screen, blocks }: Parts, random: Random): Uint8Array<ArrayBuffer> {
  const length = chosen([255, 255, 255, 254, 7, 1], random) ?? 255;
  const end = chosen([[trailer], [trailer], [trailer], [], [0, 0, trailer]], random) ?? [];
  const content = blocks.flatMap(({ head, data }) => [head, ...subBlocks(data, head, length)]);
  const whole = Uint8Array.from(Buffer.concat([screen, ...content, Uint8Array.from(end)]));
  if (below(8, random) > 0) return whole;
  const wrong = hostileNumber(whole.length, random) & 255;
  return withByte(whole, below(whole.length, random), () => wrong);
}

/** The name of an application and the text of its block are separate sub-blocks (GIF89a §26). */
function subBlocks(data: Uint8Array, head: Uint8Array, length: number): Uint8Array[] {
  const named = head[0] === extension && (head[1] === application || head[1] === plainText);
  const parts: Uint8Array[] = [];
  for (let at = 0; at < data.length; ) {
    const part = data.subarray(at, at + (named && at === 0 ? 11 : length));
    parts.push(Uint8Array.of(part.length), part);
    at += part.length;
  }
  return [...parts, Uint8Array.of(0)];
}
