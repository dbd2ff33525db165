import { Pace, type Slices } from '../../slices.ts';
import { blockMs } from './cpu.ts';
import {
  codedFrame,
  expectRoom,
  type FrameShape,
  type JpegKernel,
  setFrameGeometry,
  setQuantization,
  sourceFrame,
} from './kernel.ts';
import { allocateCoding } from './memory.ts';
import { type CodedComponent, ResultWriter } from './result-writer.ts';
import { chooseCoding, type Scan, type ScriptFrame, sequentialScans } from './scan-script.ts';

/** How to write the result. */
export interface Writing {
  /** Everything that precedes the coded picture. */
  readonly head: Uint8Array;
  /** Maximum length of the result in bytes; a longer one is abandoned. */
  readonly maxBytes: number;
  /** Whether to stream the picture if its coefficients do not fit into memory; otherwise that is an error. */
  readonly mayStream: boolean;
  /**
   * Receives pieces of the result of a streamed picture, if the result does not fit into memory either. The bytes are
   * valid until it returns. Returns false if the result has become too long.
   */
  readonly drain?: (bytes: Uint8Array) => boolean;
}

/** The shape of the written picture. */
export interface CodedPicture extends FrameShape {
  /** Ids of the components (ITU-T T.81 §B.2.2). */
  readonly ids: readonly number[];
  /** Whether the second and third components are chroma. */
  readonly isYcc: boolean;
}

export type Coded =
  /** The result as a view of the arena; if it was drained, only its end. */
  | { readonly kind: 'coded'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'too-long' }
  /** Some coefficients are too large for the Huffman coding of 8-bit samples. */
  | { readonly kind: 'not-codable' }
  /** Halving chroma would remove visible detail. */
  | { readonly kind: 'too-colorful' };

/**
 * Encodes a picture's coefficients with optimized Huffman tables and scans.
 *
 * Coefficients are kept, as tokens or in planes, so that the picture can be written in any number of scans. If tokens
 * do not fit into memory, the picture is streamed: each scan reads it twice, once to count symbols and once to write
 * them.
 *
 * @throws CodecError if the file is damaged or takes more memory than is available
 */
export function* codePicture(
  kernel: JpegKernel,
  rows: CodedRows,
  picture: CodedPicture,
  writing: Writing,
): Slices<Coded> {
  const { width, height, sampling, isYcc } = picture;
  const components = codedComponents(picture, rows.quantization);
  const work: Work = {
    writing,
    rows,
    writer: new ResultWriter(kernel, { width, height, components }),
    script: {
      componentCount: sampling.length,
      chroma: isYcc ? [1, 2] : [],
      interleaves: unitsInMcu(sampling) <= 10,
    },
  };
  yield* rows.begin();
  const areKept = yield* rows.keepAll();
  if (rows.areTooColorful) return { kind: 'too-colorful' };
  const bytes =
    (areKept ? yield* fromKept(kernel, work) : null) ?? (yield* fromStreamed(kernel, work));
  if (kernel.codingFailure() !== 0) return { kind: 'not-codable' };
  return bytes === 'too-long' ? { kind: 'too-long' } : { kind: 'coded', bytes };
}

interface Work {
  readonly writing: Writing;
  readonly rows: CodedRows;
  readonly writer: ResultWriter;
  readonly script: ScriptFrame;
}

type Bytes = Uint8Array<ArrayBuffer> | 'too-long';

/** Approximate number of blocks for estimating the cost of a scan. */
const sampleBlocks = 60_000;

/** Writes the best scan script; null if there is no memory for the result. */
function* fromKept(
  kernel: JpegKernel,
  { writing, rows, writer, script }: Work,
): Slices<Bytes | null> {
  const rowStep = Math.max(1, Math.round(rows.blocks / sampleBlocks));
  const cost = (scan: Scan) => writer.cost(scan, rowStep);
  let sequentialBits = 0;
  for (const scan of sequentialScans(script)) sequentialBits += yield* cost(scan);
  const { process, scans } = yield* chooseCoding(script, cost, sequentialBits);
  const isShort = kernel.room() < writing.maxBytes;
  let isWritten = writer.begin(process, writing.head, writing.maxBytes);
  for (const scan of scans) isWritten &&= yield* writer.write(scan);
  const bytes = isWritten ? writer.end() : null;
  return bytes ?? (isShort && kernel.codingFailure() === 0 ? null : 'too-long');
}

