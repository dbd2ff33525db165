import type { Document, Element, Node } from '@xmldom/xmldom';
import type { Orientation } from './exif-block.ts';
import type { RightsStatements } from './iptc.ts';
import type { NewSize } from './metadata.ts';
import {
  childElements,
  droppedNamespaces,
  elementsWithin,
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
import { appendStatements } from './xmp-selection.ts';

interface XmpEdits {
  readonly orientation: Orientation;
  /** Null if the size stays. */
  readonly newSize: NewSize | null;
  /** See `Shown.isNowSrgb`. */
  readonly isNowSrgb?: boolean;
  /** Statements to add unless the packet has them. */
  readonly statements: RightsStatements | null;
}

/**
 * Namespaces that place something in the picture: as part of a panorama, or regions of it. They are dropped if a picture
 * is rotated or cropped, so that no viewer bends or marks the wrong part.
 */
const placingNamespaces: readonly string[] = [
  namespace.panorama,
  namespace.regions,
  namespace.peopleTags,
];

/** Properties of motion photos, whose video is behind the picture and never kept. */
const videoProperty = /^(MotionPhoto|MicroVideo)/;

/** The side along which a property of a panorama counts pixels; null if it does not. */
function panoramaSide(name: string): 'x' | 'y' | null {
  const isPlace = /^(FullPano|CroppedArea|LargestValidInteriorRect)/.test(name);
  if (!isPlace) return null;
  if (/(Width|Left)(Pixels)?$/.test(name)) return 'x';
  return /(Height|Top)(Pixels)?$/.test(name) ? 'y' : null;
}

/**
 * Returns the packet with corrected orientation and size, and without descriptions of things that a result never
 * contains. Returns the same array if there is nothing to change; null if nothing remains, or if it has such
 * descriptions but cannot be parsed (damaged or too large).
 */
export function editedXmp(xmp: Uint8Array, edits: XmpEdits): Uint8Array | null {
  const packet = parseXmp(xmp);
  // Zeros mean UTF-16, in which the namespaces would not be found.
  if (!packet) {
    const untrue = [...droppedNamespaces, namespace.camera];
    if (edits.newSize) untrue.push(...placingNamespaces);
    return xmp.includes(0) || mentions(xmp, untrue) ? null : xmp;
  }

  const dropped = droppedNodes(packet, edits);
  const kept = properties(packet.rdf).filter((property) => !dropped.has(property));
  let corrected = false;
  for (const property of kept) corrected = correct(property, edits) || corrected;
  const completed = edits.statements !== null && complete(packet, kept, edits.statements);
  if (dropped.size === 0 && !corrected && !completed) return xmp;
  if (kept.length === 0 && !completed) return null;
  return packetBytes(packet.root, (node) => !dropped.has(node)) ?? null;
}

/** The elements and attributes to drop, and their namespace declarations. */
function droppedNodes({ root, rdf }: XmpPacket, { newSize }: XmpEdits): Set<Node> {
  const gone =
    newSize && !newSize.scale ? [...droppedNamespaces, ...placingNamespaces] : droppedNamespaces;
  const isGone = (uri: string | null) =>
    uri !== null && gone.some((start) => uri.startsWith(start));
  const dropped = new Set<Node>();
  for (const element of elementsWithin(root)) {
    if (isGone(element.namespaceURI) || describesVideo(element)) dropped.add(element);
    for (const attribute of element.attributes) {
      const declares = attribute.namespaceURI === namespace.xmlns ? attribute.value : null;
      if (isGone(attribute.namespaceURI) || isGone(declares) || describesVideo(attribute)) {
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

function describesVideo({ namespaceURI, localName }: Node): boolean {
  return namespaceURI === namespace.camera && videoProperty.test(localName ?? '');
}

/** Values of the properties that state a color space or a profile, in a picture of sRGB. */
const srgbValues: ReadonlyMap<string, string> = new Map([
  [`${namespace.exif}ColorSpace`, '1'],
  [`${namespace.photoshop}ColorMode`, '3'],
  [`${namespace.photoshop}ICCProfile`, 'sRGB IEC61966-2.1'],
]);

/** Corrects a property; returns whether it has changed. */
function correct(property: Property, { orientation, newSize, isNowSrgb }: XmpEdits): boolean {
  const value =
    trueValue(property, orientation, newSize) ??
    scaledValue(property, newSize) ??
    (isNowSrgb ? srgbValues.get(`${property.namespaceURI}${property.localName}`) : undefined);
  if (value === undefined || propertyText(property).trim() === `${value}`) return false;
  setPropertyText(property, `${value}`);
  return true;
}

/** The correct value of a property; undefined if it concerns neither orientation nor size. */
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

/** The value of a property of a panorama that counts pixels, in those of the result; undefined for all others. */
function scaledValue(property: Property, newSize: XmpEdits['newSize']): number | undefined {
  const { namespaceURI, localName } = property;
  if (!newSize?.scale || namespaceURI !== namespace.panorama) return undefined;
  const side = panoramaSide(localName ?? '');
  const value = Number.parseFloat(propertyText(property));
  return side && Number.isFinite(value) ? Math.round(value * newSize.scale[side]) : undefined;
}

/** Adds statements; returns whether there were any to add. */
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
