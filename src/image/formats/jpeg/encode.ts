import { freeMemory } from '../../container/workspace.ts';
import type { RowSource } from '../../pixels/row-source.ts';
import { freedUnlessDone, type Slices } from '../../slices.ts';
import { CodecError, NoRoomForResult } from '../../wasm/codec.ts';
import type { EncodingRun } from '../coding.ts';
import {
  type Coded,
  CodedRows,
  type CoefficientRows,
  codePicture,
  type Writing,
} from './code-picture.ts';
import {
  type JpegKernel,
  runJpegKernel,
  setFrameGeometry,
  setQuantization,
  sourceFrame,
} from './kernel.ts';
import { allocatePixelBlocks, maxJpegBytes } from './memory.ts';
import { targetScale, targetTables } from './quantization-tables.ts';
import { codedHead, gainMapBytes, withGainMap } from './rewrap.ts';
import {
  type JpegSettings,
  lumaPerChroma,
  pixelSampling,
  pixelSamplings,
  type Sampling,
} from './sampling.ts';

/**
 * Encodes rows of pixels as JPEG: rate–distortion optimized quantization, halved chroma unless that is visible,
 * progressive or sequential, whichever is shorter. With little memory, coefficients are not kept: the rows are read
 * again for each scan, and scans are sequential.
 *
 * @returns the file in parts, one of which is a view of the arena
 * @throws CodecError if it takes more memory than is available; also any error of reading the rows
 */
export function* encodeJpegRows(
  rows: RowSource,
  settings: JpegSettings,
  { memory, appearance, maxBytes, bufferBytes }: EncodingRun,
): Slices<readonly Uint8Array[]> {
  const head = codedHead(appearance);
  const pictureBytes = maxBytes - gainMapBytes(appearance);
  for (const sampling of pixelSamplings(settings)) {
    const pieces = new DrainedPieces(Math.min(pictureBytes, bufferBytes) - head.length);
    const writing = settings.drains
      ? {
          head: new Uint8Array(),
          maxBytes: pictureBytes,
          drain: (bytes: Uint8Array) => pieces.take(bytes),
        }
      : { head, maxBytes: pictureBytes };
    const coding = runJpegKernel(
      new Uint8Array(),
      (kernel) => encodeJpeg(kernel, rows, settings, sampling, writing),
      memory,
    );
    const coded = yield* freedUnlessDone(coding, () => pieces.free());
    if (coded.kind === 'coded') {
      const parts = settings.drains ? [head, ...pieces.all, coded.bytes] : [coded.bytes];
      return withGainMap(parts, head.length, appearance);
    }
    pieces.free();
    // The limit allows for noise, so a longer result means that memory was short.
    if (coded.kind === 'too-long') throw new NoRoomForResult('jpeg kernel');
    if (coded.kind !== 'too-colorful') throw new CodecError('jpeg kernel', false, coded.kind);
  }
  throw new CodecError('jpeg kernel', false, 'no sampling does');
}

/** Collects a drained result up to a maximum length. */
class DrainedPieces {
  readonly all: Uint8Array<ArrayBuffer>[] = [];
  #left: number;

  constructor(maxBytes: number) {
    this.#left = maxBytes;
  }

  /** Copies a piece; returns false if the result gets too long. */
  take(bytes: Uint8Array): boolean {
    this.#left -= bytes.length;
    if (this.#left < 0) return false;
    this.all.push(bytes.slice() as Uint8Array<ArrayBuffer>);
    return true;
  }

  /** Frees the memory immediately. */
  free(): void {
    for (const { buffer } of this.all.splice(0)) freeMemory(buffer);
  }
}

/**
 * Encodes pixels as a gray or YCbCr JPEG, ignoring alpha.
 *
 * @param sampling sampling of each of the one or three components
 * @throws CodecError if it takes more memory than is available
 */
export function* encodeJpeg(
  kernel: JpegKernel,
  rows: RowSource,
  settings: JpegSettings,
  sampling: readonly Sampling[],
  { head, maxBytes, drain }: Omit<Writing, 'mayStream'>,
): Slices<Coded> {
  const { width, height } = rows;
  const { quality, grey, lowMemory = false } = settings;
  const source = new PixelCoefficients(kernel, rows, grey ? 1 : 3);
  const picture = { width, height, sampling, ids: [1, 2, 3], isYcc: !grey };
  const tables = targetTables(
    targetScale(quality),
    source.quantization,
    grey ? null : lumaPerChroma(sampling),
  );
  const coded = new CodedRows(kernel, source, picture, tables);
  const noiseBytes = head.length + Math.ceil(maxJpegBytes(rows, settings));
  return yield* codePicture(kernel, coded, picture, {
    head,
    maxBytes: Math.min(maxBytes, noiseBytes),
    mayStream: lowMemory,
    ...(drain ? { drain } : {}),
  });
}

const rowsInBlock = 8;

/**
 * The coefficients of pixels in YCbCr 4:4:4 or gray, with quantization steps of 1 and three fractional bits in the
 * kernel. Eight rows at a time are copied to the kernel.
 */
export class PixelCoefficients implements CoefficientRows {
  readonly quantization: readonly Uint16Array[];
  readonly areGathered = false;
  readonly #kernel: JpegKernel;
  readonly #rows: RowSource;

  /** @param components 3, or 1 for a gray picture, whose red channel is read */
  constructor(kernel: JpegKernel, rows: RowSource, components: 1 | 3) {
    this.#kernel = kernel;
    this.#rows = rows;
    const { width, height } = rows;
    const sampling = pixelSampling(components);
    this.quantization = sampling.map(() => new Uint16Array(64).fill(1));
    setFrameGeometry(kernel, sourceFrame, { width, height, sampling });
    setQuantization(kernel, sourceFrame, this.quantization);
  }

  /** @throws CodecError if it takes more memory than is available */
  *begin(): Slices<void> {
    allocatePixelBlocks(this.#kernel);
    yield* this.#rows.start();
  }

  *rewind(): Slices<void> {
    yield* this.#rows.start();
  }

  /** @throws any error of reading the rows */
  *read(m: number): Slices<void> {
    const { height } = this.#rows;
    const kernel = this.#kernel;
    const first = m * rowsInBlock;
    const count = Math.min(rowsInBlock, height - first);
    for (let y = 0; y < count; y += 1) {
      const row = yield* this.#rows.next();
      kernel.bytes.set(row, kernel.pixelRow(y));
    }
    if (first + count === height) yield* this.#rows.end();
    kernel.takePixelRows(count);
  }
}
