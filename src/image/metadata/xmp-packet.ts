import {
  type Attr,
  DOMParser,
  type Document,
  type Element,
  type Node,
  onErrorStopParsing,
  XMLSerializer,
} from '@xmldom/xmldom';

/** A document tree takes some dozens of times the room of its text. */
const parsedBytes = 256 * 1024;
/** And about 800 bytes for an element, 400 for an attribute, however short they are written. */
const parsedMarks = 8192;
/** A name is looked up in all declarations around it; packets have some dozens. */
const parsedDeclarations = 2000;

export interface XmpPacket {
  readonly document: Document;
  readonly root: Element;
  readonly rdf: Element;
}

/**
 * The tree of a packet; undefined if it is damaged (not UTF-8, not well-formed, without rdf:RDF), has a document type,
 * which XMP has no use for, or is too large. Source: ISO 16684-1:2019 §7.
 */
export function parseXmp(bytes: Uint8Array): XmpPacket | undefined {
  if (bytes.length > parsedBytes) return undefined;
  try {
    // Some writers end the packet with a NUL, as if it were a string in C.
    const end = bytes.findLastIndex((byte) => byte !== 0) + 1;
    return parsed(
      new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
        .decode(bytes.subarray(0, end))
        .trim(),
    );
  } catch {
    // Invalid UTF-8, or what xmldom stopped at.
    return undefined;
  }
}

function parsed(text: string): XmpPacket | undefined {
  if (text.search(notXml) !== -1 || /<!(DOCTYPE|ENTITY)/i.test(text)) return undefined;
  // Every tag begins with a `<`, and every attribute has a `=`.
  if (occurrences(text, '<') + occurrences(text, '=') > parsedMarks) return undefined;
  if (occurrences(text, 'xmlns') > parsedDeclarations) return undefined;
  const document = new DOMParser({
    locator: false,
    onError: onErrorStopParsing,
    // XML 1.0 §2.11; xmldom's own would turn U+0085 and U+2028 into line feeds as XML 1.1 does.
    normalizeLineEndings: (source) => source.replace(/\r\n?/g, '\n'),
  }).parseFromString(text, 'application/xml');
  const root = document.documentElement;
  if (!root) return undefined;
  for (const element of elementsWithin(root)) {
    if (named(element, namespace.rdf, 'RDF')) return { document, root, rdf: element };
  }
  return undefined;
}

function occurrences(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) count++;
  return count;
}

/**
 * A packet of `root` and what `isKept` leaves in it, elements and attributes alike, without padding and read-only;
 * undefined if it cannot be written as XML. Source: ISO 16684-1:2019 §7.3.2.
 */
export function packetBytes(
  root: Element,
  isKept: (node: Node) => boolean,
): Uint8Array | undefined {
  try {
    const xml = new XMLSerializer().serializeToString(root, {
      requireWellFormed: true,
      nodeFilter: (node) => (isKept(node) ? node : null),
    });
    if (xml.search(notXml) !== -1) return undefined;
    const begin = '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>';
    return new TextEncoder().encode(`${begin}\n${xml}\n<?xpacket end="r"?>`);
  } catch {
    // A name or comment that the parser let pass and the serializer does not.
    return undefined;
  }
}

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

/** Namespaces are known by their URI alone: a prefix may be any. */
export const namespace = {
  xmlns: 'http://www.w3.org/2000/xmlns/',
  xml: 'http://www.w3.org/XML/1998/namespace',
  /** ISO 16684-1:2019 §7.4 and §8. */
  rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
  dc: 'http://purl.org/dc/elements/1.1/',
  xmp: 'http://ns.adobe.com/xap/1.0/',
  xmpRights: 'http://ns.adobe.com/xap/1.0/rights/',
  /** Adobe XMP Specification Part 2 §3. */
  photoshop: 'http://ns.adobe.com/photoshop/1.0/',
  tiff: 'http://ns.adobe.com/tiff/1.0/',
  exif: 'http://ns.adobe.com/exif/1.0/',
  /** PLUS XMP Metadata Schema 1.2. */
  plus: 'http://ns.useplus.org/ldf/xmp/1.0/',
  /** Creative Commons Rights Expression Language. */
  cc: 'http://creativecommons.org/ns#',
} as const;

/**
 * What describes parts of a file that a result never has: gain maps (Adobe's and Google's Ultra HDR,
 * Apple's HDR photos), the container of images that goes with them, and extended XMP (Adobe XMP
 * Specification Part 3 §1.1.3.1), whose one property says that there is more of the packet.
 */
export const droppedNamespaces: readonly string[] = [
  'http://ns.adobe.com/hdr-gain-map/1.0/',
  'http://ns.google.com/photos/1.0/container/',
  'http://ns.google.com/photos/1.0/container/item/',
  'http://ns.apple.com/HDRGainMap/1.0/',
  'http://ns.adobe.com/xmp/note/',
];

/**
 * Whether bytes hold any of these ASCII texts, which begin with the same character: looked through once, without a
 * string.
 */
export function mentions(bytes: Uint8Array, texts: readonly string[]): boolean {
  const wanted = texts.map((text) => new TextEncoder().encode(text));
  const first = wanted[0]?.[0] ?? 0;
  for (let at = bytes.indexOf(first); at !== -1; at = bytes.indexOf(first, at + 1)) {
    if (wanted.some((text) => text.every((byte, index) => bytes[at + index] === byte))) return true;
  }
  return false;
}

/** All characters that an XML document cannot hold, escaped or not (XML 1.0 §2.2, Char). */
export const notXml = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;
