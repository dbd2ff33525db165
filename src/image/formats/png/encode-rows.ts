import { DrainedOutput } from '../../container/drained-output.ts';
import type { PictureShape } from '../../pixels/raster.ts';
import type { RowSource } from '../../pixels/row-source.ts';
import { NoRoomForResult } from '../../wasm/codec.ts';
import {
  type Coding,
  type Encoded,
  type EncodingRun,
  type RowEncoder,
  usualSpeed,
} from '../coding.ts';
import { pngParts } from './coded-png.ts';
import { pngEncodingMs } from './cpu.ts';
import { effortAt, maxPngBytes, type PngRequest, recodePng } from './encode.ts';
import { type PngKernel, type Pointer, runPngKernel } from './kernel.ts';
import { sampleKinds } from './layout.ts';
import { pngDrainingBytes, pngEncodingBytes, pngScoringBytes } from './memory.ts';
import { paletteTarget } from './palette-candidates.ts';
import type { PixelRows } from './pixel-rows.ts';
import { codedPreamble } from './rewrap.ts';
import { DrainedStreams, KernelStreams } from './streams.ts';

/** Of a photo: of its samples without a palette, and bytes per pixel with one. */
const photoBytes = { ofSamples: 0.65, withPalette: 0.6 } as const;

/** PNG from rows of pixels, which go through the steps of a PNG that is written anew. */
export function pngRowEncoder(shape: PictureShape, coding: Coding): RowEncoder {
  const { quality, grey, speed = usualSpeed } = coding;
  const isLossy = quality !== 'lossless';
  const noise = maxPngBytes(shape, grey);
  const plain = photoBytes.ofSamples * noise;
  const { width, height } = shape;
  const sideBytes = pngScoringBytes(shape, coding);
  const result = isLossy ? Math.min(plain, photoBytes.withPalette * width * height) : plain;
  return {
    // what is tried beside the best so far is given up as soon as it gets too long for what is left
    photoBytes: pngEncodingBytes(shape, { isLossy }, (isLossy ? 1.25 : 1) * result),
    maxBytes: pngEncodingBytes(shape, { isLossy }, 1.33 * noise),
    sideBytes,
    bufferBytes: result,
    maxBufferBytes: noise,
    runs: isLossy ? lossyRuns : exactRuns,
    cpuMs: (detail) =>
      pngEncodingMs(shape, { quality, isScored: sideBytes > 0, speed, isGrey: grey }, detail),
    encode: (rows, run) => keptPng(rows, coding, run),
  };
}

/** That in a small memory, which holds nothing of the result: it is drained into buffers. */
export function pngDrainingEncoder(shape: PictureShape, coding: Coding): RowEncoder {
  const inMemory = pngRowEncoder(shape, coding);
  const isLossy = coding.quality !== 'lossless';
  const bytes = pngDrainingBytes(shape, { isLossy, holdsIndices: false });
  return {
    ...inMemory,
    photoBytes: bytes,
    maxBytes: bytes,
    encode: (rows, run) => drainedPng(rows, coding, run),
  };
}

/** Looked at, colors counted, dithered into a palette, and tried without one. */
const lossyRuns = 4;
const exactRuns = 2;

/** Its result stays in the memory that the writer runs in. */
function keptPng(rows: RowSource, coding: Coding, run: EncodingRun): Encoded {
  const { memory } = run;
  const write = (kernel: PngKernel) =>
    encodedPng(kernel, rows, coding, run, {
      store: new KernelStreams(kernel),
      holdsIndices: true,
      omitsWithoutRoom: false,
    });
  return runPngKernel(null, write, { memory });
}

/** Its result lies in buffers; what they may take bounds the best stream and the one that is tried together. */
function drainedPng(rows: RowSource, coding: Coding, run: EncodingRun): Encoded {
  const { memory, bufferBytes } = run;
  const output = new DrainedOutput(bufferBytes);
  const write = (kernel: PngKernel) =>
    encodedPng(kernel, rows, coding, run, {
      store: new DrainedStreams(kernel, output),
      holdsIndices: false,
      omitsWithoutRoom: true,
    });
  try {
    return runPngKernel(null, write, { memory, output });
  } catch (error) {
    output.clear();
    throw error;
  }
}

function encodedPng(
  kernel: PngKernel,
  rows: RowSource,
  { quality, exact, icc, minScore, speed = usualSpeed }: Coding,
  { appearance, maxBytes, spareMemory }: EncodingRun,
  keeping: Pick<PngRequest, 'store' | 'holdsIndices' | 'omitsWithoutRoom'>,
): Encoded {
  const preamble = codedPreamble(appearance);
  const recoded = recodePng(kernel, new KernelRows(kernel, rows), null, {
    ...keeping,
    palette: quality === 'lossless' ? null : paletteTarget(quality, minScore),
    scoring: minScore === undefined ? null : (spareMemory ?? null),
    keepsHidden: exact,
    keepsDepth: false,
    kinds: sampleKinds(icc),
    ownKey: null,
    effort: effortAt(speed),
    preamble,
    maxBytes,
  });
  if (!recoded) throw new NoRoomForResult('png kernel');
  const { frame, stream, isExact, score } = recoded;
  return {
    parts: pngParts(frame, preamble, stream),
    quality: isExact ? 'lossless' : quality,
    ...(score !== null && { score }),
  };
}

/** Rows that come from anywhere, as the kernel takes them. */
export class KernelRows implements PixelRows {
  readonly width: number;
  readonly height: number;
  readonly #kernel: PngKernel;
  readonly #rows: RowSource;
  #row: Uint8Array = new Uint8Array();

  constructor(kernel: PngKernel, rows: RowSource) {
    this.#kernel = kernel;
    this.#rows = rows;
    this.width = rows.width;
    this.height = rows.height;
  }

  begin(): void {}

  start(): void {
    this.#rows.start();
  }

  next(): void {
    this.#row = this.#rows.next();
  }

  expand(to: Pointer): void {
    this.#kernel.bytes.set(this.#row, to);
  }

  end(): void {
    this.#rows.end();
  }
}
