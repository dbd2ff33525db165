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
import { chooseCoding, type ScriptFrame, sequentialScans } from './scan-script.ts';

/** How the result is to be written. */
export interface Writing {
  /** All that comes before the coded picture. */
  readonly head: Uint8Array;
  /** Bytes that the result may have; a longer one is abandoned. */
  readonly maxBytes: number;
  /** Where coefficients do not fit into memory, the picture is streamed; otherwise that is an error. */
  readonly mayStream: boolean;
  /**
   * Takes what has been written of a streamed picture, where a result does not fit into memory either: bytes that hold
   * until it returns. False if that is more than the result may have.
   */
  readonly drain?: (bytes: Uint8Array) => boolean;
}

/** A picture as it is written. */
export interface CodedPicture extends FrameShape {
  /** Ids of the components (ITU-T T.81 §B.2.2). */
  readonly ids: readonly number[];
  /** The second and the third component are chroma. */
  readonly isYcc: boolean;
}

export type Coded =
  /** The result, where it lies in the arena; of one that was drained, the end. */
  | { readonly kind: 'coded'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'too-long' }
  /** There are coefficients too large for the Huffman coding of 8-bit samples. */
  | { readonly kind: 'not-codable' }
  /** Halving chroma would remove visible detail. */
  | { readonly kind: 'too-colorful' };

/**
 * Codes a picture's coefficients with Huffman tables and scans made for them.
 *
 * Coefficients are kept, as tokens or in the planes, so that the picture can be written in any number
 * of scans. Where tokens do not fit, the picture is streamed: each scan reads it twice, once to count
 * symbols and once to write them.
 *
 * @throws CodecError if the file is damaged or takes more memory than is available
 */
