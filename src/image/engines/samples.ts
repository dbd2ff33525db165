import { type Curves, srgbCurves } from '../color/curves.ts';
import { greyToSrgb } from '../color/grey-to-srgb.ts';
import { sampleTable } from '../color/sample-table.ts';
import type { Source } from '../source.ts';
import type { PixelSteps } from './pixel-steps.ts';

/** How samples are to be read. */
export interface Samples {
  /** For work in linear light, once the tables have been applied. */
  readonly curves: Curves;
  /** 8-bit codes of 16-bit samples; null: the nearest. */
  readonly deep: Uint8Array | null;
  /** From codes under a grey profile to sRGB's; null: they stay. */
  readonly grey: Uint8Array | null;
}

/** Those of a picture that is taken through these steps. */
export function samplesOf({ color }: Source, { toSrgb }: PixelSteps): Samples {
  const deep = color.nearLinear ? sampleTable(color.curves[0]) : null;
  const grey = toSrgb && !deep && color.profile ? greyToSrgb(color.profile) : null;
  return { deep, grey, curves: deep || grey ? srgbCurves : color.curves };
}

/** Colour samples of RGBA by a table, alpha as it is. */
export function throughTable(data: Uint8ClampedArray | Uint8Array, table: Uint8Array): void {
  for (let i = 0; i < data.length; i += 4) {
    for (let channel = i; channel < i + 3; channel += 1) {
      data[channel] = table[data[channel] ?? 0] ?? 0;
    }
  }
}
