import { type IptcDataset, iptcDatasets } from './iptc-datasets.ts';
import { notXml } from './xml-characters.ts';

/** The standard gives a notice 128 bytes; writers take more, but not this much. */
const dataLimit = 8192;
/** All of them together, so that they fit into one JPEG segment with room to spare. */
const totalLimit = 32768;

/** IPTC-IIM 4.2 §2.2, chapters 5 and 6. */
const characterSet = 90;
const byline = 80;
const bylineTitle = 85;
const credit = 110;
const source = 115;
const copyrightNotice = 116;
const rights = [byline, bylineTitle, credit, source, copyrightNotice];

/** Who made a picture, who has to be credited and who owns it. */
export interface RightsStatements {
  readonly creators: readonly string[];
  readonly credit: string | null;
  readonly notice: string | null;
}

/** The datasets that speak of rights and the one that says their character set; null for none. */
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

/** What they say, as text for containers that have no place for IPTC; null when they say nothing. */
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

/** None when the datasets are damaged. */
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

/** The standard has one of at most 32 bytes; a few are looked at where a writer repeats it. */
function characterSets(iptc: Uint8Array): readonly IptcDataset[] {
  let found = 0;
  return (
    iptcDatasets(iptc, ({ record, number, data }) => {
      return record === 1 && number === characterSet && data.length <= 32 && ++found <= 4;
    }) ?? []
  );
}

/**
 * UTF-8 when it says so or is, otherwise ISO 8859-1: IIM itself has ISO 2022 escapes for others,
 * which nobody writes.
 */
function textOf(data: Uint8Array, isUtf8: boolean): string {
  const text = isUtf8 || isValidUtf8(data) ? new TextDecoder().decode(data) : latin1(data);
  return text.replace(notXml, '').trim();
}

function isValidUtf8(data: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(data);
    return true;
  } catch {
    return false;
  }
}

function latin1(data: Uint8Array): string {
  let text = '';
  for (const byte of data) text += String.fromCharCode(byte);
  return text;
}
