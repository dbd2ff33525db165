import { type Document, type Element, type Node, XMLSerializer } from '@xmldom/xmldom';
import type { RightsStatements } from './iptc-rights.ts';
import { namespace } from './xmp-namespaces.ts';
import { packetBytes, parseXmp } from './xmp-packet.ts';
import { appendStatements } from './xmp-statements.ts';
import {
  childElements,
  elementsWithin,
  isElement,
  named,
  type Property,
  properties,
  propertyText,
} from './xmp-tree.ts';

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
