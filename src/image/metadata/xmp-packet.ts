import {
  type Attr,
  DOMParser,
  type Document,
  type Element,
  type Node,
  onErrorStopParsing,
  XMLSerializer,
} from '@xmldom/xmldom';

/** Maximum length of a packet in bytes; its document tree takes several dozen times as much memory. */
const parsedBytes = 256 * 1024;
/** Maximum number of `<` and `=`: each element takes about 800 bytes of memory, each attribute 400. */
const parsedMarks = 8192;
/** Maximum number of namespace declarations, which are searched for each name; packets have a few dozen. */
const parsedDeclarations = 2000;

export interface XmpPacket {
  readonly document: Document;
  readonly root: Element;
  readonly rdf: Element;
}

/**
 * Parses a packet; undefined if it is damaged (not UTF-8, not well-formed, without rdf:RDF), has a document type
 * declaration, which XMP does not use, or is too large. Source: ISO 16684-1:2019 §7.
 */
export function parseXmp(bytes: Uint8Array): XmpPacket | undefined {
  if (bytes.length > parsedBytes) return undefined;
  try {
    // Some writers terminate the packet with NUL, like a string in C.
    const end = bytes.findLastIndex((byte) => byte !== 0) + 1;
    return parsed(
      new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
        .decode(bytes.subarray(0, end))
        .trim(),
    );
  } catch {
    // Invalid UTF-8 or XML.
    return undefined;
  }
}

function parsed(text: string): XmpPacket | undefined {
  if (text.search(notXml) !== -1 || /<!(DOCTYPE|ENTITY)/i.test(text)) return undefined;
  // Each tag has a `<`, and each attribute a `=`.
  if (occurrences(text, '<') + occurrences(text, '=') > parsedMarks) return undefined;
  if (occurrences(text, 'xmlns') > parsedDeclarations) return undefined;
  const document = new DOMParser({
    locator: false,
    onError: onErrorStopParsing,
    // XML 1.0 §2.11; by default, xmldom also converts U+0085 and U+2028 to line feeds, as in XML 1.1.
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
 * Serializes `root` with the elements and attributes for which `isKept` returns true as a packet that is read-only and
 * has no padding; undefined if it cannot be written as XML. Source: ISO 16684-1:2019 §7.3.2.
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
    // The serializer refuses some names and comments that the parser accepts.
    return undefined;
  }
}

/** A property of XMP in either of its two forms. */
export type Property = Element | Attr;

export function named(node: Node, uri: string, name: string): boolean {
  return node.namespaceURI === uri && node.localName === name;
}

/** `root` and its descendants in document order, without recursion, because nesting may be deep. */
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
 * The properties of the picture itself: attributes and child elements of the rdf:Description elements directly below
 * rdf:RDF (ISO 16684-1:2019 §7.4 and §7.9.2.2). Deeper ones describe other things.
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

/** Replaces the value of a property, including its structure and qualifiers. */
export function setPropertyText(property: Property, text: string): void {
  if (isElement(property)) property.textContent = text;
  else property.value = text;
}

export function isElement(node: Node): node is Element {
  return node.nodeType === 1;
}

/** URIs of namespaces by their usual prefix; a packet may use any other prefix. */
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
  /** Google's Photo Sphere XMP Metadata. */
  panorama: 'http://ns.google.com/photos/1.0/panorama/',
  /** Motion photos: Android's Motion Photo format 1.0, and the Micro Video format before it. */
  camera: 'http://ns.google.com/photos/1.0/camera/',
  /** Regions, such as faces: Metadata Working Group, Guidelines for Handling Image Metadata 2.0 §5.9; Microsoft's. */
  regions: 'http://www.metadataworkinggroup.com/schemas/regions/',
  peopleTags: 'http://ns.microsoft.com/photo/1.2/',
} as const;

/**
 * The beginnings of namespaces that describe parts of a file that a result never contains: gain maps (Adobe's and
 * Google's Ultra HDR, Apple's HDR photos), their container of images, which may also list a video, the depth maps of
 * Google's Dynamic Depth, whose data are in that container, and extended XMP (Adobe XMP Specification Part 3
 * §1.1.3.1), whose property refers to further parts of the packet.
 */
export const droppedNamespaces: readonly string[] = [
  'http://ns.adobe.com/hdr-gain-map/1.0/',
  'http://ns.google.com/photos/1.0/container/',
  'http://ns.google.com/photos/dd/1.0/',
  'http://ns.apple.com/HDRGainMap/1.0/',
  'http://ns.adobe.com/xmp/note/',
];

/**
 * Whether bytes contain any of these ASCII texts, which must begin with the same character. Searches once, without
 * decoding to a string.
 */
export function mentions(bytes: Uint8Array, texts: readonly string[]): boolean {
  const wanted = texts.map((text) => new TextEncoder().encode(text));
  const first = wanted[0]?.[0] ?? 0;
  for (let at = bytes.indexOf(first); at !== -1; at = bytes.indexOf(first, at + 1)) {
    if (wanted.some((text) => text.every((byte, index) => bytes[at + index] === byte))) return true;
  }
  return false;
}

/** Characters that are not allowed in XML, even escaped (XML 1.0 §2.2, Char). */
export const notXml = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;
