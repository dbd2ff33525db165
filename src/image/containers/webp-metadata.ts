import { type Metadata, noMetadata } from '../metadata/metadata.ts';
import { exifBlock, metadataBlock } from './metadata-block.ts';
import { webpChunkHeaderBytes, webpChunks } from './webp-chunks.ts';

/**
 * The first usable EXIF and XMP chunk, whatever the VP8X flags say of them: writers forget the
 * flags, and what is there is what people mean to keep. Source: RFC 9649 §2.7.1.5.
 *
 * @throws ContainerError when the chunks cannot be read
 */
export function webpMetadata(file: Uint8Array): Metadata {
  let { exif, xmp } = noMetadata;
  for (const { type, bytes } of webpChunks(file)) {
    const payload = bytes.subarray(webpChunkHeaderBytes);
    if (type === 'EXIF') exif ??= exifBlock(payload);
    if (type === 'XMP ') xmp ??= metadataBlock(payload);
  }
  return { exif, xmp, iptc: null };
}
