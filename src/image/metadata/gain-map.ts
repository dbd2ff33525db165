import { ascii, joinBytes, uint16 } from '../container/assemble.ts';
import { ByteCursor, viewOf } from '../container/byte-cursor.ts';
import {
  childElements,
  elementsWithin,
  isElement,
  mentions,
  named,
  namespace,
  type Property,
  packetBytes,
  parseXmp,
  properties,
  propertyText,
} from './xmp-packet.ts';

/**
 * The metadata of a gain map, in either of the two existing forms. It does not depend on the size of the map.
 */
export interface GainMapStatement {
  /** Properties in Adobe's namespace `hdrgm`; null if there are no valid ones. */
  readonly xmp: GainMapProperties | null;
  /** Metadata of ISO 21496-1, version 0; null if there is no valid one. */
  readonly iso: Uint8Array | null;
}

/** Properties by name: one text, or one for each of red, green and blue. */
export type GainMapProperties = ReadonlyMap<string, readonly string[]>;

/** Signature of an APP2 segment with metadata of ISO 21496-1. */
export const isoSignature = 'urn:iso:std:iso:ts:21496:-1\0';

/** ISO 21496-1 metadata of the picture itself, as opposed to its gain map: only the version. */
export const isoVersion = uint16(0, 0);

/** Type in the XMP of Apple's gain maps, whose strength is in the maker notes of the picture. */
export const appleGainMap = 'urn:com:apple:photo:2020:aux:hdrgainmap';

const hdrgm = 'http://ns.adobe.com/hdr-gain-map/1.0/';
const container = 'http://ns.google.com/photos/1.0/container/';
const item = 'http://ns.google.com/photos/1.0/container/item/';

/** Whether a packet mentions gain maps; a quick test without parsing. */
export function mentionsGainMap(xmp: Uint8Array): boolean {
  return mentions(xmp, [hdrgm]);
}

const isNumber = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?$/;

/** Maximum length of a number as text; writers use some 20 digits. */
const maxNumberLength = 40;

const isReal = (text: string) => isNumber.test(text) && text.length <= maxNumberLength;

/** The only existing version. */
const version = '1.0';

/** A valid property (Ultra HDR Image Format v1.1, “HDR gain map metadata”). */
interface PropertyRule {
  readonly name: string;
  readonly isValid: (text: string) => boolean;
  readonly isRequired?: true;
  /** Whether it may have a value for each channel. */
  readonly isPerChannel?: true;
}

const rules: readonly PropertyRule[] = [
  { name: 'Version', isValid: (text) => text === version, isRequired: true },
  { name: 'BaseRenditionIsHDR', isValid: (text) => text === 'True' || text === 'False' },
  { name: 'GainMapMin', isValid: isReal, isPerChannel: true },
  { name: 'GainMapMax', isValid: isReal, isRequired: true, isPerChannel: true },
  { name: 'Gamma', isValid: isReal, isPerChannel: true },
  { name: 'OffsetSDR', isValid: isReal, isPerChannel: true },
  { name: 'OffsetHDR', isValid: isReal, isPerChannel: true },
  { name: 'HDRCapacityMin', isValid: isReal },
  { name: 'HDRCapacityMax', isValid: isReal, isRequired: true },
];

/** Reads the properties in the packet of a gain map; null if they are incomplete or invalid. */
export function readGainMapProperties(xmp: Uint8Array): GainMapProperties | null {
  const packet = mentionsGainMap(xmp) ? parseXmp(xmp) : undefined;
  if (!packet) return null;
  const all = properties(packet.rdf);
  const found = new Map<string, readonly string[]>();
  for (const { name, isValid, isRequired, isPerChannel } of rules) {
    const property = all.find((one) => named(one, hdrgm, name));
    if (!property && isRequired) return null;
    if (!property) continue;
    const values = valuesOf(property);
    const isCounted = values.length === 1 || (isPerChannel && values.length === 3);
    if (!isCounted || !values.every(isValid)) return null;
    found.set(name, values);
  }
  return found;
}

/** The value of a property, or those of its ordered array (ISO 16684-1:2019 §7.7). */
function valuesOf(property: Property): readonly string[] {
  const lists = isElement(property) ? childElements(property) : [];
  const [list] = lists;
  const texts =
    list && named(list, namespace.rdf, 'Seq')
      ? childElements(list).map(({ textContent }) => textContent ?? '')
      : [propertyText(property)];
  return texts.map((text) => text.trim());
}

/**
 * Writes the packet of a gain map, with only these properties. Single values are written as attributes, the only form
 * that some readers know.
 */