/** Writes sequential scans, each of which reads the picture twice. */
function* fromStreamed(kernel: JpegKernel, { writing, rows, writer, script }: Work): Slices<Bytes> {
  expectRoom(writing.mayStream ? 1 : 0);
  rows.beginStreaming();
  if (!writer.begin('sequential', writing.head, writing.maxBytes)) return 'too-long';
  for (const scan of sequentialScans(script)) {
    writer.select(scan);
    for (const writes of [0, 1]) {
      if (writes && !writer.beginScan(scan)) return 'too-long';
      kernel.beginScan(writes);
      const isDone = yield* rows.streamMcuRows(function* (m) {
        return kernel.codeMcuRow(m) !== 0 && writer.drain(writing.drain);
      });
      if (!(isDone && kernel.endScan())) return 'too-long';
    }
  }
  return writer.end() ?? 'too-long';
}

function codedComponents(
  { ids, isYcc, sampling }: CodedPicture,
  quantization: readonly Uint16Array[],
): readonly CodedComponent[] {
  return sampling.map(({ horizontal, vertical }, c) => {
    const slot = isYcc && c > 0 ? 1 : 0;
    const steps = quantization[c] ?? new Uint16Array(64);
    return { id: ids[c] ?? c + 1, horizontal, vertical, steps, dcSlot: slot, acSlot: slot };
  });
}

function unitsInMcu(sampling: FrameShape['sampling']): number {
  return sampling.reduce((units, { horizontal, vertical }) => units + horizontal * vertical, 0);
}

/** A source of coefficients, which reads one row of MCUs at a time into the kernel's source rows. */
export interface CoefficientRows {
  /** Quantization steps of each component in zigzag order. */
  readonly quantization: readonly Uint16Array[];
  /** Whether all coefficients are in the kernel's planes, so that they need not be read again. */
  readonly areGathered: boolean;
  /** Allocates the memory for reading, and reads everything that is needed before the first row. */
  begin(): Slices<void>;
  /** Restarts at the first row. */
  rewind(): Slices<void>;
  /** Reads row `m` of MCUs; rows must be read in order. */
  read(m: number): Slices<void>;
}

/**
 * Maximum mean squared error per sample, summed over both chroma components, that halving may cause. Photos lose less
 * than 6 and look better for the same bytes; screenshots with fine colored lines lose 30 and more and look worse.
 */
const maxDiscarded = 12;

/** Receives row `y` of the blocks of component `c`, which is at `blocks`; returns false to stop. */
type TakeBlocks = (c: number, y: number, blocks: number) => boolean;

/** The coefficients of a picture to encode: requantized, or those of the file. */
export class CodedRows {
  /** Quantization steps of each component of the result in zigzag order. */
  readonly quantization: readonly Uint16Array[];
  readonly #kernel: JpegKernel;
  readonly #source: CoefficientRows;
  readonly #components: readonly number[];
  readonly #isLossy: boolean;
  readonly #pace: Pace;

  /**
   * @param source its frame must be set in the kernel
   * @param shape shape of the written picture
   * @param tables null to keep the coefficients
   */
  constructor(
    kernel: JpegKernel,
    source: CoefficientRows,
    shape: FrameShape,
    tables: readonly Uint16Array[] | null,
  ) {
    this.#kernel = kernel;
    this.#source = source;
    this.#components = [...shape.sampling.keys()];
    this.#isLossy = tables !== null;
    this.#pace = new Pace(this.#isLossy ? blockMs.requantized : blockMs.kept);
    this.quantization = tables ?? source.quantization;
    setFrameGeometry(kernel, codedFrame, shape);
    setQuantization(kernel, codedFrame, this.quantization);
  }

