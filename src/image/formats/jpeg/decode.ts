import { bytesPerRasterPixel } from '../../pixels/raster.ts';
import type { RowSource } from '../../pixels/row-source.ts';
import { Pace, type Slices } from '../../slices.ts';
import type { Arena } from '../../wasm/arena.ts';
import type { Decoding, Halvings } from '../coding.ts';
import type { CoefficientRows } from './code-picture.ts';
import { blockMs } from './cpu.ts';
import type { JpegInspection } from './inspect.ts';
import {
  acKind,
  dcKind,
  expectRoom,
  expectSound,
  type JpegKernel,
  pixelKind,
  runJpegKernel,
  setFrameGeometry,
  setQuantization,
  sourceFrame,
} from './kernel.ts';
import { allocateReading } from './memory.ts';
import { samplingOf } from './sampling.ts';
import { type JpegScan, type ScanList, scansOf } from './scan-list.ts';

/** Length of a side in pixels after this number of halvings. */
export function halved(side: number, halvings: Halvings): number {
  return Math.ceil(side / 2 ** halvings);
}

/**
 * Opens a JPEG as rows of pixels, RGBA or amounts of four inks, in full size or reduced by a smaller inverse DCT. Uses memory
 * independent of the picture's height, except for the coefficients of a progressive one, which are read once for all
 * passes. The memory must have been reserved (`jpegReadingBytes`).
 *
 * @param memory the arena to run in
 * @throws CodecError if the file is damaged or takes more memory than is available
 */
export function* openJpegRows<Result>(
  file: Uint8Array,
  image: JpegInspection,
  { halvings, asTranscoded = false }: Omit<Decoding, 'deepSamples'>,
  memory: Arena,
  use: (rows: RowSource) => Slices<Result>,
): Slices<Result> {
  const list = scansOf(file, image);
  return yield* runJpegKernel(
    file,
    function* (kernel) {
      const coefficients = new SourceRows(kernel, image, list);
      yield* coefficients.begin();
      expectRoom(kernel.beginPixels(halvings, pixelKind(image), asTranscoded));
      return yield* use(new JpegRows(kernel, coefficients, image, halvings));
    },
    memory,
  );
}

/** Converts rows of MCUs to rows of pixels. */
class JpegRows implements RowSource {
  readonly width: number;
  readonly height: number;
  readonly #kernel: JpegKernel;
  readonly #coefficients: SourceRows;
  /** The next row of MCUs. */
  #next = 0;

  constructor(
    kernel: JpegKernel,
    coefficients: SourceRows,
    { width, height }: JpegInspection,
    halvings: Halvings,
  ) {
    this.#kernel = kernel;
    this.#coefficients = coefficients;
    this.width = halved(width, halvings);
    this.height = halved(height, halvings);
  }

  *start(): Slices<void> {
    this.#next = 0;
    yield* this.#coefficients.rewind();
    this.#kernel.rewindPixels();
  }

  /** @throws CodecError if the file is damaged */
  *next(): Slices<Uint8Array> {
    const kernel = this.#kernel;
    let at = kernel.nextPixelRow();
    while (at === 0) {
      yield* this.#coefficients.read(this.#next);
      kernel.takeMcuRow(this.#next);
      this.#next += 1;
      at = kernel.nextPixelRow();
    }
    return kernel.bytes.subarray(at, at + bytesPerRasterPixel * this.width);
  }

  *end(): Slices<void> {}
}

/**
 * The coefficients of a file, one row of MCUs after the other, regardless of the order of its scans. Sequential scans
 * are read row by row, several at the same time if each contains one component. Progressive scans are accumulated
 * first.
 */
export class SourceRows implements CoefficientRows {
  readonly quantization: readonly Uint16Array[];
  readonly areGathered: boolean;
  readonly #kernel: JpegKernel;
  readonly #image: JpegInspection;
  readonly #scans: readonly JpegScan[];
  #blocksInMcuRow = 0;
  readonly #pace = new Pace(blockMs.read);

