import { constants, deflateSync, inflateRawSync, inflateSync } from 'node:zlib';
import { chunksOf } from '../../../bench/codecs/png/coders.ts';
import { chunk } from '../pictures.ts';
import type { Random } from '../random.ts';
import { mutatedBytes } from './jpeg.ts';
import { below, chosen, joined, noise } from './mutation.ts';

/** A chunk without its length and checksum, which are computed when a file is assembled. */
interface Chunk {
  readonly type: string;
  readonly data: Uint8Array;
}

/** Returns a changed copy of the parts of a file. */
type ChunkMutation = (chunks: readonly Chunk[], random: Random) => readonly Chunk[];
type StreamMutation = (stream: Uint8Array, random: Random) => Uint8Array;

/**
 * A PNG with some changes: of bytes; of chunks, with correct checksums; of compressed data; or of the unpacked rows,
 * also with correct checksums.
 */
export function mutatedPng(file: Uint8Array, random: Random): Uint8Array<ArrayBuffer> {
  const kind = below(5, random);
  if (kind === 0) return mutatedBytes(file, random);
  let chunks: readonly Chunk[] = chunksOf(file).map(({ type, bytes }) => ({
    type,
    data: bytes.subarray(8, -4),
  }));
  for (let left = below(4, random); left >= 0; left -= 2) {
    const change = chosen(kind < 3 ? chunkMutations : dataMutations, random);
    chunks = change?.(chunks, random) ?? chunks;
  }
  const parts = chunks.map(({ type, data }) => chunk(type, data));
  return Uint8Array.from(Buffer.concat([file.subarray(0, 8), ...parts]));
}

const chunkMutations: readonly ChunkMutation[] = [
  (chunks, random) => chunks.toSpliced(below(chunks.length, random), 1),
  (chunks, random) => {
    const i = below(chunks.length, random);
    return chunks.toSpliced(below(chunks.length, random), 0, ...chunks.slice(i, i + 1));
  },
  (chunks, random) => {
    const [one, other] = [below(chunks.length, random), below(chunks.length, random)];
    return chunks.map((each, i) => chunks[i === one ? other : i === other ? one : i] ?? each);
  },
  // A size, a depth, a color type or a method.
  (chunks, random) =>
    changedIn(chunks, 'IHDR', (data) =>
      withByte(data, chosen([2, 3, 6, 7, 8, 9, 10, 11, 12], random) ?? 0, headerByte(random)),
    ),
  (chunks) => changedIn(chunks, 'IHDR', (data) => withByte(data, 12, data[12] ? 0 : 1)),
  // Colors: different ones, fewer or more.
  ...(['PLTE', 'tRNS'] as const).flatMap((type): ChunkMutation[] => [
    (chunks, random) => changedIn(chunks, type, (data) => randomByte(data, random)),
    (chunks, random) =>
      changedIn(chunks, type, (data) => data.subarray(0, below(data.length + 1, random))),
    (chunks, random) =>
      changedIn(chunks, type, (data) => joined(data, noise(1 + below(9, random), random))),
  ]),
  // Colors where there were none.
  (chunks, random) =>
    chunks.toSpliced(1 + below(2, random), 0, {
      type: chosen(['PLTE', 'tRNS'], random) ?? '',
      data: noise(chosen([1, 2, 3, 6, 12, 48, 768], random) ?? 0, random),
    }),
  // Image data in different pieces, with something between them, or noise after their end.
  (chunks, random) => withStream(chunks, (stream) => stream, random),
  (chunks, random) =>
    chunks.toSpliced(below(chunks.length, random), 0, {
      type: chosen(['IDAT', 'IDAT', 'tEXt', 'fdAT', 'IEND', 'abcD', 'ABCD'], random) ?? '',
      data: noise(below(20, random), random),
    }),
  (chunks, random) => {
    const i = below(chunks.length, random);
    return chunks.map((each, at) =>
      at === i ? { ...each, data: randomByte(each.data, random) } : each,
    );
  },
];

const dataMutations: readonly ChunkMutation[] = [
  (chunks, random) => withStream(chunks, (stream) => changedBits(stream, random), random),
  (chunks, random) =>
    withStream(chunks, (stream) => withRightSum(changedBits(stream, random)), random),
  (chunks, random) =>
    withStream(chunks, (stream) => withRightSum(mutatedBytes(stream, random)), random),
  ...[changedBits, changedFilter, shorter, longer].map(
    (change): ChunkMutation =>
      (chunks, random) =>
        withStream(chunks, (stream) => withChangedRows(stream, change, random), random),
  ),
];

