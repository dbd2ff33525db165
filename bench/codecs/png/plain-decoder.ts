import { constants, inflateRawSync } from 'node:zlib';
import { chunksOf } from './coders.ts';

/** RGBA of 16 bits per sample; colors under full transparency are as in the file. */
export interface DeepRaster {
  readonly width: number;
  readonly height: number;
  readonly data: Uint16Array;
}

interface Layout {
  readonly bitDepth: number;
  readonly colorType: number;
  /** Samples per pixel. */
  readonly channels: number;
  readonly palette: Uint8Array;
  readonly transparency: Uint8Array;
}

/** First column and row of each Adam7 pass, and the distances to the next ones (PNG third edition §8.1). */
const adam7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/**
 * Decodes any valid PNG directly as specified in PNG third edition §7 to §9. It is slow, and independent of the service
 * and of libraries that would widen, round or clear samples.
 *
 * @throws Error if the data does not inflate or is truncated
 */
export function plainDecoded(file: Uint8Array): DeepRaster {
  const chunks = chunksOf(file);
  const contents = (wanted: string) =>
    Buffer.concat(
      chunks.filter(({ type }) => type === wanted).map(({ bytes }) => bytes.subarray(8, -4)),
    );
  const header = contents('IHDR');
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const [bitDepth = 0, colorType = 0, , , interlaced] = header.subarray(8);
  const layout: Layout = {
    bitDepth,
    colorType,
    channels: [1, 0, 3, 1, 2, 0, 4][colorType] ?? 0,
    palette: contents('PLTE'),
    transparency: contents('tRNS'),
  };
  const raster = { width, height, data: new Uint16Array(4 * width * height) };
  // Whatever follows the last row does not matter, the checksum included: browsers show such files.
  const deflated = contents('IDAT').subarray(2);
  let rest: Uint8Array = inflateRawSync(deflated, { finishFlush: constants.Z_SYNC_FLUSH });
  for (const [left, top, across, down] of interlaced ? adam7 : [[0, 0, 1, 1] as const]) {
    const columns = Math.ceil((width - left) / across);
    const rows = Math.ceil((height - top) / down);
    if (columns <= 0 || rows <= 0) continue;
    const rowBytes = Math.ceil((columns * layout.channels * bitDepth) / 8);
    if (rest.length < rows * (rowBytes + 1)) throw new Error('rows are missing');
    unfilter(rest, rows, rowBytes, Math.max(1, (layout.channels * bitDepth) >> 3));
    for (let row = 0; row < rows; row += 1) {
      const packed = rest.subarray(row * (rowBytes + 1) + 1, (row + 1) * (rowBytes + 1));
      const to = 4 * ((top + row * down) * width + left);
      expand(packed, columns, layout, raster.data.subarray(to), 4 * across);
    }
    rest = rest.subarray(rows * (rowBytes + 1));
  }
  return raster;
}

/** Reverses the filters in place; each row keeps its filter byte (§9.2). */
function unfilter(data: Uint8Array, rows: number, rowBytes: number, step: number): void {
  for (let row = 0; row < rows; row += 1) {
    const start = row * (rowBytes + 1) + 1;
    const filter = data[start - 1] ?? 0;
    if (filter === 0) continue;
    for (let i = 0; i < rowBytes; i += 1) {
      const at = start + i;
      const left = i < step ? 0 : (data[at - step] ?? 0);
      const above = row === 0 ? 0 : (data[at - rowBytes - 1] ?? 0);
      const corner = i < step || row === 0 ? 0 : (data[at - rowBytes - 1 - step] ?? 0);
      data[at] = (data[at] ?? 0) + predicted(filter, left, above, corner);
    }
  }
}

function predicted(filter: number, left: number, above: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return above;
  if (filter === 3) return (left + above) >> 1;
  const estimate = left + above - corner;
  const distances = [left, above, corner].map((value) => Math.abs(estimate - value));
  const [toLeft = 0, toAbove = 0, toCorner = 0] = distances;
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
}

/** Expands one row of packed samples to RGBA of 16 bits, with a pixel at every `step` elements of `to`. */
function expand(
  packed: Uint8Array,
  columns: number,
  { bitDepth, colorType, channels, palette, transparency }: Layout,
  to: Uint16Array,
  step: number,
): void {
  const highest = 2 ** bitDepth - 1;
  // Bits above the depth are ignored (§11.3.1.1).
  const key = Array.from(
    { length: Math.min(channels, transparency.length >> 1) },
    (_, i) => word(transparency, 2 * i) & highest,
  );
  const stored = [0, 0, 0, 0];
  for (let column = 0; column < columns; column += 1) {
    for (let channel = 0; channel < channels; channel += 1) {
      stored[channel] = sampleAt(packed, column * channels + channel, bitDepth);
    }
    const [first = 0, second = 0, third = 0, fourth = 0] = stored;
    const at = column * step;
    if (colorType === 3) {
      // Indices without a whole entry are black, as in browsers.
      const isEntry = 3 * first + 3 <= palette.length;
      for (let channel = 0; channel < 3; channel += 1) {
        to[at + channel] = isEntry ? 257 * (palette[3 * first + channel] ?? 0) : 0;
      }
      to[at + 3] = 257 * ((isEntry ? transparency[first] : undefined) ?? 255);
      continue;
    }
    const isGrey = channels < 3;
    const wide = 65_535 / highest;
    to[at] = wide * first;
    to[at + 1] = wide * (isGrey ? first : second);
    to[at + 2] = wide * (isGrey ? first : third);
    if (channels % 2 === 0) to[at + 3] = wide * (isGrey ? second : fourth);
    else {
      const isKey = key.length > 0 && key.every((value, channel) => value === stored[channel]);
      to[at + 3] = isKey ? 0 : 65_535;
    }
  }
}

function sampleAt(packed: Uint8Array, index: number, bitDepth: number): number {
  if (bitDepth === 16) return word(packed, 2 * index);
  if (bitDepth === 8) return packed[index] ?? 0;
  const bit = index * bitDepth;
  return ((packed[bit >> 3] ?? 0) >> (8 - bitDepth - (bit & 7))) & (2 ** bitDepth - 1);
}

function word(bytes: Uint8Array, at: number): number {
  return 256 * (bytes[at] ?? 0) + (bytes[at + 1] ?? 0);
}
