import { ascii, joinBytes, uint16, uint32 } from '../container/assemble.ts';
import { ByteCursor } from '../container/byte-cursor.ts';
import { metadataBlock, textOf } from './metadata.ts';

/** Maximum length of a dataset in bytes. The standard allows 128 for a notice; writers use more, but less than this. */
const dataLimit = 8192;
/** Maximum total length in bytes, so that they fit into one JPEG segment. */
const totalLimit = 32768;

/** Numbers of datasets (IPTC-IIM 4.2 §2.2, chapters 5 and 6). */
const characterSet = 90;
const byline = 80;
const bylineTitle = 85;
const credit = 110;
const source = 115;
const copyrightNotice = 116;
const rights = [byline, bylineTitle, credit, source, copyrightNotice];

/** The creators of a picture, the credit line and the copyright notice. */
export interface RightsStatements {
  readonly creators: readonly string[];
  readonly credit: string | null;
  readonly notice: string | null;
}

/** The datasets with rights statements and the one with their character set; null if there are none. */
export function iptcRights(iptc: Uint8Array): Uint8Array | null {
  const datasets = rightsDatasets(iptc);
  if (datasets.length === 0) return null;
  const kept = [...characterSets(iptc).slice(0, 1), ...datasets];
  const result = new Uint8Array(kept.reduce((sum, { whole }) => sum + whole.length, 0));
  let at = 0;
  for (const { whole } of kept) {
    result.set(whole, at);
    at += whole.length;
  }
  return result;
}

/** Reads the rights statements as text, for containers that have no place for IPTC; null if there are none. */
export function iptcStatements(iptc: Uint8Array): RightsStatements | null {
  const isUtf8 = characterSets(iptc).some(({ data }) => String.fromCharCode(...data) === '\x1b%G');
  const texts = (number: number) =>
    rightsDatasets(iptc)
      .filter((dataset) => dataset.number === number)
      .map(({ data }) => textOf(data, isUtf8))
      .filter((text) => text !== '');
  const creators = texts(byline);
  const [creditLine = null] = texts(credit);
  const [notice = null] = texts(copyrightNotice);
  if (creators.length === 0 && creditLine === null && notice === null) return null;
  return { creators, credit: creditLine, notice };
}

/** The datasets with rights statements; none if IPTC is damaged. */
function rightsDatasets(iptc: Uint8Array): readonly IptcDataset[] {
  let total = 0;
  return (
    iptcDatasets(iptc, ({ record, number, data, whole }) => {
      if (record !== 2 || !rights.includes(number)) return false;
      if (data.length > dataLimit || total + whole.length > totalLimit) return false;
      if (data.every((byte) => byte === 0 || byte === 0x20)) return false;
      total += whole.length;
      return true;
    }) ?? []
  );
}

/** The first datasets with a character set. The standard allows one of up to 32 bytes; some writers repeat it. */
function characterSets(iptc: Uint8Array): readonly IptcDataset[] {
  let found = 0;
  return (
    iptcDatasets(iptc, ({ record, number, data }) => {
      return record === 1 && number === characterSet && data.length <= 32 && ++found <= 4;
    }) ?? []
  );
}

const tagMarker = 0x1c;

interface IptcDataset {
  readonly record: number;
  readonly number: number;
  /** The bytes of the dataset, including its tag and length. */
  readonly whole: Uint8Array;
  readonly data: Uint8Array;
}

/**
 * Reads the datasets for which `isWanted` returns true, in order; undefined if any dataset is damaged. Others take no
 * memory. Zero bytes at the end are padding. Source: IPTC-IIM 4.2 §1.5–1.6 (standard and extended datasets).
 */
function iptcDatasets(
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

/** Reads a length: if the highest bit is set, the field is the size of the length that follows. */
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

/** Id of the image resource with IPTC datasets. */
const iptcId = 0x0404;

/** Signatures of image resources: that of Photoshop, and those of other programs of Adobe. */
const signatures: ReadonlySet<string> = new Set(['8BIM', 'MeSa', 'PHUT', 'AgHg', 'DCSR']);

/**
 * Writes IPTC datasets as a list with one image resource without a name: 12 bytes longer, padded to an even length.
 * Source: Adobe Photoshop File Formats Specification, Image Resource Blocks.
 */
export function iptcResource(iptc: Uint8Array): Uint8Array<ArrayBuffer> {
  return joinBytes(
    ascii('8BIM'),
    uint16(iptcId, 0),
    uint32(iptc.length),
    iptc,
    new Uint8Array(iptc.length % 2),
  );
}

/** Reads the IPTC datasets in a list of image resources; null if there are none, or the list is damaged before them. */
export function readIptcResource(resources: Uint8Array): Uint8Array | null {
  const { buffer, byteOffset, byteLength } = resources;
  const cursor = new ByteCursor(new DataView(buffer, byteOffset, byteLength), 0, byteLength);
  while (cursor.remaining > 0) {
    if (!signatures.has(cursor.text(4))) return null;
    const id = cursor.uint16();
    const nameLength = cursor.uint8();
    // The name is padded so that it has an even length together with its length byte.
    cursor.skip(nameLength + 1 - (nameLength % 2));
    const length = cursor.uint32();
    const start = cursor.position;
    cursor.skip(length);
    if (cursor.overrun) return null;
    if (id === iptcId) return metadataBlock(resources.subarray(start, start + length));
    cursor.skip(Math.min(length % 2, cursor.remaining));
  }
  return null;
}