  constructor(kernel: JpegKernel, image: JpegInspection, { scans, quantization }: ScanList) {
    this.#kernel = kernel;
    this.#image = image;
    this.areGathered = image.process === 'progressive';
    this.#scans = this.areGathered ? scans : lastOfEach(image, scans);
    this.quantization = quantization;
    const { width, height } = image;
    setFrameGeometry(kernel, sourceFrame, { width, height, sampling: samplingOf(image) });
    setQuantization(kernel, sourceFrame, this.quantization);
    for (const c of image.components.keys()) {
      this.#blocksInMcuRow +=
        kernel.blocksAcross(sourceFrame, c) * kernel.verticalOf(sourceFrame, c);
    }
  }

  /**
   * Allocates the memory for reading, and reads everything that is needed before the first row.
   * @throws CodecError if the file is damaged or takes more memory than is available
   */
  *begin(): Slices<void> {
    const kernel = this.#kernel;
    allocateReading(kernel, this.areGathered ? 1 : this.#scans.length, this.areGathered);
    if (!this.areGathered) {
      yield* this.rewind();
      return;
    }
    for (const scan of this.#scans) yield* this.#readProgressiveScan(scan);
  }

  *#readProgressiveScan(scan: JpegScan): Slices<void> {
    const kernel = this.#kernel;
    this.#open(0, scan);
    const { components, ss, se, ah, al } = scan;
    const [{ index: c } = { index: 0 }, ...others] = components;
    // The MCUs of a single component are its blocks.
    const [down, blocks] =
      others.length > 0
        ? [kernel.mcusDown(sourceFrame), this.#blocksInMcuRow]
        : [kernel.blocksDown(sourceFrame, c), kernel.blocksAcross(sourceFrame, c)];
    for (let y = 0; y < down; y += 1) {
      expectSound(kernel.readProgressiveRow(0, y, ss, se, ah, al));
      yield* this.#pace.after(blocks);
    }
  }

  /** Restarts at the first row. */
  *rewind(): Slices<void> {
    if (this.areGathered) return;
    for (const [cursor, scan] of this.#scans.entries()) this.#open(cursor, scan);
  }

  /**
   * Reads row `m` of MCUs into the kernel's source rows; rows must be read in order.
   * @throws CodecError if the file is damaged
   */
  *read(m: number): Slices<void> {
    yield* this.#pace.after(this.#blocksInMcuRow);
    if (this.areGathered) this.#load(m);
    else for (const cursor of this.#scans.keys()) expectSound(this.#kernel.readMcuRow(cursor, m));
  }

  #load(m: number): void {
    const kernel = this.#kernel;
    for (const c of this.#image.components.keys()) {
      const rows = kernel.verticalOf(sourceFrame, c);
      const down = kernel.blocksDown(sourceFrame, c);
      for (let y = 0; y < rows && m * rows + y < down; y += 1) kernel.loadRow(c, m * rows + y, y);
    }
  }

  #open(cursor: number, { components, restartInterval, start }: JpegScan): void {
    const kernel = this.#kernel;
    kernel.openScan(cursor, start, restartInterval, components.length);
    for (const [place, { index, dc, ac }] of components.entries()) {
      this.#build(kernel.decoderTable(cursor, dcKind, place), dc, dcKind);
      this.#build(kernel.decoderTable(cursor, acKind, place), ac, acKind);
      kernel.setScanComponent(cursor, place, index, place, place);
    }
  }

  #build(table: number, definition: Uint8Array | undefined, kind: number): void {
    if (!definition) return;
    const at = this.#kernel.definitionBuffer();
    this.#kernel.bytes.set(definition, at);
    this.#kernel.buildDecoder(table, at, kind);
  }
}

/** The last sequential scan of each component, which applies as in libjpeg. */
function lastOfEach(
  { components }: JpegInspection,
  scans: readonly JpegScan[],
): readonly JpegScan[] {
  const last = components.map((_, index) =>
    scans.findLast((scan) => scan.components.some((component) => component.index === index)),
  );
  return scans.filter((scan) => last.includes(scan));
}
