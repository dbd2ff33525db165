import { type Document, type Element, type Node, XMLSerializer } from '@xmldom/xmldom';
import type { Orientation } from './exif-block.ts';
import type { RightsStatements } from './iptc.ts';
import {
  childElements,
  droppedNamespaces,
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
  setPropertyText,
  type XmpPacket,
} from './xmp-packet.ts';

interface XmpEdits {
  readonly orientation: Orientation;
  /** In pixels, where the source's size is no longer true. */
  readonly newSize: { readonly width: number; readonly height: number } | null;
  /** What the packet has to say if it does not yet. */
  readonly statements: RightsStatements | null;
}

/**
 * The whole packet, with what it says of orientation and size made true and without descriptions of
 * what a result never has. The very same array when there is nothing to change; null when nothing is
 * left, or when it has such descriptions and cannot be parsed (damaged or too large).
 */
export function editedXmp(xmp: Uint8Array, edits: XmpEdits): Uint8Array | null {
  const packet = parseXmp(xmp);
  // in UTF-16, which packets need not be in, every other byte is zero
  if (!packet) return xmp.includes(0) || mentions(xmp, droppedNamespaces) ? null : xmp;

  const dropped = droppedNodes(packet, edits);
  const kept = properties(packet.rdf).filter((property) => !dropped.has(property));
  let corrected = false;
  for (const property of kept) corrected = correct(property, edits) || corrected;
  const completed = edits.statements !== null && complete(packet, kept, edits.statements);
  if (dropped.size === 0 && !corrected && !completed) return xmp;
  if (kept.length === 0 && !completed) return null;
  return packetBytes(packet.root, (node) => !dropped.has(node)) ?? null;
}

/** Elements and attributes, and the declarations of namespaces that go with them. */
function droppedNodes({ root, rdf }: XmpPacket, { newSize }: XmpEdits): Set<Node> {
  const dropped = new Set<Node>();
  for (const element of elementsWithin(root)) {
    if (isDropped(element)) dropped.add(element);
    for (const attribute of element.attributes) {
      const declares = attribute.namespaceURI === namespace.xmlns ? attribute.value : null;
      if (isDropped(attribute) || droppedNamespaces.includes(declares ?? '')) {
        dropped.add(attribute);
      }
    }
  }
  if (newSize) {
    for (const property of properties(rdf)) {
      if (named(property, namespace.xmp, 'Thumbnails')) dropped.add(property);
    }
  }
  return dropped;
}

function isDropped({ namespaceURI }: Node): boolean {
  return namespaceURI !== null && droppedNamespaces.includes(namespaceURI);
}

/** True when the property said something else before. */
function correct(property: Property, { orientation, newSize }: XmpEdits): boolean {
  const value = trueValue(property, orientation, newSize);
  if (value === undefined || propertyText(property).trim() === `${value}`) return false;
  setPropertyText(property, `${value}`);
  return true;
}

/** What a property has to say; undefined when it is of something else. */
function trueValue(
  property: Node,
  orientation: Orientation,
  newSize: XmpEdits['newSize'],
): number | undefined {
  const { namespaceURI, localName } = property;
  if (namespaceURI === namespace.tiff && localName === 'Orientation') return orientation;
  if (!newSize) return undefined;
  switch (`${namespaceURI}${localName}`) {
    case `${namespace.tiff}ImageWidth`:
    case `${namespace.exif}PixelXDimension`:
      return newSize.width;
    case `${namespace.tiff}ImageLength`:
    case `${namespace.exif}PixelYDimension`:
      return newSize.height;
    default:
      return undefined;
  }
}

/** True when something was added. */
function complete(
  { document, rdf }: XmpPacket,
  kept: readonly Node[],
  statements: RightsStatements,
): boolean {
  const description =
    childElements(rdf).find((child) => named(child, namespace.rdf, 'Description')) ??
    emptyDescription(document);
  const before = description.lastChild;
  appendStatements(document, description, statements, (uri, name) =>
    kept.some((property) => named(property, uri, name)),
  );
  if (description.lastChild === before) return false;
  if (!description.parentNode) rdf.appendChild(description);
  return true;
}

