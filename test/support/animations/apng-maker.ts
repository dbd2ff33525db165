import { deflateSync } from 'node:zlib';
import type { Region } from '../../../src/image/pixels/raster.ts';
import { chunk } from '../pictures.ts';

/** Color types by their numbers (PNG, third edition, §11.2.1). */
export const pngColor = { grey: 0, rgb: 2, palette: 3, greyAlpha: 4, rgba: 6 } as const;
export type PngColor = (typeof pngColor)[keyof typeof pngColor];
export type PngDepth = 1 | 2 | 4 | 8 | 16;

const channelsOf: Readonly<Record<PngColor, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** A frame as described in an APNG (PNG, third edition, §11.3.6). */
export interface ApngFrame {
  readonly region: Region;
  /** Samples of all channels, pixel by pixel, in the bit depth of the file. */
  readonly samples: ArrayLike<number>;
  /** Numerator and denominator of its duration in seconds; a denominator of 0 means 100. */
  readonly delay: readonly [number, number];
  /** 0: keep; 1: background; 2: previous. */
  readonly disposal?: number;
  /** 0: source; 1: over. */
  readonly blend?: number;
  /** Number of chunks into which its data are split; 1 if absent. */
  readonly parts?: number;
}

export interface ApngChunk {
  readonly type: string;
  readonly data: Uint8Array;
}

export interface ApngContent {
  readonly width: number;
  readonly height: number;
  readonly color: PngColor;
  readonly depth: PngDepth;
  readonly interlaced?: boolean;
  readonly palette?: readonly (readonly [number, number, number])[];
  /** Contents of the tRNS chunk: alpha by index, or the samples of the transparent color. */
  readonly transparency?: readonly number[];
  /** Number of plays; 0: endless. */
  readonly plays: number;
  /** The first frame is the default image, unless `defaultImage` is given. */
  readonly frames: readonly ApngFrame[];
  /** Samples of a default image that is not a frame. */
  readonly defaultImage?: ArrayLike<number>;
  /** Filter type of a row; types 0 to 4 in rotation if absent. */
  readonly filter?: (y: number) => number;
  /** Number of frames that the acTL chunk states; the actual number if absent. */
  readonly promised?: number;
  /** Chunks directly after the header. */
  readonly before?: readonly ApngChunk[];
  /** Chunks before the end. */
  readonly behind?: readonly ApngChunk[];
}

/** An APNG with this content, whether valid or not. */
export function makeApng(content: ApngContent): Buffer {
  const { width, height, color, depth, palette, transparency, frames, plays } = content;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, color, 0, 0, content.interlaced ? 1 : 0], 8);
  const control = Buffer.alloc(8);
  control.writeUInt32BE(content.promised ?? frames.length, 0);
  control.writeUInt32BE(plays, 4);
  const chunks = [
    chunk('IHDR', header),
    ...(content.before ?? []).map(({ type, data }) => chunk(type, data)),
    chunk('acTL', control),
  ];
  if (palette) chunks.push(chunk('PLTE', Buffer.from(palette.flat())));
  if (transparency) {
    const sample = (value: number) =>
      color === pngColor.palette ? [value] : [value >> 8, value & 255];
    chunks.push(chunk('tRNS', Buffer.from(transparency.flatMap(sample))));
  }
  const { defaultImage } = content;
  if (defaultImage) chunks.push(chunk('IDAT', imageData(defaultImage, width, height, content)));
  let sequence = 0;
  for (const [index, frame] of frames.entries()) {
    chunks.push(chunk('fcTL', frameControl(frame, sequence++)));
    const data = imageData(frame.samples, frame.region.width, frame.region.height, content);
    for (const part of cut(data, frame.parts ?? 1)) {
      if (index === 0 && !defaultImage) chunks.push(chunk('IDAT', part));
      else chunks.push(chunk('fdAT', Buffer.concat([be32(sequence++), part])));
    }
  }
  for (const { type, data } of content.behind ?? []) chunks.push(chunk(type, data));
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    ...chunks,
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/**
 * The samples of RGBA pixels, which the color type and depth must be able to hold exactly; `index` looks up colors in a
 * palette.
 */
