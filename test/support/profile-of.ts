import type { Inspection } from '../../src/image/formats/inspection.ts';
import { formatOf } from '../../src/image/formats/registry.ts';

/** The ICC profile of a file; null if it has no usable one. */
export function iccProfile(image: Inspection, file: Uint8Array): Uint8Array | null {
  const profile = formatOf(image).read.profile(file, image);
  return typeof profile === 'string' ? null : profile;
}
