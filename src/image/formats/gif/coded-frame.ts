import type { FrameTable } from './color-tables.ts';

/** A frame as it was coded. */
export interface CodedFrame {
  readonly table: FrameTable;
  /** The bits of an index, and sub-blocks with their terminator. */
  readonly data: Uint8Array;
}
