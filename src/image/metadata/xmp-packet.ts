import {
  DOMParser,
  type Document,
  type Element,
  type Node,
  onErrorStopParsing,
  XMLSerializer,
} from '@xmldom/xmldom';
import { notXml } from './xml-characters.ts';
import { namespace } from './xmp-namespaces.ts';
import { elementsWithin, named } from './xmp-tree.ts';

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
 * The tree of a packet; undefined when it is damaged (not UTF-8, not well-formed, without rdf:RDF),
 * has a document type, which XMP has no use for, or is too large. Source: ISO 16684-1:2019 §7.
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
 * A packet of `root` and what `isKept` leaves in it, elements and attributes alike, without padding
 * and read-only; undefined when it cannot be written as XML. Source: ISO 16684-1:2019 §7.3.2.
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
