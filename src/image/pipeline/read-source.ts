import { colorOf, profileCounts, type SourceColor } from '../color/source-color.ts';
import { isSrgb } from '../color/srgb-profile.ts';
import type { InspectionResult } from '../formats/format.ts';
import { isTextBomb } from '../formats/png/metadata.ts';
import type { SourceImage } from '../formats/registry.ts';
import { inspect, readProfile } from '../formats/registry.ts';
import { broken, unsupportedFeature } from '../refusal.ts';

/** A file that has been looked at, not decoded: all that planning knows. */
export interface Source {
  readonly kind: 'source';
  readonly image: SourceImage;
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
  const icc = readProfile(image, file);
  if (icc === 'too-large') {
    return unsupportedFeature('A colour profile of more than 4 MiB is not supported.');
  }
  if (image.type === 'png' && isTextBomb(file)) {
    return broken('The PNG has texts that unpack to more than 32 MiB.');
  }
  const matters = icc !== null && profileCounts(icc, image) && !isSrgb(icc);
  return {
    kind: 'source',
    image,
    fileBytes: file.length,
    icc: matters ? icc : null,
    color: colorOf(image, icc),
  };
}
