import { displayProfile, parametric } from './icc-writer.ts';
import type { ParametricFunction } from './parametric-function.ts';

/**
 * A monochrome profile of about 300 bytes: the curve from code to luminance, relative to white. Which
 * white that was makes no difference to how it is shown, and is not recorded.
 * Source: ICC.1:2022 §8.3.4.
 */
export function greyProfile(curve: ParametricFunction): Uint8Array<ArrayBuffer> {
  return displayProfile('GRAY', [['kTRC', parametric(curve)]]);
}
