import { marker } from '../inspect/jpeg-markers.ts';
import { type Metadata, noMetadata } from '../metadata/metadata.ts';
import { startsWith } from './byte-strings.ts';
import { jpegPieces } from './jpeg-pieces.ts';
import { jpegSignature } from './jpeg-signature.ts';
import { exifBlock, metadataBlock } from './metadata-block.ts';
import { readIptcResource } from './photoshop-resources.ts';

/**
 * The first usable block of each kind before the first scan. Extended XMP, which goes on in segments
 * of its own, is not read: what people wrote is in the standard packet.
 *
 * @throws ContainerError when the headers cannot be read
 */
export function jpegMetadata(file: Uint8Array): Metadata {
  let { exif, xmp, iptc } = noMetadata;
  for (const { code, start, end } of jpegPieces(file)) {
    if (code === marker.sos) break;
    const content = file.subarray(start + 4, end);
    const after = (signature: string) =>
      startsWith(content, signature) ? content.subarray(signature.length) : null;
    if (code === marker.app1) {
      if (startsWith(content, jpegSignature.exif)) exif ??= exifBlock(content);
      const packet = after(jpegSignature.xmp);
      if (packet) xmp ??= metadataBlock(packet);
    }
    if (code === marker.app0 + 13) {
      const resources = after(jpegSignature.photoshop);
      if (resources) iptc ??= readIptcResource(resources);
    }
  }
  return { exif, xmp, iptc };
}