function emptyDescription(document: Document): Element {
  const description = document.createElementNS(namespace.rdf, 'rdf:Description');
  description.setAttributeNS(namespace.rdf, 'rdf:about', '');
  return description;
}

/** Larger ones are left out. Together they fit into one JPEG segment with room to spare. */
const propertyLimit = 8192;
const totalLimit = 32_768;

/** What says who made a picture, who owns it and what may be done with it, by prefix. */
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

type Prefix = keyof typeof rights;
const prefixes: readonly Prefix[] = ['dc', 'xmpRights', 'photoshop', 'plus', 'cc'];

const emptyPacket = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="${namespace.rdf}"><rdf:Description rdf:about=""/></rdf:RDF></x:xmpmeta>`;

/**
 * A new packet with what `xmp` says of rights, and with `statements` where it says nothing; null
 * when both say nothing. A damaged packet says nothing. Properties are known by their namespace's
 * URI, as attributes and as elements, and are kept with all that is in them: languages and order.
 */
export function xmpRights(
  xmp: Uint8Array | null,
  statements: RightsStatements | null,
): Uint8Array | null {
  const packet = parseXmp(new TextEncoder().encode(emptyPacket));
  const description = packet && childElements(packet.rdf)[0];
  if (!description) return null;

  const { document } = packet;
  const source = xmp && parseXmp(xmp);
  const kept = source
    ? copyRights(properties(source.rdf), document, description)
    : new Set<string>();
  if (statements) {
    appendStatements(document, description, statements, (uri, name) => kept.has(uri + name));
  }
  if (kept.size === 0 && !description.firstChild) return null;
  return packetBytes(packet.root, ({ nodeType }) => !remarks.includes(nodeType)) ?? null;
}

/** Processing instructions and comments. */
const remarks: readonly number[] = [7, 8];

/** What was copied, by URI and name: the first that says something, should there be several. */
function copyRights(
  found: readonly Property[],
  document: Document,
  description: Element,
): ReadonlySet<string> {
  const copied = new Set<string>();
  let total = 0;
  for (const property of found) {
    const prefix = rightsPrefix(property);
    const name = `${property.namespaceURI}${property.localName}`;
    if (!prefix || copied.has(name) || saysNothing(property)) continue;
    const size = new TextEncoder().encode(new XMLSerializer().serializeToString(property)).length;
    if (size > propertyLimit || total + size > totalLimit) continue;
    total += size;
    copied.add(name);
    if (property.prefix === prefix || !isElement(property)) {
      // Declared once for all; the serializer would do it in every element.
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

/** Namespaces that a property of rights is written in; others in it could say anything. */
const ownNamespaces: ReadonlySet<string | null> = new Set([
  ...[namespace.xmlns, namespace.xml, namespace.rdf],
  ...prefixes.map((prefix) => namespace[prefix]),
]);

/** Takes fields and qualifiers of other schemas out, where a place or a date may stand. */
function withoutForeign(property: Element): Element {
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

function rightsPrefix({ namespaceURI, localName }: Node): Prefix | undefined {
  return prefixes.find((prefix) => {
    const names: readonly string[] = rights[prefix];
    return namespace[prefix] === namespaceURI && names.includes(localName ?? '');
  });
}

/** Cameras write empty notices for their owners to fill in. */
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

/** Attributes that say how a value is written, or in which language. */
function isSyntax(attribute: Node): boolean {
  const { namespaceURI } = attribute;
  if (namespaceURI === namespace.xmlns || namespaceURI === namespace.xml) return true;
  return named(attribute, namespace.rdf, 'parseType');
}

/**
 * Puts into `description` what IPTC says of rights and `has` says no to: by-lines as dc:creator,
 * the copyright notice as dc:rights, the credit as photoshop:Credit. Source: IPTC Photo Metadata
 * Standard (IIM mapping), ISO 16684-1:2019 §8.3.
 */
function appendStatements(
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
