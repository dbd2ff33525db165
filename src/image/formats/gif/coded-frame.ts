import { type FrameTable, localTableBytes } from './color-tables.ts';

/** A frame as it was coded. */
export interface CodedFrame {
  readonly table: FrameTable;
  /** It shows what it shall in every pixel. */
  readonly isExact: boolean;
  /** The bits of an index, and sub-blocks with their terminator. */
  readonly data: Uint8Array;
}

/** The one that takes less of the file; the first where both take as much. */
export function shorter(a: CodedFrame, b: CodedFrame): CodedFrame {
  return bytesOf(b) < bytesOf(a) ? b : a;
}

/** What a frame takes in the file, but for what any takes. */
function bytesOf({ table, data }: CodedFrame): number {
  return data.length + localTableBytes(table);
}
