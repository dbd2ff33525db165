import { ByteCursor } from '../inspect/byte-cursor.ts';
import { ascii, joinBytes } from './byte-strings.ts';
import { uint16, uint32 } from './iso-box-writer.ts';
import { metadataBlock } from './metadata-block.ts';

/** Id of the resource that holds IPTC datasets. */
const iptcId = 0x0404;

/** Adobe's own, and those that its other programs sign with. */
const signatures: ReadonlySet<string> = new Set(['8BIM', 'MeSa', 'PHUT', 'AgHg', 'DCSR']);

/**
 * IPTC datasets as the one image resource of a list, without a name, 12 bytes longer and even.
 * Source: Adobe Photoshop File Formats Specification, Image Resource Blocks.
 */
export function iptcResource(iptc: Uint8Array): Uint8Array<ArrayBuffer> {
  return joinBytes(
    ascii('8BIM'),
    uint16(iptcId, 0),
    uint32(iptc.length),
    iptc,
    new Uint8Array(iptc.length % 2),
  );
}

/** The IPTC datasets in a list of image resources; null when there are none, or it is damaged before. */
export function readIptcResource(resources: Uint8Array): Uint8Array | null {
  const { buffer, byteOffset, byteLength } = resources;
  const cursor = new ByteCursor(new DataView(buffer, byteOffset, byteLength), 0, byteLength);
  while (cursor.remaining > 0) {
    if (!signatures.has(cursor.text(4))) return null;
    const id = cursor.uint16();
    const nameLength = cursor.uint8();
    // The name and its length byte together take an even number of bytes.
    cursor.skip(nameLength + 1 - (nameLength % 2));
    const length = cursor.uint32();
    const start = cursor.position;
    cursor.skip(length);
    if (cursor.overrun) return null;
    if (id === iptcId) return metadataBlock(resources.subarray(start, start + length));
    cursor.skip(Math.min(length % 2, cursor.remaining));
  }
  return null;
}
