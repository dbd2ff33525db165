import { type FrameTable, localTableBytes } from './color-tables.ts';

/** An encoded frame. */
export interface CodedFrame {
  readonly table: FrameTable;
  /** Whether every pixel is exact. */
  readonly isExact: boolean;
  /** The code size, and the sub-blocks including their terminator. */
  readonly data: Uint8Array;
}

/** The frame that takes fewer bytes in the file; the first one if they are equal. */
export function shorter(a: CodedFrame, b: CodedFrame): CodedFrame {
  return bytesOf(b) < bytesOf(a) ? b : a;
}

/** Bytes of a frame in the file, not counting its fixed headers. */
function bytesOf({ table, data }: CodedFrame): number {
  return data.length + localTableBytes(table);
}
