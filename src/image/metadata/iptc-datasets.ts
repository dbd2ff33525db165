import { ByteCursor } from '../inspect/byte-cursor.ts';

const tagMarker = 0x1c;

export interface IptcDataset {
  readonly record: number;
  readonly number: number;
  /** The dataset's own bytes, its tag and length with it. */
  readonly whole: Uint8Array;
  readonly data: Uint8Array;
}

/**
 * The datasets that `isWanted` says yes to, in their order; undefined when one is damaged. What is
 * skipped takes no memory. Zero bytes at the end are padding. Source: IPTC-IIM 4.2 §1.5–1.6
 * (standard and extended datasets).
 */
export function iptcDatasets(
  bytes: Uint8Array,
  isWanted: (dataset: IptcDataset) => boolean,
): IptcDataset[] | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const cursor = new ByteCursor(view, 0, view.byteLength);
  const wanted: IptcDataset[] = [];
  while (cursor.remaining > 0) {
    const start = cursor.position;
    const marker = cursor.uint8();
    if (marker === 0) return bytes.subarray(start).every((byte) => byte === 0) ? wanted : undefined;
    if (marker !== tagMarker) return undefined;
    const record = cursor.uint8();
    const number = cursor.uint8();
    const length = dataLength(cursor);
    const dataStart = cursor.position;
    cursor.skip(length);
    if (cursor.overrun) return undefined;
    const dataset = {
      record,
      number,
      whole: bytes.subarray(start, cursor.position),
      data: bytes.subarray(dataStart, cursor.position),
    };
    if (isWanted(dataset)) wanted.push(dataset);
  }
  return wanted;
}

/** With the highest bit set, two bytes say how many bytes the length takes. */
function dataLength(cursor: ByteCursor): number {
  const length = cursor.uint16();
  if (length < 0x8000) return length;
  switch (length & 0x7fff) {
    case 1:
      return cursor.uint8();
    case 2:
      return cursor.uint16();
    case 3:
      return cursor.uint24();
    case 4:
      return cursor.uint32();
    default:
      return Number.POSITIVE_INFINITY;
  }
}
