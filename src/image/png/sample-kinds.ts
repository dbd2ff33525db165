import { profileSpace } from '../color/profile-space.ts';

/** Which kinds of samples may be written. */
export type SampleKinds = 'any' | 'grey' | 'colored';

/** A profile counts only in a picture of its own kind (PNG third edition §11.3.2.3). */
export function sampleKinds(icc: Uint8Array | null): SampleKinds {
  if (!icc) return 'any';
  return profileSpace(icc) === 'grey' ? 'grey' : 'colored';
}
