import { profileSpace } from '../color/profile-space.ts';
import { asGreyRamp } from '../containers/png-grey-ramp.ts';
import { inspect } from '../inspect/inspect.ts';

/**
 * A PNG of the kind that a profile may stand in. oxipng makes grey what looks
 * grey, and a palette of what is grey, whatever profile comes with it; decoders
 * then ignore the profile (PNG third edition §11.3.2.3) and the colours shift.
 *
 * @param icc the profile that will be put in, null: none
 * @returns null where it cannot be made fitting without coding it again
 */
export function pngForProfile(
  file: Uint8Array<ArrayBuffer>,
  icc: Uint8Array | null,
): Uint8Array<ArrayBuffer> | null {
  if (!icc) return file;
  const result = inspect(file);
  if (result.kind !== 'image' || result.image.type !== 'png') return null;
  const isForGrey = profileSpace(icc) === 'grey';
  if (isForGrey === result.image.isGrey) return file;
  return isForGrey ? null : asGreyRamp(file, result.image);
}