export function gainMapPacket(stated: GainMapProperties): Uint8Array {
  const single = [...stated].filter(([, values]) => values.length === 1);
  const several = [...stated].filter(([, values]) => values.length > 1);
  const attributes = single.map(([name, [value]]) => ` hdrgm:${name}="${value}"`);
  const elements = several.map(([name, values]) => {
    const items = values.map((value) => `<rdf:li>${value}</rdf:li>`);
    return `<hdrgm:${name}><rdf:Seq>${items.join('')}</rdf:Seq></hdrgm:${name}>`;
  });
  return packetOf(
    `<rdf:Description rdf:about="" xmlns:hdrgm="${hdrgm}"${attributes.join('')}>${elements.join('')}</rdf:Description>`,
  );
}

/** A packet without the `<?xpacket?>` wrapper, which only serves to find packets in files of unknown type. */
function packetOf(description: string): Uint8Array {
  return ascii(
    `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="${namespace.rdf}">${description}</rdf:RDF></x:xmpmeta>`,
  );
}

/** Maximum number of items in a directory, more than any camera writes. */
const maxItems = 32;

/**
 * Reads the position of the gain map from the directory in a picture's packet, in bytes from the end of the picture;
 * null if it lists none. Items of a GContainer are contiguous, except for their padding (Ultra HDR Image Format v1.1,
 * “GContainer Item elements”).
 */
export function gainMapInDirectory(xmp: Uint8Array): number | null {
  const packet = mentions(xmp, [container]) ? parseXmp(xmp) : undefined;
  if (!packet) return null;
  let at = 0;
  let items = 0;
  for (const element of elementsWithin(packet.rdf)) {
    const text = (name: string) => element.getAttributeNS(item, name);
    const semantic = text('Semantic');
    if (semantic === null) continue;
    if (semantic === 'GainMap') return at;
    items += 1;
    if (items > maxItems) return null;
    const isPrimary = semantic === 'Primary';
    at += bytesStated(text('Padding')) + (isPrimary ? 0 : bytesStated(text('Length')));
  }
  return null;
}

function bytesStated(text: string | null): number {
  return text && /^\d{1,10}$/.test(text) ? Number(text) : 0;
}

/**
 * Adds a directory that lists the gain map after the picture to a packet.
 *
 * @param xmp the packet; replaced by a new one if it cannot be parsed, or would get too long
 * @param mapBytes length of the gain map's file in bytes
 * @param maxBytes maximum length of the result
 */
export function withGainMapDirectory(
  xmp: Uint8Array | null,
  mapBytes: number,
  maxBytes: number,
): Uint8Array {
  const alone = packetOf(directory(mapBytes));
  const packet = xmp && parseXmp(xmp);
  const added = parseXmp(alone);
  const [description] = added ? childElements(added.rdf) : [];
  if (!packet || !description) return alone;
  packet.rdf.appendChild(packet.document.importNode(description, true));
  const both = packetBytes(packet.root, () => true);
  return both && both.length <= maxBytes ? both : alone;
}

function directory(mapBytes: number): string {
  const namespaces = `xmlns:Container="${container}" xmlns:Item="${item}" xmlns:hdrgm="${hdrgm}"`;
  const items = [
    'Item:Semantic="Primary"',
    `Item:Semantic="GainMap" Item:Length="${mapBytes}"`,
  ].map(
    (what) =>
      `<rdf:li rdf:parseType="Resource"><Container:Item ${what} Item:Mime="image/jpeg"/></rdf:li>`,
  );
  return `<rdf:Description rdf:about="" ${namespaces} hdrgm:Version="${version}"><Container:Directory><rdf:Seq>${items.join('')}</rdf:Seq></Container:Directory></rdf:Description>`;
}

/** Flags of ISO 21496-1: three channels instead of one, and a common denominator for all fractions. */
const isoFlag = { threeChannels: 0x80, commonDenominator: 0x08 } as const;

/**
 * Reads the ISO 21496-1 metadata that follows the signature of a segment, without additions of versions after 0; null
 * if it is truncated, has an incompatible version, or a denominator is zero.
 */
export function readIsoStatement(content: Uint8Array): Uint8Array | null {
  const cursor = new ByteCursor(viewOf(content), 0, content.length);
  const minVersion = cursor.uint16();
  cursor.skip(2);
  const flags = cursor.uint8();
  const start = cursor.position;
  // Two headrooms, and for each channel the minimum and maximum gain, gamma, and two offsets.
  const numbers = 2 + 5 * (flags & isoFlag.threeChannels ? 3 : 1);
  let isDefined = true;
  if (flags & isoFlag.commonDenominator) {
    isDefined = cursor.uint32() !== 0;
    cursor.skip(4 * numbers);
  } else {
    for (let i = 0; i < numbers; i += 1) {
      cursor.skip(4);
      isDefined = cursor.uint32() !== 0 && isDefined;
    }
  }
  if (cursor.overrun || minVersion !== 0 || !isDefined) return null;
  return joinBytes(isoVersion, Uint8Array.of(flags), content.subarray(start, cursor.position));
}
