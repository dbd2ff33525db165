import type { ImageType, Inspection } from '../inspect/inspection.ts';
import type { Metadata } from '../metadata/metadata.ts';
import { rewrapAvif } from './avif.ts';
import { ContainerError } from './container-error.ts';
import { rewrapJpeg } from './jpeg.ts';
import { rewrapPng } from './png.ts';
import type { Appearance, Rewrapper } from './rewrapper.ts';
import { rewrapWebp } from './webp.ts';

const rewrappers = {
  jpeg: rewrapJpeg,
  png: rewrapPng,
  webp: rewrapWebp,
  avif: rewrapAvif,
} satisfies Record<ImageType, Rewrapper>;

/**
 * A copy of `file` whose coded pixel data is untouched, with all metadata that does not change how
 * the picture looks taken out, and exactly this ICC profile and these blocks in place; empty blocks
 * are none. `image` is what `inspect` says of `file`. Animations stay animations. When nothing is
 * added, the copy is no longer than the file. Takes time linear in the file, and memory for the copy.
 *
 * Limits: what a container has no place for is left out. That is IPTC in WebP and AVIF, a block
 * longer than a JPEG segment, and every new block in an AVIF that can only be changed in place (a
 * sequence, or see `rewrapAvif`).
 *
 * @throws ContainerError when the structure of the file cannot be read or cannot carry the profile
 *
 * @example
 * rewrap(image, photo, { icc: iccProfile(image, photo), metadata: noMetadata });
 */
export function rewrap(
  image: Inspection,
  file: Uint8Array,
  { icc, metadata }: Appearance,
): Uint8Array<ArrayBuffer> {
  return rewrappers[image.type](image, file, { icc, metadata: withoutEmpty(metadata) });
}

/** A block of no bytes would say "to the end of the file" in an AVIF, and nothing elsewhere. */
function withoutEmpty({ exif, xmp, iptc }: Metadata): Metadata {
  return {
    exif: exif?.length ? exif : null,
    xmp: xmp?.length ? xmp : null,
    iptc: iptc?.length ? iptc : null,
  };
}

/** The same; null when the structure of the file cannot carry what is asked. */
export function rewrapReadable(
  image: Inspection,
  file: Uint8Array,
  appearance: Appearance,
): Uint8Array<ArrayBuffer> | null {
  try {
    return rewrap(image, file, appearance);
  } catch (error) {
    if (error instanceof ContainerError) return null;
    throw error;
  }
}
