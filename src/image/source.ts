import { colorOf, type SourceColor } from './color/source-color.ts';
import { isSrgb } from './color/srgb-profile.ts';
import { iccProfile } from './containers/icc-profile.ts';
import { inspect } from './inspect/inspect.ts';
import type { Inspection, InspectionResult } from './inspect/inspection.ts';

/** A file that has been looked at, not decoded: all that planning knows. */
export interface Source {
  readonly kind: 'source';
  readonly image: Inspection;
  readonly fileBytes: number;
  /** Profile that goes on with the samples as they are; null when there is none or it is sRGB, which goes without saying. */
  readonly icc: Uint8Array | null;
  /** What the decoded samples mean, wherever the file says it. */
  readonly color: SourceColor;
}

/** Reads what a file says of itself. */
export function look(file: Uint8Array): Source | Exclude<InspectionResult, { kind: 'image' }> {
  const result = inspect(file);
  if (result.kind !== 'image') return result;
  const { image } = result;
  const icc = iccProfile(image, file);
  const matters = icc !== null && !isSrgb(icc);
  return {
    kind: 'source',
    image,
    fileBytes: file.length,
    icc: matters ? icc : null,
    color: colorOf(image, icc),
  };
}
