import { srgbCurves } from '../../../../src/image/color/curves.ts';
import { bt709, primariesOf } from '../../../../src/image/color/primaries.ts';
import { colorOf as colorOfSamples } from '../../../../src/image/color/source-color.ts';
import type { Nclx } from '../../../../src/image/formats/avif/container/properties.ts';
import type { AvifInspection } from '../../../../src/image/formats/avif/inspect.ts';
import type { Inspection } from '../../../../src/image/formats/inspection.ts';
import type { PngInspection } from '../../../../src/image/formats/png/inspect.ts';
import { formatOf } from '../../../../src/image/formats/registry.ts';
import * as inspections from '../../../support/inspections.ts';

/** Of a picture that is sRGB. */
export const srgb = {
  ...{ profile: null, space: 'rgb', obstacle: null },
  ...{ curves: srgbCurves, nearLinear: null },
} as const;

/** Without any color chunk, and a gray one when the changes say so. */
export const png = (changes: Partial<PngInspection> = {}): PngInspection => ({
  ...inspections.png(),
  ...{ cicp: null, gamma: null, chromaticities: null },
  ...changes,
});

export const iccPng = (changes: Partial<PngInspection> = {}) =>
  png({ colorChunk: 'iCCP', ...changes });
export const gammaPng = (gamma: number, changes: Partial<PngInspection> = {}) =>
  png({ colorChunk: 'gAMA', gamma, ...changes });
export const cicpPng = (primaries: number, transfer: number, fullRange = true) =>
  png({ colorChunk: 'cICP', cicp: { primaries, transfer, fullRange } });
export const nclxAvif = (
  primaries: number,
  transfer: number,
  changes: Partial<Nclx> = {},
): AvifInspection =>
  inspections.avif({ nclx: { primaries, transfer, matrix: 6, fullRange: true, ...changes } });

export const grey = { isGrey: true, colorType: 0 } as const;

/** Of a code point of H.273 that has some. */
export const primaries = (codePoint: number) => primariesOf(codePoint) ?? bt709;

/** What the samples of an inspected picture mean. */
export function colorOf(image: Inspection, icc: Uint8Array | null) {
  return colorOfSamples(formatOf(image).read.samples(image), icc);
}
