import type { ImageType, Inspection } from '../inspect/inspection.ts';
import { type Metadata, noMetadata } from '../metadata/metadata.ts';
import { avifMetadata } from './avif-metadata.ts';
import { ContainerError } from './container-error.ts';
import { jpegMetadata } from './jpeg-metadata.ts';
import { pngMetadata } from './png-metadata.ts';
import { webpMetadata } from './webp-metadata.ts';

const readers = {
  jpeg: jpegMetadata,
  png: pngMetadata,
  webp: webpMetadata,
  avif: avifMetadata,
} satisfies Record<ImageType, (file: Uint8Array) => Metadata>;

/**
 * The EXIF, XMP and IPTC blocks of a file; `image` is what `inspect` says of `file`. They are
 * subarrays of it, except where they were deflated, in hexadecimal or in pieces. A block that is
 * damaged or larger than `maximumBlockBytes` is null, and all are when the structure of the file cannot be read.
 * An EXIF block begins with a TIFF header; nothing else about the blocks is checked. Never throws,
 * and takes time linear in the file.
 */
export function readMetadata(image: Inspection, file: Uint8Array): Metadata {
  try {
    return readers[image.type](file);
  } catch (error) {
    if (error instanceof ContainerError) return noMetadata;
    throw error;
  }
}
