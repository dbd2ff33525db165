import { CodecError } from '../../wasm/codec.ts';
import { type KernelMemory, type LinkedKernel, runKernel } from '../../wasm/kernel.ts';
import module from '../../wasm/modules/png.wasm';

/** The kernel linked for one run. */
export type PngKernel = LinkedKernel<PngKernelExports>;

/** Compressed data that the kernel inflates; a cursor is one place in them, and has a number. */
export interface CompressedData {
  /** Copies the next bytes of a cursor to `target`; how many there were, 0 behind the last. */
  read(cursor: number, target: Uint8Array): number;
  /** Puts cursor `to` where `from` is; with both the same, at the beginning. */
  fork(from: number, to: number): void;
}

/**
 * Links the PNG kernel against the wiped arena for one run. Compressed data stay where they are: the
 * kernel asks for the next bytes of them.
 *
 * @param data null where nothing is inflated
 * @throws CodecError what `work` throws as such, or when the kernel traps, which no input should make it do
 */
export function runPngKernel<Result>(
  data: CompressedData | null,
  work: (kernel: PngKernel) => Result,
): Result {
  return runKernel<PngKernelExports, Result>(
    name,
    module,
    (bytes) => ({
      'data-input': {
        readData: (cursor: number, to: number, length: number) =>
          data?.read(cursor, bytes.subarray(to, to + length)) ?? 0,
        forkData: (from: number, to: number) => data?.fork(from, to),
      },
    }),
    work,
  );
}

const name = 'png kernel';

/** @throws CodecError where something was not allocated for want of room */
export function expectRoom(isThere: number): void {
  if (!isThere) throw new CodecError(name, true, 'no room');
}

/** @throws CodecError where reading did not end well */
export function expectSound(status: number): void {
  if (status !== sound) throw damagedPng(`reading ended with ${status}`);
}

/** A file whose picture makes no sense. */
export function damagedPng(what: string): CodecError {
  return new CodecError(name, false, what);
}

/** A place in the kernel's memory. */
export type Pointer = number;

/** How reading went when it went well (assembly/inflate/status.ts). */
const sound = 0;

/** What assembly/index.ts exports; each is documented where it is defined. A boolean arrives as 0 or 1. */
interface PngKernelExports extends KernelMemory, ReductionExports, QuantizerExports, WriterExports {
  /** Zeros, aligned to 16; 0 where there is no room. */
  allocate(bytes: number): Pointer;
  /** Takes back all that was allocated from there on. */
  release(at: Pointer): void;

  unpackedBytes(limit: number): number;

  setPicture(
    width: number,
    height: number,
    colorType: number,
    bitDepth: number,
    isInterlaced: boolean,
  ): void;
  setKey(red: number, green: number, blue: number): void;
  palettePixels(): Pointer;
  deepTable(): Pointer;
  allocateReader(): number;
  startReading(): number;
  readRow(): number;
  endReading(): number;
  expandRow(to: Pointer): void;
  expandDeepRow(to: Pointer): void;
}

/** Of assembly/reduction: what a picture's pixels have in common, and rows of them in the layouts of PNG. */
export interface ReductionExports {
  beginColors(): number;
  colorCount(): number;
  colorsAt(): Pointer;
  colorIndicesAt(): Pointer;

  surveyRow(rgba: Pointer, width: number, keepsHidden: boolean): void;
  surveyDeepRow(deep: Pointer, width: number, keepsHidden: boolean, rgba: Pointer): void;
  allGrey(): number;
  allOpaque(): number;
  allOpaqueOrHidden(): number;
  greyDepth(): number;
  sharedHiddenColor(): number;
  hasOpaque(rgba: Pointer, width: number, color: number): number;
  takeUsedGreys(rgba: Pointer, width: number): void;
  unusedGrey(): number;
  allDeepGrey(): number;
  allDeepOpaque(): number;
  allShallow(): number;

  clearHidden(rgba: Pointer, width: number): void;
  clearDeepHidden(deep: Pointer, width: number): void;
  beginRowPacker(width: number): number;
  setRowLayout(colorType: number, bitDepth: number, key: number): void;
  packRow(rgba: Pointer, width: number, to: Pointer): void;
  packDeep(deep: Pointer, width: number, colorType: number, to: Pointer): void;
  indexOrderAt(): Pointer;
  packIndices(from: Pointer, width: number, to: Pointer): void;
}

/** Of assembly/quantizer: many colours become few. */
interface QuantizerExports {
  beginQuantizer(width: number): number;
  countRow(rgba: Pointer): void;
  choosePalette(most: number, targetError: number): number;
  paletteAt(): Pointer;
  paletteError(): number;
  beginDithering(): void;
  ditherRow(rgba: Pointer, indices: Pointer): number;
  flushRows(indices: Pointer): number;
  shownError(): number;
}

/** Of assembly/filters and assembly/deflate: rows become a zlib stream. */
interface WriterExports {
  limitFilters(ways: number): void;
  beginWriter(rowBytes: number, step: number, effort: number, most: number): number;
  writeRow(row: Pointer): number;
  endWriter(): number;
  outputAt(): Pointer;
}

/**
 * How many bytes a zlib stream unpacks to, counted in the memory of a window: up to its end or damage,
 * and no further than to `limit`; 0 for what is no zlib stream. It runs in the arena, as codecs do.
 */
export function unpackedBytes(stream: Uint8Array, limit: number): number {
  let at = 0;
  const data = {
    read(_cursor: number, target: Uint8Array): number {
      const part = stream.subarray(at, at + target.length);
      target.set(part);
      at += part.length;
      return part.length;
    },
    fork(): void {
      at = 0;
    },
  };
  return runPngKernel(data, (kernel) => kernel.unpackedBytes(limit));
}
