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

/** A chunk without its length, which is computed when a file is assembled. */
interface Chunk {
  readonly type: string;
  readonly data: Uint8Array;
}

type ChunkMutation = (chunks: readonly Chunk[], random: Random) => readonly Chunk[];

const types = ['VP8 ', 'VP8L', 'VP8X', 'ALPH', 'ANIM', 'ANMF', 'ICCP', 'EXIF', 'XMP ', 'RIFF'];

/**
 * A WebP with some changes: of bytes; of chunks, with correct lengths; of the coded data; or only of lengths.
 * Container: RFC 9649 §2.3.
 */
export const mutatedWebp: Mutation = (file, random) => {
  const kind = below(5, random);
  if (kind === 0) return mutatedBytes(file, random);
  let chunks: readonly Chunk[] = chunksOf(file);
  for (let left = below(5, random); left >= 0; left -= 2) {
    const change = chosen(kind < 3 ? chunkMutations : dataMutations, random);
    chunks = change?.(chunks, random) ?? chunks;
  }
  const whole = serialized(chunks);
  return kind === 4 ? withWrongLength(whole, random) : whole;
};

const chunkMutations: readonly ChunkMutation[] = [
  (chunks, random) => chunks.toSpliced(below(chunks.length, random), 1),
  (chunks, random) => {
    const i = below(chunks.length, random);
    return chunks.toSpliced(below(chunks.length + 1, random), 0, ...chunks.slice(i, i + 1));
  },
  (chunks, random) => {
    const [one, other] = [below(chunks.length, random), below(chunks.length, random)];
    return chunks.map((each, i) => chunks[i === one ? other : i === other ? one : i] ?? each);
  },
  // Another type, known or unknown.
  (chunks, random) =>
    changed(chunks, random, ({ data }) => ({
      type: chosen([...types, 'abcd'], random) ?? '',
      data,
    })),
  // Chunks within a chunk, to some depth.
  (chunks, random) => {
    let inner = chunks;
    for (let depth = below(40, random); depth >= 0; depth -= 1) {
      inner = [
        { type: chosen(['ANMF', 'RIFF', 'LIST'], random) ?? '', data: serializedChunks(inner) },
      ];
    }
    return [...chunks, ...inner];
  },
  // Many chunks.
  (chunks, random) => {
    const type = chosen(types, random) ?? '';
    const many = Array.from({ length: below(3000, random) }, () => ({
      type,
      data: noise(0, random),
    }));
    return chunks.toSpliced(below(chunks.length + 1, random), 0, ...many);
  },
  (chunks, random) =>
    chunks.toSpliced(below(chunks.length + 1, random), 0, {
      type: chosen(types, random) ?? '',
      data: noise(below(60, random), random),
    }),
];

const dataMutations: readonly ChunkMutation[] = [
  (chunks, random) =>
    changed(chunks, random, ({ type, data }) => ({ type, data: withFlippedBits(data, random) })),
  // Flags, sizes and the headers of bitstreams.
  (chunks, random) =>
    changed(chunks, random, ({ type, data }) => ({
      type,
      data: withByte(data, below(Math.min(24, data.length), random), () => below(256, random)),
    })),
  (chunks, random) =>
    changed(chunks, random, ({ type, data }) => ({
      type,
      data: data.subarray(0, below(data.length + 1, random)),
    })),
  (chunks, random) =>
    changed(chunks, random, ({ type, data }) => ({
      type,
      data: joined(data, noise(below(40, random), random)),
    })),
  // The properties that a canvas declares.
  (chunks, random) =>
    chunks.map(({ type, data }) => ({
      type,
      data: type === 'VP8X' ? withByte(data, below(10, random), () => below(256, random)) : data,
    })),
];

function changed(
  chunks: readonly Chunk[],
  random: Random,
  change: (chunk: Chunk) => Chunk,
): readonly Chunk[] {
  const i = below(chunks.length, random);
  return chunks.map((each, at) => (at === i ? change(each) : each));
}

/** A wrong length, of the file or of a chunk. */
function withWrongLength(file: Uint8Array<ArrayBuffer>, random: Random): Uint8Array<ArrayBuffer> {
  const places = [4];
  for (let at = 12; at + 8 <= file.length; ) {
    places.push(at + 4);
    at += 8 + padded(lengthAt(file, at + 4));
  }
  const place = chosen(places, random) ?? 4;
  const result = file.slice();
  const near = Math.max(0, lengthAt(file, place) + below(9, random) - 4);
  const value = chosen([near, near, hostileNumber(file.length, random)], random) ?? 0;
  new DataView(result.buffer).setUint32(place, value, true);
  return result;
}

function chunksOf(file: Uint8Array): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = 12; at + 8 <= file.length; ) {
    const length = lengthAt(file, at + 4);
    const type = Buffer.from(file.subarray(at, at + 4)).toString('latin1');
    chunks.push({ type, data: file.slice(at + 8, at + 8 + length) });
    at += 8 + padded(length);
  }
  return chunks;
}

function serialized(chunks: readonly Chunk[]): Uint8Array<ArrayBuffer> {
  const content = serializedChunks(chunks);
  return joined(head('RIFF', content.length + 4), Buffer.from('WEBP'), content);
}

function serializedChunks(chunks: readonly Chunk[]): Uint8Array {
  const parts = chunks.flatMap(({ type, data }) => [
    head(type, data.length),
    data,
    new Uint8Array(data.length & 1),
  ]);
  return joined(...parts);
}

function head(type: string, length: number): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.write(type, 'latin1');
  bytes.writeUInt32LE(length, 4);
  return bytes;
}

function lengthAt(file: Uint8Array, at: number): number {
  return new DataView(file.buffer, file.byteOffset).getUint32(at, true);
}

/** Chunks begin at even offsets. */
function padded(length: number): number {
  return length + (length & 1);
}
