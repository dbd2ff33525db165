import type { KernelMemory } from '../codecs/kernel.ts';
import type { QuantizerExports, ReductionExports, WriterExports } from './stage-exports.ts';

/** A place in the kernel's memory. */
export type Pointer = number;

/** How reading went when it went well (assembly/inflate/status.ts). */
export const sound = 0;

/** What assembly/index.ts exports; each is documented where it is defined. A boolean arrives as 0 or 1. */
export interface PngKernelExports
  extends KernelMemory,
    ReductionExports,
    QuantizerExports,
    WriterExports {
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
