import { type Document, type Element, type Node, XMLSerializer } from '@xmldom/xmldom';
import type { RightsStatements } from './iptc.ts';
import {
  childElements,
  elementsWithin,
  isElement,
  named,
  namespace,
  type Property,
  packetBytes,
  parseXmp,
  properties,
  propertyText,
} from './xmp-packet.ts';

// Creates XMP packets with selected properties of another one.

/** Maximum length of a property, and of all together, which fit into one JPEG segment. */
const propertyLimit = 8192;
const totalLimit = 32_768;

/** Properties for authorship, rights and terms of use, by prefix. */
const rights = {
  dc: ['creator', 'rights'],
  xmpRights: ['Marked', 'WebStatement', 'UsageTerms', 'Owner', 'Certificate'],
  photoshop: ['Credit'],
  plus: [
    'Licensor',
    'LicensorURL',
    'ImageCreator',
    'CopyrightOwner',
    'CopyrightStatus',
    'CopyrightRegistrationNumber',
    'CreditLineRequired',
    'TermsAndConditionsText',
    'TermsAndConditionsURL',
    'OtherConstraints',
    'DataMining',
  ],
  cc: ['license', 'attributionName', 'attributionURL'],
} as const;

const rightsPrefixes = ['dc', 'xmpRights', 'photoshop', 'plus', 'cc'] as const;

/** Properties for the dates of capture and digitization, by prefix. */
const creation = {
  photoshop: ['DateCreated'],
  xmp: ['CreateDate'],
  exif: ['DateTimeOriginal', 'DateTimeDigitized'],
} as const;

/** Returns the prefix for a selected property, or undefined if it is not selected. */
type Selection = (property: Property) => keyof typeof namespace | undefined;

