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