export function samplesOf(
  rgba: Buffer,
  color: PngColor,
  depth: PngDepth,
  index: (pixel: Buffer) => number = () => 0,
): Uint16Array {
  const channels = { 0: [0], 2: [0, 1, 2], 3: [], 4: [0, 3], 6: [0, 1, 2, 3] }[color];
  const most = 2 ** depth - 1;
  const samples: number[] = [];
  for (let at = 0; at < rgba.length; at += 4) {
    if (color === pngColor.palette) samples.push(index(rgba.subarray(at, at + 4)));
    for (const c of channels) samples.push(Math.round(((rgba[at + c] ?? 0) * most) / 255));
  }
  return Uint16Array.from(samples);
}

function frameControl(frame: ApngFrame, sequence: number): Buffer {
  const { region, delay, disposal = 0, blend = 0 } = frame;
  const bytes = Buffer.alloc(26);
  const places = [sequence, region.width, region.height, region.left, region.top];
  for (const [i, value] of places.entries()) bytes.writeUInt32BE(value, 4 * i);
  bytes.writeUInt16BE(delay[0], 20);
  bytes.writeUInt16BE(delay[1], 22);
  bytes.set([disposal, blend], 24);
  return bytes;
}

function be32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Splits data into parts of nearly equal length; some are empty if there are fewer bytes. */
function cut(data: Buffer, parts: number): Buffer[] {
  return Array.from({ length: parts }, (_, i) =>
    data.subarray(
      Math.floor((i * data.length) / parts),
      Math.floor(((i + 1) * data.length) / parts),
    ),
  );
}

/** Origin and pixel spacing of the interlacing passes (PNG, third edition, §8.1). */
const adam7 = [
  { left: 0, top: 0, across: 8, down: 8 },
  { left: 4, top: 0, across: 8, down: 8 },
  { left: 0, top: 4, across: 4, down: 8 },
  { left: 2, top: 0, across: 4, down: 4 },
  { left: 0, top: 2, across: 2, down: 4 },
  { left: 1, top: 0, across: 2, down: 2 },
  { left: 0, top: 1, across: 1, down: 2 },
];
const onePass = [{ left: 0, top: 0, across: 1, down: 1 }];

function imageData(
  samples: ArrayLike<number>,
  width: number,
  height: number,
  { color, depth, interlaced, filter = (y: number) => y % 5 }: ApngContent,
): Buffer {
  const channels = channelsOf[color];
  const distance = Math.max(1, (channels * depth) >> 3);
  const rows: Buffer[] = [];
  for (const pass of interlaced ? adam7 : onePass) {
    const inPass: number[] = [];
    for (let x = pass.left; x < width; x += pass.across) inPass.push(x);
    if (inPass.length === 0) continue;
    let above = Buffer.alloc((inPass.length * channels * depth + 7) >> 3);
    for (let y = pass.top; y < height; y += pass.down) {
      const values = inPass.flatMap((x) =>
        Array.from({ length: channels }, (_, c) => samples[(y * width + x) * channels + c] ?? 0),
      );
      const row = packed(values, depth);
      rows.push(filtered(row, above, distance, filter(y)));
      above = row;
    }
  }
  return deflateSync(Buffer.concat(rows), { level: 1 });
}

function packed(values: readonly number[], depth: PngDepth): Buffer<ArrayBuffer> {
  const row = Buffer.alloc((values.length * depth + 7) >> 3);
  for (const [i, value] of values.entries()) {
    if (depth === 16) row.writeUInt16BE(value, 2 * i);
    else {
      const bit = i * depth;
      row[bit >> 3] = (row[bit >> 3] ?? 0) | (value << (8 - depth - (bit & 7)));
    }
  }
  return row;
}

/** PNG, third edition, §9.2 to §9.4. */
function filtered(row: Buffer, above: Buffer, distance: number, type: number): Buffer {
  const bytes = Buffer.alloc(row.length + 1);
  bytes[0] = type;
  for (let i = 0; i < row.length; i++) {
    const a = i < distance ? 0 : (row[i - distance] ?? 0);
    const b = above[i] ?? 0;
    const c = i < distance ? 0 : (above[i - distance] ?? 0);
    const predictions = [0, a, b, (a + b) >> 1, paeth(a, b, c)];
    bytes[i + 1] = ((row[i] ?? 0) - (predictions[type] ?? 0)) & 255;
  }
  return bytes;
}

function paeth(a: number, b: number, c: number): number {
  const p = a + b - c;
  const [pa, pb, pc] = [Math.abs(p - a), Math.abs(p - b), Math.abs(p - c)];
  if (pa <= pb && pa <= pc) return a;
  return pb <= pc ? b : c;
}