const emptyPacket = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="${namespace.rdf}"><rdf:Description rdf:about=""/></rdf:RDF></x:xmpmeta>`;

/**
 * Creates a packet with the rights properties of `xmp`, and those of `statements` that it lacks; null if there are
 * none. A damaged packet is treated as empty. Properties are identified by the URI of their namespace, may be
 * attributes or elements, and keep their content, including languages and order.
 */
export function xmpRights(
  xmp: Uint8Array | null,
  statements: RightsStatements | null,
): Uint8Array | null {
  return selectedXmp(xmp, rightsPrefix, statements);
}

/**
 * Creates a packet with the selected properties of `xmp`, and those of `statements` that they lack; null if there are
 * none. A damaged packet is treated as empty.
 */
export function selectedXmp(
  xmp: Uint8Array | null,
  prefixOf: Selection,
  statements: RightsStatements | null,
): Uint8Array | null {
  const packet = parseXmp(new TextEncoder().encode(emptyPacket));
  const description = packet && childElements(packet.rdf)[0];
  if (!description) return null;

  const { document } = packet;
  const source = xmp && parseXmp(xmp);
  const kept = source
    ? copySelected(properties(source.rdf), prefixOf, { document, description })
    : new Set<string>();
  if (statements) {
    appendStatements(document, description, statements, (uri, name) => kept.has(uri + name));
  }
  if (kept.size === 0 && !description.firstChild) return null;
  return packetBytes(packet.root, ({ nodeType }) => !remarks.includes(nodeType)) ?? null;
}

/** Node types of processing instructions and comments. */
const remarks: readonly number[] = [7, 8];

/** Copies the selected properties, the first non-empty one if there are several; returns their URIs and names. */
function copySelected(
  found: readonly Property[],
  prefixOf: Selection,
  { document, description }: { readonly document: Document; readonly description: Element },
): ReadonlySet<string> {
  const copied = new Set<string>();
  let total = 0;
  for (const property of found) {
    const prefix = prefixOf(property);
    const name = `${property.namespaceURI}${property.localName}`;
    if (!prefix || copied.has(name) || saysNothing(property)) continue;
    const size = new TextEncoder().encode(new XMLSerializer().serializeToString(property)).length;
    if (size > propertyLimit || total + size > totalLimit) continue;
    total += size;
    copied.add(name);
    if (property.prefix === prefix || !isElement(property)) {
      // Declared once, because the serializer would declare it in each element.
      description.setAttributeNS(namespace.xmlns, `xmlns:${prefix}`, namespace[prefix]);
    }
    if (isElement(property)) {
      description.appendChild(withoutForeign(document.importNode(property, true)));
    } else {
      const qualifiedName = `${prefix}:${property.localName}`;
      description.setAttributeNS(namespace[prefix], qualifiedName, property.value);
    }
  }
  return copied;
}

/** Namespaces that may occur in a rights property; others could contain anything. */
const rightsNamespaces = [
  ...[namespace.xmlns, namespace.xml, namespace.rdf],
  ...rightsPrefixes.map((prefix) => namespace[prefix]),
];

/**
 * Removes fields and qualifiers of other schemas than its own and those of rights: they may contain a place or date.
 */
function withoutForeign(property: Element): Element {
  const ownNamespaces: ReadonlySet<string | null> = new Set([
    ...rightsNamespaces,
    property.namespaceURI,
  ]);
  for (const element of [...elementsWithin(property)]) {
    if (!ownNamespaces.has(element.namespaceURI)) {
      element.parentNode?.removeChild(element);
      continue;
    }
    for (const attribute of [...element.attributes]) {
      const { namespaceURI } = attribute;
      if (namespaceURI && !ownNamespaces.has(namespaceURI)) element.removeAttributeNode(attribute);
    }
  }
  return property;
}

/** The prefix of a rights property; else undefined. */
export function rightsPrefix({ namespaceURI, localName }: Property) {
  return rightsPrefixes.find((prefix) => {
    const names: readonly string[] = rights[prefix];
    return namespace[prefix] === namespaceURI && names.includes(localName ?? '');
  });
}

/** The prefix of a property for the date of capture or digitization; else undefined. */
export function creationPrefix({ namespaceURI, localName }: Property) {
  return (['photoshop', 'xmp', 'exif'] as const).find((prefix) => {
    const names: readonly string[] = creation[prefix];
    return namespace[prefix] === namespaceURI && names.includes(localName ?? '');
  });
}

/** The prefix of a property for the location: EXIF's GPS directory in XMP; else undefined. */
export function locationPrefix({ namespaceURI, localName }: Property) {
  return namespaceURI === namespace.exif && localName?.startsWith('GPS') ? 'exif' : undefined;
}

/** Reads the creators and the copyright notice; empty if the packet is damaged. */
export function xmpStatements(xmp: Uint8Array): Pick<RightsStatements, 'creators' | 'notice'> {
  const packet = parseXmp(xmp);
  const found = packet ? properties(packet.rdf) : [];
  const itemsOf = (name: string) => {
    const property = found.find((one) => named(one, namespace.dc, name) && !saysNothing(one));
    return property ? itemTexts(property) : [];
  };
  const [notice = null] = itemsOf('rights');
  return { creators: itemsOf('creator'), notice };
}

/** The texts of a list, that of the default language first; for a property without list, its own text. */
function itemTexts(property: Property): readonly string[] {
  const items = isElement(property)
    ? [...elementsWithin(property)].filter((element) => named(element, namespace.rdf, 'li'))
    : [];
  const isDefault = (item: Element) => item.getAttributeNS(namespace.xml, 'lang') === 'x-default';
  const listed = items.toSorted((a, b) => Number(isDefault(b)) - Number(isDefault(a)));
  return (listed.length > 0 ? listed : [property])
    .map((item) => propertyText(item).trim())
    .filter((text) => text !== '');
}

/** Whether a property is empty: cameras write empty notices for their owners to fill in. */
function saysNothing(property: Property): boolean {
  if (propertyText(property).trim() !== '') return false;
  if (!isElement(property)) return true;
  for (const { attributes } of elementsWithin(property)) {
    for (const attribute of attributes) {
      if (!isSyntax(attribute) && attribute.value.trim() !== '') return false;
    }
  }
  return true;
}

/** Whether an attribute only describes the syntax or language of a value. */
function isSyntax(attribute: Node): boolean {
  const { namespaceURI } = attribute;
  if (namespaceURI === namespace.xmlns || namespaceURI === namespace.xml) return true;
  return named(attribute, namespace.rdf, 'parseType');
}

/**
 * Adds the statements for which `has` returns false to `description`: by-lines as dc:creator, the copyright notice as
 * dc:rights, the credit line as photoshop:Credit. Source: IPTC Photo Metadata Standard (IIM mapping), ISO 16684-1:2019
 * §8.3.
 */
export function appendStatements(
  document: Document,
  description: Element,
  { creators, notice, credit }: RightsStatements,
  has: (uri: string, name: string) => boolean,
): void {
  const element = (uri: string, qualifiedName: string, ...content: (Element | string)[]) => {
    const created = document.createElementNS(uri, qualifiedName);
    for (const part of content) {
      created.appendChild(typeof part === 'string' ? document.createTextNode(part) : part);
    }
    return created;
  };
  const list = (kind: 'Seq' | 'Alt', items: readonly Element[]) =>
    element(namespace.rdf, `rdf:${kind}`, ...items);

  if (creators.length > 0 && !has(namespace.dc, 'creator')) {
    const items = creators.map((creator) => element(namespace.rdf, 'rdf:li', creator));
    description.appendChild(element(namespace.dc, 'dc:creator', list('Seq', items)));
  }
  if (notice !== null && !has(namespace.dc, 'rights')) {
    const item = element(namespace.rdf, 'rdf:li', notice);
    item.setAttributeNS(namespace.xml, 'xml:lang', 'x-default');
    description.appendChild(element(namespace.dc, 'dc:rights', list('Alt', [item])));
  }
  if (credit !== null && !has(namespace.photoshop, 'Credit')) {
    description.appendChild(element(namespace.photoshop, 'photoshop:Credit', credit));
  }
}
