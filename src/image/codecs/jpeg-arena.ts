import type { Inspection } from '../inspect/inspection.ts';
import type { PictureShape } from './codec.ts';
import { type Curve, interpolated } from './interpolated.ts';
import type { JpegSettings } from './jpeg-settings.ts';

/**
 * Measured with bench/codec-memory.ts: the file twice (as embind receives and
 * as it passes it on), RGBA, rows for upsampling (ten row groups of every
 * component, one of full width), and for progressive files all coefficients as
 * 16-bit numbers in whole MCUs. Not foreseen: a sequential file in several
 * scans, whose coefficients are kept as well, and more than 128 KiB of APP1.
 */
export function jpegDecodingArena(image: Inspection, fileBytes: number): number {
  if (image.type !== 'jpeg') throw new TypeError('not a JPEG');
  const { width, height, components, process } = image;
  const across = Math.max(...components.map(({ horizontal }) => horizontal));
  const down = Math.max(...components.map(({ vertical }) => vertical));
  const columns = Math.ceil(width / (8 * across));
  const rows = Math.ceil(height / (8 * down));
  let bytes = 256 * 1024 + 2 * fileBytes + 4 * width * height + components.length * down * width;
  for (const { horizontal, vertical } of components) {
    bytes += 10 * vertical * columns * 8 * horizontal;
    if (process === 'progressive') bytes += 2 * 64 * columns * horizontal * rows * vertical;
  }
  return bytes;
}

/**
 * Measured with bench/codec-memory.ts: RGBA twice (embind), all coefficients
 * twice (quantized, and as they were for the trellis). Progressive coding tries
 * 64 scans and keeps them all, in buffers that double: up to 17 times the
 * result, somewhat less where the coarse scans hardly differ.
 */
export function jpegEncodingArena({ width, height }: PictureShape, settings: JpegSettings): number {
  const { quality, grey, lowMemory } = settings;
  const pixels = width * height;
  const inMcus = Math.ceil(width / 16) * 16 * Math.ceil(height / 16) * 16;
  const samples = grey ? 1 : quality < 80 ? 1.5 : quality < 90 ? 2 : 3;
  const result = 1000 + pixels * interpolated(grey ? greyResult : colorResult, quality);
  const output = result * (lowMemory ? 4.2 : quality > 95 ? 15 : 17.2);
  return 420_000 + 8 * pixels + 4 * samples * inMcus + 36 * width + output;
}

/** Bytes per pixel that random extremes come to, by quality; chroma sampling steps up at 80 and 90. */
const colorResult: Curve = [
  [0, 0.004],
  [10, 0.049],
  [20, 0.152],
  [30, 0.246],
  [40, 0.324],
  [50, 0.392],
  [60, 0.463],
  [70, 0.555],
  [79, 0.674],
  [80, 0.942],
  [85, 1.068],
  [89, 1.198],
  [90, 1.95],
  [92, 2.085],
  [95, 2.34],
  [97, 2.655],
  [98, 2.845],
  [99, 3.09],
  [100, 3.265],
];
const greyResult: Curve = [
  [0, 0.004],
  [10, 0.043],
  [20, 0.132],
  [30, 0.213],
  [45, 0.309],
  [60, 0.39],
  [70, 0.461],
  [80, 0.563],
  [88, 0.69],
  [92, 0.774],
  [96, 0.918],
  [98, 1.03],
  [100, 1.168],
];
