import type { ByteRange } from '../inspect/inspection.ts';
import type { Association } from './avif-tables.ts';

/** The bytes of an item to be written. */
export type ItemData =
  /** Where they lie in the old file; ranges of several items may overlap. */
  | { readonly from: 'file'; readonly extents: readonly ByteRange[] }
  /** New ones, at least one byte: a length of 0 would mean all to the end of the file. */
  | { readonly from: 'memory'; readonly bytes: Uint8Array };

/** An item to be written. */
export interface PlacedItem {
  readonly id: number;
  /** Content of its `infe` box. */
  readonly entry: Uint8Array;
  readonly data: ItemData;
  /** At most 255. */
  readonly associations: readonly Association[];
}
