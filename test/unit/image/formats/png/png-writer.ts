import { deflateSync } from 'node:zlib';
import { chunk } from '../../../../support/pictures.ts';

type ColorType = 0 | 2 | 3 | 4 | 6;

export const channelCounts = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 } as const;

/** Every color type with its allowed bit depths (PNG third edition §11.2.1, table 12). */
export const layouts: readonly (readonly [ColorType, number])[] = [
  ...[1, 2, 4, 8, 16].map((depth) => [0, depth] as const),
  ...[1, 2, 4, 8].map((depth) => [3, depth] as const),
  ...([2, 4, 6] as const).flatMap((type) => [8, 16].map((depth) => [type, depth] as const)),
];

export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly colorType: ColorType;
  readonly bitDepth: number;
  readonly interlaced?: boolean;
  /** Stored value of a sample. */
  readonly sample: (x: number, y: number, channel: number) => number;
  readonly palette?: Uint8Array;
  readonly transparency?: Uint8Array;
}

/** The pass of each pixel in a square of eight (PNG third edition §8.1, figure). */
const passes = [
  '16462646',
  '77777777',
  '56565656',
  '77777777',
  '36463646',
  '77777777',
  '56565656',
  '77777777',
];

/** Start and step of each pass, horizontally and vertically (PNG third edition §8.1). */
const grid = [
  [0, 8, 0, 8],
  [4, 8, 0, 8],
  [0, 4, 4, 8],
  [2, 4, 0, 4],
  [0, 2, 2, 4],
  [1, 2, 0, 2],
  [0, 1, 1, 2],
] as const;

/** Sizes of the passes that have pixels. */
export function adam7Sizes({ width, height }: Pick<Picture, 'width' | 'height'>) {
  return grid
    .map(([left, across, top, down]) => ({
      columns: Math.ceil(Math.max(0, width - left) / across),
      rows: Math.ceil(Math.max(0, height - top) / down),
    }))
    .filter(({ columns, rows }) => columns > 0 && rows > 0);
}

/** Bytes of a row with its filter byte (PNG third edition §7.2). */
export function rowLength(
  columns: number,
  { colorType, bitDepth }: Pick<Picture, 'colorType' | 'bitDepth'>,
): number {
  return 1 + Math.ceil((columns * channelCounts[colorType] * bitDepth) / 8);
}

/** All rows with their filter bytes, cycling through filters 0 to 4, pass by pass. */
export function filteredRows(picture: Picture): Buffer {
  const { width, height, colorType, bitDepth, interlaced = false, sample } = picture;
  const channels = channelCounts[colorType];
  const step = Math.max(1, (channels * bitDepth) >> 3);
  const written: Buffer[] = [];
  for (const pass of interlaced ? '1234567' : ' ') {
    let above: Buffer | undefined;
    for (let y = 0; y < height; y += 1) {
      let bits = '';
      for (let x = 0; x < width; x += 1) {
        if (interlaced && passes[y & 7]?.[x & 7] !== pass) continue;
        for (let channel = 0; channel < channels; channel += 1) {
          bits += sample(x, y, channel).toString(2).padStart(bitDepth, '0');
        }
      }
      if (bits === '') continue;
      const row = Buffer.from(
        (bits.match(/.{1,8}/g) ?? []).map((b) => parseInt(b.padEnd(8, '0'), 2)),
      );
      written.push(filtered(row, above ?? Buffer.alloc(row.length), step, written.length % 5));
      above = row;
    }
  }
  return Buffer.concat(written);
}

/** PNG third edition §9.2. */
function filtered(row: Buffer, above: Buffer, step: number, filter: number): Buffer {
  const bytes = row.map((value, at) => {
    const a = at < step ? 0 : row.readUInt8(at - step);
    const b = above.readUInt8(at);
    const c = at < step ? 0 : above.readUInt8(at - step);
    const nearest = [a, b, c].toSorted((m, n) => Math.abs(a + b - c - m) - Math.abs(a + b - c - n));
    return value - ([0, a, b, (a + b) >> 1, nearest[0] ?? 0][filter] ?? 0);
  });
  return Buffer.concat([Buffer.of(filter), bytes]);
}

/** A PNG with these compressed data, in IDAT chunks of limited size. */
export function pngWith(
  picture: Picture,
  stream: Uint8Array = deflateSync(filteredRows(picture)),
  chunkBytes: number = stream.length,
): Uint8Array<ArrayBuffer> {
  const { width, height, bitDepth, colorType, interlaced, palette, transparency } = picture;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([bitDepth, colorType, 0, 0, interlaced ? 1 : 0], 8);
  const parts = [Buffer.from('89504e470d0a1a0a', 'hex'), chunk('IHDR', header)];
  if (palette) parts.push(chunk('PLTE', palette));
  if (transparency) parts.push(chunk('tRNS', transparency));
  for (let at = 0; at < stream.length; at += chunkBytes) {
    parts.push(chunk('IDAT', stream.subarray(at, at + chunkBytes)));
  }
  return Uint8Array.from(Buffer.concat([...parts, chunk('IEND', Buffer.alloc(0))]));
}

/** Repeatable numbers from 0 up to `below`, by a linear congruential generator. */
export function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
