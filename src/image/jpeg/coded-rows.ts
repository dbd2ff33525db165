import { expectRoom, type JpegKernel } from './kernel.ts';
import { codedFrame, sourceFrame } from './kernel-exports.ts';
import { type FrameShape, setKernelFrame } from './kernel-frame.ts';

/** Where coefficients come from: one row of MCUs after the other, into the kernel's source rows. */
export interface CoefficientRows {
  /** Steps of each component in zigzag order. */
  readonly quantization: readonly Uint16Array[];
  /** All of them are in the kernel's planes: there is no need to read them a second time. */
  readonly areGathered: boolean;
  /** Allocates what reading takes. */
  begin(): void;
  /** Begins with the first row again. */
  rewind(): void;
  /** Reads row `m` of MCUs, the one after the last. */
  read(m: number): void;
}

/**
 * Mean square, of both chroma components together, of what halving may take from
 * a sample. Photos lose less than 6, and look better for their bytes with it;
 * screenshots with fine coloured lines lose 30 and more, and look worse.
 */
const mostLost = 12;

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
   * @throws CodecError where the file is damaged, or takes more memory than there is
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
    setKernelFrame(kernel, codedFrame, shape, this.quantization);
    this.#source.begin();
    expectRoom(kernel.beginCoding());
    if (this.#isLossy) {
      expectRoom(kernel.allocateRows(codedFrame));
      expectRoom(kernel.beginRequantizer());
    } else {
      kernel.shareRows();
    }
  }

  /**
   * Goes through the picture and keeps what is to be coded, so that scans can be made of it.
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

  /** Blocks of the result. */
  get blocks(): number {
    return sum(this.#components, (c) => {
      return this.#kernel.blocksAcross(codedFrame, c) * this.#kernel.blocksDown(codedFrame, c);
    });
  }

  /** Whether chroma that has been halved would be missed. */
  get areTooColorful(): boolean {
    if (!this.#isLossy) return false;
    return sum(this.#components, (c) => this.#kernel.discardedEnergy(c)) > mostLost;
  }

  /**
   * Forgets what was kept, for `streamMcuRows`.
   * @throws CodecError where the picture cannot flow by once more, or there is no room
   */
  beginStreaming(): void {
    expectRoom(this.#source.areGathered ? 0 : 1);
    this.#kernel.dropTokens();
    expectRoom(this.#kernel.beginRowTokens());
  }

  /**
   * Goes through the picture again, with the same outcome each time.
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
