import { DOMParser, type Document, type Element, onErrorStopParsing } from '@xmldom/xmldom';

/**
 * Parses a page of this service, whose HTML is also well-formed XML.
 * @throws Error if it is not
 */
export function parsePage(html: string): Document {
  const parser = new DOMParser({ onError: onErrorStopParsing });
  return parser.parseFromString(html.replace(/^<!doctype html>\s*/, ''), 'text/xml');
}

/** All elements with a name; `*` for all elements. */
export function elementsOf(page: Document, name: string): readonly Element[] {
  return Array.from(page.getElementsByTagName(name));
}

/** The anchors of a page. */
export function idsOf(page: Document): readonly string[] {
  return elementsOf(page, '*').flatMap((element) => element.getAttribute('id') ?? []);
}
