import { carriedMetadata } from '../../../../src/image/metadata/carried.ts';
import { noMetadata, type Shown } from '../../../../src/image/metadata/metadata.ts';

type Level = 'none' | 'copyright' | 'all';

export const upright: Shown = {
  orientation: 1,
  newSize: null,
  holdsIptc: true,
  noticesIn: 'exif',
};

/** The EXIF block that goes on, for a source with nothing else. */
export function carriedExif(exif: Uint8Array | null, level: Level, shown: Partial<Shown> = {}) {
  return carriedMetadata({ ...noMetadata, exif }, level, { ...upright, ...shown }).exif;
}

/** The XMP packet that goes on, for a source with nothing else. */
export function carriedXmp(xmp: Uint8Array, level: Level, shown: Partial<Shown> = {}) {
  return carriedMetadata({ ...noMetadata, xmp }, level, { ...upright, ...shown }).xmp;
}

/** The same as text, without the wrapper that every packet has; null for none. */
export function carriedXml(xmp: Uint8Array, level: Level, shown: Partial<Shown> = {}) {
  const packet = carriedXmp(xmp, level, shown);
  return packet && xmlOf(packet);
}

export function xmlOf(packet: Uint8Array): string {
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(packet);
  const wrapped =
    /^<\?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"\?>\n(.*)\n<\?xpacket end="[rw]"\?>$/s;
  const [, xml] = wrapped.exec(text) ?? [];
  if (xml === undefined) throw new Error(`no packet: ${text}`);
  return xml;
}

export function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

const prefixes = {
  dc: 'http://purl.org/dc/elements/1.1/',
  xmp: 'http://ns.adobe.com/xap/1.0/',
  xmpRights: 'http://ns.adobe.com/xap/1.0/rights/',
  photoshop: 'http://ns.adobe.com/photoshop/1.0/',
  tiff: 'http://ns.adobe.com/tiff/1.0/',
  exif: 'http://ns.adobe.com/exif/1.0/',
  plus: 'http://ns.useplus.org/ldf/xmp/1.0/',
  cc: 'http://creativecommons.org/ns#',
};

/** A packet with padding, as programs write it: properties as attributes and as elements. */
export function packet(attributes: string, elements = ''): Uint8Array {
  const declarations = Object.entries(prefixes).map(([prefix, uri]) => `xmlns:${prefix}="${uri}"`);
  return utf8(
    `<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/" x:xmptk="Toolkit"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" ${declarations.join(' ')} ${attributes}>${elements}</rdf:Description>
</rdf:RDF></x:xmpmeta>${' '.repeat(100)}<?xpacket end="w"?>`,
  );
}

/** One IPTC dataset; text as UTF-8. */
export function dataset(record: number, number: number, value: string | Uint8Array): Uint8Array {
  const data = typeof value === 'string' ? utf8(value) : value;
  return Uint8Array.of(0x1c, record, number, data.length >> 8, data.length & 255, ...data);
}
