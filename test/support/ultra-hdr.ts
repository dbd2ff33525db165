import sharp from 'sharp';

/**
 * JPEGs with gain maps, assembled from two JPEGs according to the specifications: Ultra HDR Image Format v1.1 (XMP),
 * ISO 21496-1, CIPA DC-007 (MPF). Independent of src/, so that no code is tested against itself.
 */
export interface UltraHdr {
  readonly picture: Uint8Array;
  readonly map: Uint8Array;
  /** How the map is described; both by default. */
  readonly ways?: readonly ('xmp' | 'iso')[];
  /** Properties of the map's XMP. */
  readonly properties?: Readonly<Record<string, string | readonly string[]>>;
  /** The map's metadata of ISO 21496-1. */
  readonly iso?: Uint8Array;
  /** Additional properties or elements in the picture's XMP packet. */
  readonly beside?: { readonly attributes?: string; readonly elements?: string };
  /** Bytes of another item between picture and map. */
  readonly between?: Uint8Array;
  /** Bytes after the map. */
  readonly behind?: Uint8Array;
  /** Omits the index of images. */
  readonly withoutIndex?: boolean;
  /** Omits the directory in XMP. */
  readonly withoutDirectory?: boolean;
}

export const usualProperties = {
  Version: '1.0',
  BaseRenditionIsHDR: 'False',
  GainMapMin: '-0.25',
  GainMapMax: ['2.5', '2.25', '2.125'],
  Gamma: '0.9',
  OffsetSDR: '0.015625',
  OffsetHDR: '0.015625',
  HDRCapacityMin: '0',
  HDRCapacityMax: '2.3',
} as const;

/** Version 0, one channel, fractions with a common denominator: the values of `usualProperties` for red. */
export const usualIso: Uint8Array = isoMetadata([0, 2300, -250, 2500, 900, 16, 16], 1000);

export function isoMetadata(numerators: readonly number[], denominator: number): Uint8Array {
  const bytes = Buffer.alloc(5 + 4 + 4 * numerators.length);
  bytes[4] = 0x08 | 0x40;
  bytes.writeUInt32BE(denominator, 5);
  for (const [i, numerator] of numerators.entries()) bytes.writeInt32BE(numerator, 9 + 4 * i);
  return bytes;
}

const nothing = new Uint8Array();

export function ultraHdr(content: UltraHdr): Uint8Array<ArrayBuffer> {
  const { between = nothing, behind = nothing, ways = ['xmp', 'iso'] } = content;
  const map = mapOf(content);
  const head = [...(ways.includes('xmp') ? [directorySegment(content, map.length)] : [])];
  if (ways.includes('iso')) head.push(isoSegment(Buffer.alloc(4)));
  const index = content.withoutIndex ? nothing : indexSegment(0, 0, 0);
  const pictureBytes = content.picture.length + lengthOf(head) + index.length;
  const indexAt = 2 + lengthOf(head);
  const listed = content.withoutIndex
    ? nothing
    : indexSegment(pictureBytes, map.length, pictureBytes + between.length - (indexAt + 8));
  const picture = withSegments(content.picture, [...head, listed]);
  return Uint8Array.from(Buffer.concat([picture, between, map, behind]));
}

function mapOf({ map, ways = ['xmp', 'iso'], properties, iso }: UltraHdr): Buffer {
  const segments: Buffer[] = [];
  if (ways.includes('xmp')) segments.push(xmpSegment(mapPacket(properties ?? usualProperties)));
  if (ways.includes('iso')) segments.push(isoSegment(iso ?? usualIso));
  return withSegments(map, segments);
}

function mapPacket(properties: NonNullable<UltraHdr['properties']>): string {
  const all = Object.entries(properties);
  const attributes = all.map(([name, value]) =>
    typeof value === 'string' ? `hdrgm:${name}="${value}"` : '',
  );
  const elements = all.map(([name, value]) =>
    typeof value === 'string'
      ? ''
      : `<hdrgm:${name}><rdf:Seq>${value.map((one) => `<rdf:li>${one}</rdf:li>`).join('')}</rdf:Seq></hdrgm:${name}>`,
  );
  return packet(attributes.join(' '), elements.join(''));
}

function directorySegment(
  { beside = {}, between = nothing, behind = nothing, withoutDirectory }: UltraHdr,
  mapBytes: number,
): Buffer {
  const others = (bytes: Uint8Array) =>
    bytes.length > 0
      ? [`Item:Semantic="MotionPhoto" Item:Mime="video/mp4" Item:Length="${bytes.length}"`]
      : [];
  const items = [
    'Item:Semantic="Primary" Item:Mime="image/jpeg"',
    ...others(between),
    `Item:Semantic="GainMap" Item:Mime="image/jpeg" Item:Length="${mapBytes}"`,
    ...others(behind),
  ].map((item) => `<rdf:li rdf:parseType="Resource"><Container:Item ${item}/></rdf:li>`);
  const directory = `<Container:Directory><rdf:Seq>${items.join('')}</rdf:Seq></Container:Directory>`;
  return xmpSegment(
    packet(
      `hdrgm:Version="1.0" ${beside.attributes ?? ''}`,
      `${withoutDirectory ? '' : directory}${beside.elements ?? ''}`,
    ),
  );
}

