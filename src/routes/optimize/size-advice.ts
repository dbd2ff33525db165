import { uprightSize } from '../../image/inspect/upright-size.ts';
import type { OptimizeOptions } from '../../image/options.ts';
import { resizeTarget } from '../../image/pixels/resize-target.ts';
import { plan } from '../../image/plan.ts';
import type { Source } from '../../image/source.ts';

/** A width that is small for any use; what does not fit then is too large itself. */
const smallWidth = 800;

/** One sentence on a picture that is too large: what is, and what to do about it. */
export function sizeAdvice(source: Source, options: OptimizeOptions, limitPixels: number): string {
  const { width, height } = uprightSize(source.image);
  const [has, most] = [megapixels(width * height, Math.ceil), megapixels(limitPixels, Math.floor)];
  const ways = waysOut(source, options);
  return ways.length > 0
    ? `This picture has ${has} megapixels; with these options up to ${most} fit: ${ways.join(', or ')}.`
    : `This picture has ${has} megapixels; up to ${most} of its kind fit: send a smaller one.`;
}

/** Other options with which this very picture would be worked on. */
function waysOut(source: Source, options: OptimizeOptions): readonly string[] {
  const fits = (other: Partial<OptimizeOptions>) =>
    plan(source, { ...options, ...other }).kind === 'planned';
  const { image } = source;
  const target = resizeTarget(uprightSize(image), options);
  const ways: string[] = [];

  const isConverted = options.format !== 'keep' && options.format !== image.type;
  const wholeSize = { width: null, height: null };
  if (isConverted && fits({ format: 'keep' })) ways.push('keep its format');
  else if (target && fits({ ...wholeSize, format: 'keep' })) {
    ways.push(isConverted ? 'keep its format and size' : 'keep its size');
  }

  const wanted = target?.width ?? uprightSize(image).width;
  if (wanted > smallWidth && fits({ width: smallWidth, height: null, fit: 'inside' })) {
    ways.push('ask for a smaller width');
  }
  return ways;
}

/** Rounded apart, so that a picture just beyond the limit is seen to be beyond it. */
function megapixels(pixels: number, round: (value: number) => number): string {
  const tenths = round(pixels / 1e5);
  return tenths === 0 ? 'less than 0.1' : (tenths / 10).toFixed(1);
}
