import { startsWith } from '../containers/byte-strings.ts';

export type ProfileSpace = 'rgb' | 'grey' | 'cmyk' | 'other';

/** Data colour space of an ICC profile, as its header says (ICC.1:2022 §7.2.8). */
export function profileSpace(icc: Uint8Array): ProfileSpace {
  const signature = icc.subarray(16, 20);
  if (startsWith(signature, 'RGB ')) return 'rgb';
  if (startsWith(signature, 'GRAY')) return 'grey';
  return startsWith(signature, 'CMYK') ? 'cmyk' : 'other';
}