function packet(attributes: string, elements: string): string {
  return `<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/" x:xmptk="Adobe XMP Core 5.1.2">
  <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
    <rdf:Description rdf:about=""
      xmlns:Container="http://ns.google.com/photos/1.0/container/"
      xmlns:Item="http://ns.google.com/photos/1.0/container/item/"
      xmlns:dc="http://purl.org/dc/elements/1.1/"
      xmlns:GCamera="http://ns.google.com/photos/1.0/camera/"
      xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" ${attributes}>${elements}</rdf:Description>
  </rdf:RDF>
</x:xmpmeta>
<?xpacket end="w"?>`;
}

export function xmpSegment(text: string): Buffer {
  return segment(0xe1, Buffer.from(`http://ns.adobe.com/xap/1.0/\0${text}`));
}

function isoSegment(metadata: Uint8Array): Buffer {
  return segment(0xe2, Buffer.concat([Buffer.from('urn:iso:std:iso:ts:21496:-1\0'), metadata]));
}

/** Little-endian, unlike the output of the service. */
function indexSegment(pictureBytes: number, mapBytes: number, mapOffset: number): Buffer {
  const content = Buffer.alloc(4 + 8 + 2 + 36 + 4 + 32);
  content.write('MPF\0II*\0', 'latin1');
  content.writeUInt32LE(8, 8);
  content.writeUInt16LE(3, 12);
  const tag = (
    at: number,
    [number, type, count, value]: readonly [number, number, number, number],
  ) => {
    content.writeUInt16LE(number, at);
    content.writeUInt16LE(type, at + 2);
    content.writeUInt32LE(count, at + 4);
    content.writeUInt32LE(value, at + 8);
  };
  tag(14, [0xb000, 7, 4, 0x30303130]);
  tag(26, [0xb001, 4, 1, 2]);
  tag(38, [0xb002, 7, 32, 50]);
  const entry = (at: number, attributes: number, bytes: number, offset: number) => {
    content.writeUInt32LE(attributes, at);
    content.writeUInt32LE(bytes, at + 4);
    content.writeUInt32LE(offset, at + 8);
  };
  entry(54, 0x030000, pictureBytes, 0);
  entry(70, 0, mapBytes, mapOffset);
  return segment(0xe2, content);
}

/** A JPEG with these segments directly after its start marker. */
export function withSegments(jpeg: Uint8Array, segments: readonly Uint8Array[]): Buffer {
  return Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)]);
}

export function segment(code: number, content: Uint8Array): Buffer {
  const head = Buffer.from([0xff, code, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, content]);
}

function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

/** The contents of an Ultra HDR file, as seen by another reader. */
export interface SeenUltraHdr {
  /** The picture up to its end marker, and the map from the offset in the index. */
  readonly picture: Buffer;
  readonly map: Buffer;
  /** The map as decoded by libultrahdr; null if it takes the file for an ordinary JPEG. */
  readonly seenMap: Buffer | null;
}

/**
 * Splits a file by its index of images, checks that picture and map fill it, and decodes it with libultrahdr.
 * @throws Error if there is no index, or it does not match the images
 */
export async function seenUltraHdr(file: Uint8Array): Promise<SeenUltraHdr> {
  const bytes = Buffer.from(file);
  const base = bytes.indexOf('MPF\0MM\0*', 'latin1') + 4;
  if (base < 4) throw new Error('there is no index of images');
  const entries = base + bytes.readUInt32BE(base + 8 + 2 + 2 * 12 + 8);
  const [length, mapLength, mapOffset] = [4, 20, 24].map((at) => bytes.readUInt32BE(entries + at));
  const picture = bytes.subarray(0, length);
  const at = base + (mapOffset ?? 0);
  const map = bytes.subarray(at, at + (mapLength ?? 0));
  const areWhole = [picture, map].every(
    (image) => image.readUInt16BE(0) === 0xffd8 && image.readUInt16BE(image.length - 2) === 0xffd9,
  );
  if (!areWhole || at !== length || at + map.length !== bytes.length) {
    throw new Error('the index is wrong');
  }
  const { gainMap } = await sharp(file).metadata();
  return { picture, map, seenMap: gainMap?.image ?? null };
}

/** The XMP packet of a JPEG; null if it has none. */
export function xmpOf(jpeg: Uint8Array): string | null {
  const bytes = Buffer.from(jpeg);
  const signature = 'http://ns.adobe.com/xap/1.0/\0';
  const at = bytes.indexOf(signature, 'latin1');
  if (at < 0) return null;
  return bytes.subarray(at + signature.length, at - 2 + bytes.readUInt16BE(at - 2)).toString();
}