/** Changes the image data, in one chunk or in several, some of them empty. */
function withStream(
  chunks: readonly Chunk[],
  change: (stream: Uint8Array) => Uint8Array,
  random: Random,
): readonly Chunk[] {
  const isData = ({ type }: Chunk) => type === 'IDAT';
  const first = chunks.findIndex(isData);
  if (first < 0) return chunks;
  let rest = change(joined(...chunks.filter(isData).map(({ data }) => data)));
  const pieces: Chunk[] = [];
  for (let left = below(3, random) * below(9, random); left > 0; left -= 1) {
    const length = below(3, random) * below(1 + (rest.length >> 1), random);
    pieces.push({ type: 'IDAT', data: rest.subarray(0, length) });
    rest = rest.subarray(length);
  }
  const others = chunks.filter((each) => !isData(each));
  return others.toSpliced(first, 0, ...pieces, { type: 'IDAT', data: rest });
}

/** Changes the rows of the stream, and repacks them with one of deflate's strategies. */
function withChangedRows(stream: Uint8Array, change: StreamMutation, random: Random): Uint8Array {
  let rows: Uint8Array;
  try {
    rows = inflateSync(stream);
  } catch {
    return stream;
  }
  const { Z_DEFAULT_STRATEGY, Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE } = constants;
  return deflateSync(change(rows, random), {
    level: below(10, random),
    strategy: chosen([Z_DEFAULT_STRATEGY, Z_FIXED, Z_HUFFMAN_ONLY, Z_RLE], random) ?? 0,
  });
}

/** Gives a damaged stream that still unpacks the correct checksum of its contents (RFC 1950 §2.2). */
function withRightSum(stream: Uint8Array): Uint8Array {
  const body = stream.subarray(2);
  try {
    // With `info`, the result also contains the engine, which is missing in the types.
    const { buffer, engine } = inflateRawSync(body, { info: true }) as unknown as {
      buffer: Uint8Array;
      engine: { bytesWritten: number };
    };
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(adler32(buffer));
    return joined(Uint8Array.of(0x78, 0x9c), body.subarray(0, engine.bytesWritten), sum);
  } catch {
    return stream;
  }
}

/** RFC 1950 §8.2. */
function adler32(bytes: Uint8Array): number {
  let [a, b] = [1, 0];
  for (const byte of bytes) {
    a = (a + byte) % 65_521;
    b = (b + a) % 65_521;
  }
  return b * 65_536 + a;
}

function changedBits(bytes: Uint8Array, random: Random): Uint8Array {
  const changed = bytes.slice();
  for (let left = below(4, random); left >= 0; left -= 1) {
    const at = below(bytes.length, random);
    changed[at] = (changed[at] ?? 0) ^ (1 << below(8, random));
  }
  return changed;
}

/** Changes the filter of the first row, or a byte that may be the filter of another row. */
function changedFilter(rows: Uint8Array, random: Random): Uint8Array {
  return withByte(rows, below(2, random) * below(rows.length, random), below(7, random));
}

function shorter(rows: Uint8Array, random: Random): Uint8Array {
  return rows.subarray(0, below(rows.length, random));
}

function longer(rows: Uint8Array, random: Random): Uint8Array {
  return joined(rows, noise(1 + below(99, random), random));
}

/** Changes the first chunk of a type. */
function changedIn(
  chunks: readonly Chunk[],
  type: string,
  change: (data: Uint8Array) => Uint8Array,
): readonly Chunk[] {
  const first = chunks.findIndex((each) => each.type === type);
  return chunks.map((each, i) => (i === first ? { type, data: change(each.data) } : each));
}

function headerByte(random: Random): number {
  return chosen([0, 1, 2, 3, 4, 5, 6, 7, 8, 16, 31, 32, 33, 64, 255], random) ?? 0;
}

function randomByte(data: Uint8Array, random: Random): Uint8Array {
  return withByte(data, below(data.length, random), below(256, random));
}

function withByte(data: Uint8Array, at: number, value: number): Uint8Array {
  const result = data.slice();
  if (at < data.length) result[at] = value;
  return result;
}
