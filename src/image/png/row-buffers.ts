import { expectRoom, type PngKernel } from './kernel.ts';
import type { Pointer } from './kernel-exports.ts';

/** Rows in the kernel's memory that pixels pass through on their way. */
export interface RowBuffers {
  /** Straight RGBA of 8 bits each. */
  readonly rgba: Pointer;
  /** RGBA of 16 bits each; 0 where nobody wants them. */
  readonly deep: Pointer;
  /** The row as it is written, without its filter byte. */
  readonly packed: Pointer;
}

/** Bytes of one pixel in all of them, and in the packer's own row of samples. */
const bytesPerPixel = { shallow: 4 + 4 + 1, deep: 4 + 8 + 8 + 1 };

/** What the rows take, in bytes; loops over whole vectors may go some bytes beyond a row. */
export function rowBufferBytes(width: number, isDeep: boolean): number {
  return bytesPerPixel[isDeep ? 'deep' : 'shallow'] * width + 4 * vectorBytes;
}

/** @throws CodecError where there is no room for them */
export function allocateRowBuffers(kernel: PngKernel, width: number, isDeep: boolean): RowBuffers {
  const rgba = kernel.allocate(4 * width + vectorBytes);
  const deep = isDeep ? kernel.allocate(8 * width + vectorBytes) : 0;
  const packed = kernel.allocate((isDeep ? 8 : 4) * width + vectorBytes);
  expectRoom(packed);
  expectRoom(kernel.beginRowPacker(width));
  return { rgba, deep, packed };
}

const vectorBytes = 16;
