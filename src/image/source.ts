import { isSrgb } from './color.ts';
import { iccProfile } from './containers/icc-profile.ts';
import { inspect } from './inspect/inspect.ts';
import type { Inspection, InspectionResult } from './inspect/inspection.ts';

/** A file that has been looked at, not decoded: all that planning knows. */
export interface Source {
  readonly kind: 'source';
  readonly image: Inspection;
  readonly fileBytes: number;
  /** Profile to carry on; null when there is none or it is sRGB, which goes without saying. */
  readonly icc: Uint8Array | null;
}

/** Reads what a file says of itself. */
export function look(file: Uint8Array): Source | Exclude<InspectionResult, { kind: 'image' }> {
  const result = inspect(file);
  if (result.kind !== 'image') return result;
  const { image } = result;
  const icc = iccProfile(image, file);
  const matters = icc !== null && !isSrgb(icc);
  return { kind: 'source', image, fileBytes: file.length, icc: matters ? icc : null };
}

/** Data colour space of an ICC profile, as its header says (ICC.1:2022 §7.2.8). */
export function profileSpace(icc: Uint8Array): 'rgb' | 'grey' | 'other' {
  const signature = String.fromCharCode(...icc.subarray(16, 20));
  if (signature === 'RGB ') return 'rgb';
  return signature === 'GRAY' ? 'grey' : 'other';
}
