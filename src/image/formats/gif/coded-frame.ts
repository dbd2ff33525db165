import { type FrameTable, localTableBytes } from './color-tables.ts';

/** An encoded frame. */
export interface CodedFrame {
  readonly table: FrameTable;
  /** Whether every pixel has exactly its intended color. */
  readonly isExact: boolean;
  /** The minimum code size, followed by the sub-blocks and their terminator. */
  readonly data: Uint8Array;
}

/** Returns the frame that takes fewer bytes in the file; `a` if both take the same number. */
export function shorter(a: CodedFrame, b: CodedFrame): CodedFrame {
  return bytesOf(b) < bytesOf(a) ? b : a;
}

/** Size of a frame in the file, without the parts that have the same size in every frame. */
function bytesOf({ table, data }: CodedFrame): number {
  return data.length + localTableBytes(table);
}