export function codePicture(
  kernel: JpegKernel,
  rows: CodedRows,
  picture: CodedPicture,
  writing: Writing,
): Coded {
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
  const areKept = rows.keepAll();
  if (rows.areTooColorful) return { kind: 'too-colorful' };
  const bytes = (areKept ? fromKept(kernel, work) : null) ?? fromStreamed(kernel, work);
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

/** About as many blocks are looked at to estimate the cost of a scan. */
const sampleBlocks = 60_000;

/** Writes the best script of scans; null if there is no memory for the result. */
function fromKept(kernel: JpegKernel, { writing, rows, writer, script }: Work): Bytes | null {
  const rowStep = Math.max(1, Math.round(rows.blocks / sampleBlocks));
  const cost = (scan: Parameters<typeof writer.cost>[0]) => writer.cost(scan, rowStep);
  const sequentialBits = sequentialScans(script).reduce((bits, scan) => bits + cost(scan), 0);
  const { process, scans } = chooseCoding(script, cost, sequentialBits);
  const isShort = kernel.room() < writing.maxBytes;
  const isWritten =
    writer.begin(process, writing.head, writing.maxBytes) &&
    scans.every((scan) => writer.write(scan));
  const bytes = isWritten ? writer.end() : null;
  return bytes ?? (isShort && kernel.codingFailure() === 0 ? null : 'too-long');
}

/** Writes sequential scans, each of which reads the picture twice. */
function fromStreamed(kernel: JpegKernel, { writing, rows, writer, script }: Work): Bytes {
  expectRoom(writing.mayStream ? 1 : 0);
  rows.beginStreaming();
  if (!writer.begin('sequential', writing.head, writing.maxBytes)) return 'too-long';
  for (const scan of sequentialScans(script)) {
    writer.select(scan);
    for (const writes of [0, 1]) {
      if (writes && !writer.beginScan(scan)) return 'too-long';
      kernel.beginStreamedScan(writes);
      const isDone = rows.streamMcuRows(
        (m) => kernel.codeMcuRow(m) !== 0 && writer.drain(writing.drain),
      );
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

/** A source of coefficients, which come one row of MCUs after the other into the kernel's source rows. */
export interface CoefficientRows {
  /** Steps of each component in zigzag order. */
  readonly quantization: readonly Uint16Array[];
  /** All of them are in the kernel's planes, and need not be read a second time. */
  readonly areGathered: boolean;
  /** Allocates what reading takes. */
  begin(): void;
  /** Begins with the first row again. */
  rewind(): void;
  /** Reads row `m` of MCUs, the one after the last. */
  read(m: number): void;
}

/**
 * Largest mean square error of a sample, of both chroma components together, that halving may cause. Photos lose less
 * than 6 and look better for their bytes with it; screenshots with fine colored lines lose 30 and more and look worse.
 */
const maxDiscarded = 12;

/** The coefficients of a picture as they will be coded: requantized, or those of the file. */
export class CodedRows {
  /** Steps of each component of the result, in zigzag order. */
  readonly quantization: readonly Uint16Array[];
  readonly #kernel: JpegKernel;
  readonly #source: CoefficientRows;
  readonly #components: readonly number[];
  readonly #isLossy: boolean;

  /**
   * @param source its frame is set already
   * @param shape of the picture that is written
   * @param tables null: the coefficients stay as they are
   * @throws CodecError if the file is damaged or takes more memory than is available
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
    this.quantization = tables ?? source.quantization;
    setFrameGeometry(kernel, codedFrame, shape);
    setQuantization(kernel, codedFrame, this.quantization);
    this.#source.begin();
    allocateCoding(kernel, this.#isLossy);
    if (this.#isLossy) kernel.beginRequantizer();
    else kernel.shareRows();
  }

  /**
   * Reads the picture and keeps its coefficients, so that scans can be made of them.
   * @returns whether there was room for it
   */
  keepAll(): boolean {
    const kernel = this.#kernel;
    if (this.#source.areGathered) {
      if (this.#isLossy) {
        // a coded row takes the place of rows that have been read
        this.#forEachRow((c, y, blocks) => {
          expectRoom(kernel.storeRow(c, y, blocks));
          return true;
        });
      }
      expectRoom(kernel.beginPlaneTokens());
      return true;
    }
    expectRoom(kernel.beginTokens());
    return this.#forEachRow((c, y, blocks) => kernel.keepRow(c, y, blocks) !== 0);
  }

  /** Whether they are in the kernel's planes, from which they cannot be read a second time. */
  get areGathered(): boolean {
    return this.#source.areGathered;
  }

  /** Blocks of the result. */
  get blocks(): number {
    return sum(this.#components, (c) => {
      return this.#kernel.blocksAcross(codedFrame, c) * this.#kernel.blocksDown(codedFrame, c);
    });
  }

  /** Whether chroma that has been halved would be missed. */
  get areTooColorful(): boolean {
    if (!this.#isLossy) return false;
    return sum(this.#components, (c) => this.#kernel.discardedEnergy(c)) > maxDiscarded;
  }

  /**
   * Releases what was kept, to prepare for `streamMcuRows`.
   * @throws CodecError if the source cannot be read again, or there is no room
   */
  beginStreaming(): void {
    expectRoom(this.#source.areGathered ? 0 : 1);
    this.#kernel.dropTokens();
    expectRoom(this.#kernel.beginRowTokens());
  }

  /**
   * Reads the picture again; every pass makes identical choices.
   * @param take is given each row of MCUs in turn, as it stands in the coded rows; false ends it
   * @returns whether all have been taken
   */
  streamMcuRows(take: (m: number) => boolean): boolean {
    const kernel = this.#kernel;
    this.#source.rewind();
    if (this.#isLossy) kernel.restartRequantizer();
    const down = kernel.mcusDown(sourceFrame);
    const coded = kernel.mcusDown(codedFrame);
    // where chroma is halved in height, two rows of MCUs become one
    const perRow = Math.ceil(down / coded);
    for (let m = 0; m < down; m += 1) {
      this.#source.read(m);
      this.#takeRow(m, () => true);
      const isComplete = (m + 1) % perRow === 0 || m + 1 === down;
      if (isComplete && !take(Math.floor(m / perRow))) return false;
    }
    return true;
  }

  #forEachRow(take: (c: number, y: number, blocks: number) => boolean): boolean {
    const down = this.#kernel.mcusDown(sourceFrame);
    for (let m = 0; m < down; m += 1) {
      this.#source.read(m);
      if (!this.#takeRow(m, take)) return false;
    }
    return true;
  }

  /** Gives `take` the rows of blocks that row `m` of the source's MCUs completes. */
  #takeRow(m: number, take: (c: number, y: number, blocks: number) => boolean): boolean {
    const kernel = this.#kernel;
    for (const c of this.#components) {
      const rows = kernel.verticalOf(sourceFrame, c);
      const end = Math.min((m + 1) * rows, kernel.blocksDown(sourceFrame, c));
      for (let y = m * rows; y < end; y += 1) {
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
