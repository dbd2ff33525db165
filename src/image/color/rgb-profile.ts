import type { Chromaticities } from '../inspect/inspection.ts';
import { adaptedPrimaries } from './colorants.ts';
import { displayProfile, fixed16Array, parametric, type Tag, xyz } from './icc-writer.ts';
import type { Matrix } from './matrix.ts';
import type { ParametricFunction } from './parametric-function.ts';

/**
 * A matrix/TRC profile of about 450 bytes for primaries and one curve, the same bytes for the same
 * colours. Null when no display can have such primaries. Sources: ICC.1:2022 §8.3.3, §9, annex E.
 */
export function rgbProfile(options: {
  readonly primaries: Chromaticities;
  readonly curve: ParametricFunction;
}): Uint8Array<ArrayBuffer> | null {
  const adapted = adaptedPrimaries(options.primaries);
  return adapted && matrixProfile({ ...adapted, curve: options.curve });
}

/** The same for XYZ of red, green and blue under D50; `adaptation` null: not known. */
export function matrixProfile(options: {
  readonly colorants: Matrix;
  readonly adaptation: Matrix | null;
  readonly curve: ParametricFunction;
}): Uint8Array<ArrayBuffer> {
  const { colorants, adaptation } = options;
  const [red, green, blue] = colorants;
  const curve = parametric(options.curve);
  const chad: readonly Tag[] = adaptation ? [['chad', fixed16Array(adaptation.flat())]] : [];
  return displayProfile('RGB ', [
    ...chad,
    ['rXYZ', xyz(red)],
    ['gXYZ', xyz(green)],
    ['bXYZ', xyz(blue)],
    ['rTRC', curve],
    ['gTRC', curve],
    ['bTRC', curve],
  ]);
}
