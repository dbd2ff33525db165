import { inspect } from '../inspect/inspect.ts';
import type { ImageType } from '../inspect/inspection.ts';
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
 * the picture looks taken out, and exactly this ICC profile and orientation in place. Animations
 * stay animations. When nothing is added, the copy is no longer than the file. Takes time linear in
 * the file, and memory for the copy.
 *
 * Limit: an AVIF that cannot be rewritten (a sequence, or see `rewrapAvif`) comes back byte for byte
 * when no other profile than its own is asked for.
 *
 * @throws ContainerError when `inspect` does not accept the file as one of `type`, or its structure
 *   cannot carry what is asked
 *
 * @example
 * rewrap('jpeg', photo, { icc: iccProfile(image, photo), orientation: image.orientation });
 */
export function rewrap(
  type: ImageType,
  file: Uint8Array,
  appearance: Appearance,
): Uint8Array<ArrayBuffer> {
  const result = inspect(file);
  if (result.kind !== 'image' || result.image.type !== type) {
    throw new ContainerError(`This is no readable ${type} file.`);
  }
  return rewrappers[type](result.image, file, appearance);
}
