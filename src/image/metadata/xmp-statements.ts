import type { Document, Element } from '@xmldom/xmldom';
import type { RightsStatements } from './iptc-rights.ts';
import { namespace } from './xmp-namespaces.ts';

/**
 * Puts into `description` what IPTC says of rights and `has` says no to: by-lines as dc:creator,
 * the copyright notice as dc:rights, the credit as photoshop:Credit. Source: IPTC Photo Metadata
 * Standard (IIM mapping), ISO 16684-1:2019 §8.3.
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