  /**
   * Begins reading, and allocates the memory for encoding.
   * @throws CodecError if the file is damaged or takes more memory than is available
   */
  *begin(): Slices<void> {
    yield* this.#source.begin();
    allocateCoding(this.#kernel, this.#isLossy);
    if (this.#isLossy) this.#kernel.beginRequantizer();
    else this.#kernel.shareRows();
  }

  /**
   * Reads the picture and keeps its coefficients for any number of scans.
   * @returns whether there was enough memory
   */
  *keepAll(): Slices<boolean> {
    const kernel = this.#kernel;
    if (this.#source.areGathered) {
      if (this.#isLossy) {
        // Coded rows overwrite source rows that have been read.
        yield* this.#forEachRow((c, y, blocks) => {
          expectRoom(kernel.storeRow(c, y, blocks));
          return true;
        });
      }
      expectRoom(kernel.beginPlaneTokens());
      return true;
    }
    expectRoom(kernel.beginTokens());
    return yield* this.#forEachRow((c, y, blocks) => kernel.keepRow(c, y, blocks) !== 0);
  }

  /** Whether the coefficients are in the kernel's planes, where keeping lossy results overwrites them. */
  get areGathered(): boolean {
    return this.#source.areGathered;
  }

  /** Number of blocks in the result. */
  get blocks(): number {
    return sum(this.#components, (c) => {
      return this.#kernel.blocksAcross(codedFrame, c) * this.#kernel.blocksDown(codedFrame, c);
    });
  }

  /** Whether halving chroma has removed visible detail. */
  get areTooColorful(): boolean {
    if (!this.#isLossy) return false;
    return sum(this.#components, (c) => this.#kernel.discardedEnergy(c)) > maxDiscarded;
  }

  /**
   * Releases kept coefficients, to prepare for `streamMcuRows`.
   * @throws CodecError if the source cannot be read again, or there is no memory
   */
  beginStreaming(): void {
    expectRoom(this.#source.areGathered ? 0 : 1);
    this.#kernel.dropTokens();
    expectRoom(this.#kernel.beginRowTokens());
  }

  /**
   * Reads the picture again; all passes give identical coefficients.
   * @param take called when a row of MCUs is in the kernel's coded rows; returns false to stop
   * @returns whether all rows have been taken
   */
  *streamMcuRows(take: (m: number) => Slices<boolean>): Slices<boolean> {
    const kernel = this.#kernel;
    yield* this.#source.rewind();
    if (this.#isLossy) kernel.restartRequantizer();
    const down = kernel.mcusDown(sourceFrame);
    const coded = kernel.mcusDown(codedFrame);
    // If chroma is halved vertically, two rows of MCUs become one.
    const perRow = Math.ceil(down / coded);
    for (let m = 0; m < down; m += 1) {
      yield* this.#source.read(m);
      yield* this.#takeRow(m, () => true);
      const isComplete = (m + 1) % perRow === 0 || m + 1 === down;
      if (isComplete && !(yield* take(Math.floor(m / perRow)))) return false;
    }
    return true;
  }

  *#forEachRow(take: TakeBlocks): Slices<boolean> {
    const down = this.#kernel.mcusDown(sourceFrame);
    for (let m = 0; m < down; m += 1) {
      yield* this.#source.read(m);
      if (!(yield* this.#takeRow(m, take))) return false;
    }
    return true;
  }

  /** Calls `take` with the rows of blocks that are complete after row `m` of the source's MCUs. */
  *#takeRow(m: number, take: TakeBlocks): Slices<boolean> {
    const kernel = this.#kernel;
    for (const c of this.#components) {
      const rows = kernel.verticalOf(sourceFrame, c);
      const end = Math.min((m + 1) * rows, kernel.blocksDown(sourceFrame, c));
      for (let y = m * rows; y < end; y += 1) {
        yield* this.#pace.after(kernel.blocksAcross(sourceFrame, c));
        if (this.#isLossy && !kernel.takeSourceRow(c, y)) continue;
        const row = this.#isLossy ? kernel.codedRow(c, y) : y;
        const inMcu = row % kernel.verticalOf(codedFrame, c);
        if (!take(c, row, kernel.blockRow(codedFrame, c, inMcu))) return false;
      }
    }
    return true;
  }
}

function sum<Item>(items: Iterable<Item>, of: (item: Item) => number): number {
  let total = 0;
  for (const item of items) total += of(item);
  return total;
}
