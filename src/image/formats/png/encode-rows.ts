import { DrainedOutput } from '../../container/drained-output.ts';
import type { PictureShape } from '../../pixels/raster.ts';
import type { RowSource } from '../../pixels/row-source.ts';
import { freedUnlessDone, type Slices } from '../../slices.ts';
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

/** Size of a photo: relative to its samples without a palette, and in bytes per pixel with one. */
const photoBytes = { ofSamples: 0.65, withPalette: 0.6 } as const;

/** Encodes rows of pixels as PNG, with the same steps as rewriting a PNG. */
export function pngRowEncoder(shape: PictureShape, coding: Coding): RowEncoder {
  const { quality, grey, isReduced = false, speed = usualSpeed } = coding;
  const isLossy = quality !== 'lossless';
  const noise = maxPngBytes(shape, grey);
  const plain = photoBytes.ofSamples * noise;
  const { width, height } = shape;
  const sideBytes = pngScoringBytes(shape, coding);
  const isScored = sideBytes > 0;
  const result = isLossy ? Math.min(plain, photoBytes.withPalette * width * height) : plain;
  return {
    // A candidate next to the best one so far is abandoned as soon as it is too long for the remaining memory.
    photoBytes: pngEncodingBytes(shape, { isLossy }, (isLossy ? 1.25 : 1) * result),
    maxBytes: pngEncodingBytes(shape, { isLossy }, 1.33 * noise),
    sideBytes,
    bufferBytes: result,
    maxBufferBytes: noise,
    runs: isLossy ? lossyRuns : exactRuns,
    cpuMs: (detail) =>
      (isReduced && isScored && detail.isDrawn ? fewTriesShare : 1) *
      pngEncodingMs(shape, { quality, isScored, speed, isGrey: grey }, detail),
    encode: (rows, run) => keptPng(rows, coding, run),
  };
}

/** Encoder for a small memory, which drains its result into buffers instead of holding it. */
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

/** Typical CPU time relative to the usual one if several palettes of few colors may be tried. */
const fewTriesShare = 2;

/** Runs over the rows: survey, color counting, dithering with a palette, and an attempt without one. */
const lossyRuns = 4;
const exactRuns = 2;

/** Keeps the result in the memory that the writer runs in. */
function* keptPng(rows: RowSource, coding: Coding, run: EncodingRun): Slices<Encoded> {
  const { memory } = run;
  const write = (kernel: PngKernel) =>
    encodedPng(kernel, rows, coding, run, {
      store: new KernelStreams(kernel),
      holdsIndices: true,
      omitsWithoutRoom: false,
    });
  return yield* runPngKernel(null, write, { memory });
}

/** Keeps the result in buffers, whose limit applies to the best stream and the current attempt together. */
function* drainedPng(rows: RowSource, coding: Coding, run: EncodingRun): Slices<Encoded> {
  const { memory, bufferBytes } = run;
  const output = new DrainedOutput(bufferBytes);
  const write = (kernel: PngKernel) =>
    encodedPng(kernel, rows, coding, run, {
      store: new DrainedStreams(kernel, output),
      holdsIndices: false,
      omitsWithoutRoom: true,
    });
  const writing = runPngKernel(null, write, { memory, output });
  return yield* freedUnlessDone(writing, () => output.clear());
}

function* encodedPng(
  kernel: PngKernel,
  rows: RowSource,
  { quality, exact, icc, minScore, isReduced = false, speed = usualSpeed }: Coding,
  { appearance, maxBytes, spareMemory }: EncodingRun,
  keeping: Pick<PngRequest, 'store' | 'holdsIndices' | 'omitsWithoutRoom'>,
): Slices<Encoded> {
  const preamble = codedPreamble(appearance);
  const recoded = yield* recodePng(kernel, new KernelRows(kernel, rows), null, {
    ...keeping,
    palette: quality === 'lossless' ? null : paletteTarget(quality, minScore),
    triesFew: isReduced && minScore !== undefined,
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

/** Rows from any source, as the kernel takes them. */
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

  *start(): Slices<void> {
    yield* this.#rows.start();
  }

  *next(): Slices<void> {
    this.#row = yield* this.#rows.next();
  }

  expand(to: Pointer): void {
    this.#kernel.bytes.set(this.#row, to);
  }

  *end(): Slices<void> {
    yield* this.#rows.end();
  }
}
