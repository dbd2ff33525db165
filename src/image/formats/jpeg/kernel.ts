import { CodecError } from '../../wasm/codec.ts';
import { type LinkedKernel, runKernel } from '../../wasm/kernel.ts';
import module from '../../wasm/modules/jpeg.wasm';
import type { Sampling } from './sampling.ts';

/** The kernel linked for one run. */
export type JpegKernel = LinkedKernel<JpegKernelExports>;

/**
 * Links the JPEG kernel against the wiped arena for one run. The file stays
 * where it is: the kernel asks for one window of it after the other.
 *
 * @throws CodecError what `work` throws as such, or when the kernel traps, which no input should make it do
 */
export function runJpegKernel<Result>(
  file: Uint8Array,
  work: (kernel: JpegKernel) => Result,
): Result {
  return runKernel<JpegKernelExports, Result>(
    name,
    module,
    (bytes) => ({
      'bit-reader': {
        readFile: (position: number, to: number, length: number) => {
          const part = file.subarray(position >>> 0, (position >>> 0) + length);
          bytes.set(part, to);
          return part.length;
        },
      },
    }),
    work,
  );
}

const name = 'jpeg kernel';

/** @throws CodecError where something was not allocated for want of room */
export function expectRoom(isThere: number): void {
  if (!isThere) throw new CodecError(name, true, 'no room');
}

/** @throws CodecError where reading did not end well */
export function expectSound(status: number): void {
  if (status === readingStatus.sound) return;
  throw new CodecError(name, status === readingStatus.outOfMemory, `reading ended with ${status}`);
}

/** A file whose coded picture makes no sense. */
export function damagedJpeg(what: string): CodecError {
  return new CodecError(name, false, what);
}

/** Size of a picture and of its components. */
export interface FrameShape {
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  readonly sampling: readonly Sampling[];
}

/**
 * Tells the kernel of a frame.
 * @param frame its number: see `kernel-exports.ts`
 * @param quantization steps of each component in zigzag order
 */
export function setKernelFrame(
  kernel: JpegKernel,
  frame: number,
  { width, height, sampling }: FrameShape,
  quantization: readonly Uint16Array[],
): void {
  kernel.setFrame(frame, width, height, sampling.length);
  for (const [c, { horizontal, vertical }] of sampling.entries()) {
    kernel.setSampling(frame, c, horizontal, vertical);
  }
  for (const [c, steps] of quantization.entries()) {
    const at = kernel.quantizationTable(frame, c);
    new Uint16Array(kernel.bytes.buffer, at, steps.length).set(steps);
  }
  kernel.beginFrame(frame);
}

/** A place in the kernel's memory. */
export type Pointer = number;

/** Numbers of the frames (assembly/frame.ts). */
export const sourceFrame = 0;
export const codedFrame = 1;

/** Kinds of Huffman tables (assembly/symbols.ts). */
export const huffmanKind = { dc: 0, ac: 1 } as const;

/** How reading a part of a scan ended (assembly/scans.ts). */
const readingStatus = {
  sound: 0,
  truncated: 1,
  badCode: 2,
  badRestart: 3,
  outOfMemory: 4,
} as const;

/** What assembly/index.ts exports; each is documented where it is defined. A boolean arrives as 0 or 1. */
interface JpegKernelExports {
  beginMemory(): void;
  taken(): number;
  room(): number;

  setFrame(frame: number, width: number, height: number, components: number): void;
  setSampling(frame: number, c: number, horizontal: number, vertical: number): void;
  beginFrame(frame: number): void;
  blocksAcross(frame: number, c: number): number;
  blocksDown(frame: number, c: number): number;
  mcusDown(frame: number): number;
  /** The vertical sampling factor. */
  verticalOf(frame: number, c: number): number;
  quantizationTable(frame: number, c: number): Pointer;

  allocateCursors(cursors: number): number;
  allocateDecoders(cursors: number): number;
  decoderTable(cursor: number, kind: number, slot: number): Pointer;
  definitionBuffer(): Pointer;
  buildDecoder(table: Pointer, definition: Pointer, kind: number): void;
  openScan(cursor: number, position: number, restartInterval: number, components: number): void;
  setScanComponent(cursor: number, place: number, c: number, dcSlot: number, acSlot: number): void;

  allocateRows(frame: number): number;
  shareRows(): void;
  blockRow(frame: number, c: number, y: number): Pointer;
  readMcuRow(cursor: number, m: number): number;

  allocatePlanes(): number;
  readProgressiveScan(cursor: number, ss: number, se: number, ah: number, al: number): number;
  loadRow(c: number, y: number, rowInMcu: number): void;
  storeRow(c: number, y: number, blocks: Pointer): number;

  beginPixels(halvings: number, kind: number): number;
  takeMcuRow(m: number): void;
  nextPixelRow(): Pointer;

  beginPixelBlocks(): number;
  pixelRow(y: number): Pointer;
  takePixelRows(count: number): void;

  beginRequantizer(): number;
  restartRequantizer(): void;
  takeSourceRow(c: number, y: number): number;
  codedRow(c: number, y: number): number;
  discardedEnergy(c: number): number;

  beginCoding(): number;
  beginTokens(): number;
  keepRow(c: number, y: number, blocks: Pointer): number;
  dropTokens(): void;
  beginPlaneTokens(): number;
  beginRowTokens(): number;
  setTableSlot(c: number, dcSlot: number, acSlot: number): void;
  setScan(
    count: number,
    c0: number,
    c1: number,
    c2: number,
    c3: number,
    ss: number,
    se: number,
    ah: number,
    al: number,
  ): void;
  countScan(rowStep: number): void;
  histogram(kind: number, slot: number): Pointer;
  rawBits(): number;
  codes(kind: number, slot: number): Pointer;
  codingFailure(): number;
  beginOutput(most: number): number;
  reserveOutput(length: number): Pointer;
  outputAt(): Pointer;
  outputLength(): number;
  writeScan(): number;
  beginStreamedScan(writes: number): void;
  codeMcuRow(m: number): number;
  endScan(): number;
}
