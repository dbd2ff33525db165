import type { Attr, Element, Node } from '@xmldom/xmldom';
import { namespace } from './xmp-namespaces.ts';

/** A property of XMP in either of its two forms. */
export type Property = Element | Attr;

export function named(node: Node, uri: string, name: string): boolean {
  return node.namespaceURI === uri && node.localName === name;
}

/** `root` and all elements below it in their order, without recursion: nesting may be deep. */
export function* elementsWithin(root: Element): Generator<Element> {
  let node: Node | null = root;
  while (node) {
    if (isElement(node)) yield node;
    let next: Node | null = node.firstChild;
    while (!next && node && node !== root) {
      next = node.nextSibling;
      if (!next) node = node.parentNode;
    }
    node = next;
  }
}

export function childElements(parent: Element): Element[] {
  const children: Element[] = [];
  for (let node = parent.firstChild; node; node = node.nextSibling) {
    if (isElement(node)) children.push(node);
  }
  return children;
}

/**
 * The properties of the picture itself: attributes and child elements of the rdf:Descriptions right
 * under rdf:RDF (ISO 16684-1:2019 §7.4 and §7.9.2.2). Further in they are of other things.
 */
export function properties(rdf: Element): Property[] {
  return childElements(rdf)
    .filter((child) => named(child, namespace.rdf, 'Description'))
    .flatMap((description) => [
      ...[...description.attributes].filter(isProperty),
      ...childElements(description),
    ]);
}

function isProperty({ namespaceURI }: Node): boolean {
  return namespaceURI !== namespace.xmlns && namespaceURI !== namespace.rdf;
}

export function propertyText(property: Property): string {
  return (isElement(property) ? property.textContent : property.value) ?? '';
}

/** In place of all that the property says, its structure and qualifiers too. */
export function setPropertyText(property: Property, text: string): void {
  if (isElement(property)) property.textContent = text;
  else property.value = text;
}

export function isElement(node: Node): node is Element {
  return node.nodeType === 1;
}
