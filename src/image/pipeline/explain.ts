import type { Source } from '../formats/inspection.ts';
import { uprightSize } from '../formats/registry.ts';
import { fileTooLarge, ImageError, unsupportedType } from '../image-error.ts';
import { resizeTarget } from '../pixels/resize-target.ts';
import type { Refusal, Unreadable } from '../refusal.ts';
import type { OptimizeOptions } from './options.ts';
import { plan } from './plan.ts';

/** The error for a file that cannot be read. */
export function explainUnreadable(result: Unreadable): ImageError {
  switch (result.kind) {
    case 'unsupported':
      return unsupportedType(result.what);
    case 'unsupported-feature':
    case 'broken':
      return new ImageError('invalid_image', result.detail);
  }
}

/** The error for an image that is refused. */
export function explainRefusal(
  refusal: Refusal,
  source: Source,
  options: OptimizeOptions,
): ImageError {
  switch (refusal.reason) {
    case 'options':
      return new ImageError('invalid_options', refusal.detail);
    case 'image':
      return new ImageError('invalid_image', refusal.detail);
    case 'too-large':
      return tooLarge(source, options, refusal.limitPixels);
    case 'animation-too-large': {
      const { frames, limitFrames, limitPixels } = refusal;
      // Only the first frame was requested.
      if (frames === 1) return tooLarge(source, options, limitPixels);
      const { width, height } = uprightSize(source.image);
      const fitting = limitFrames > 0 ? `up to ${limitFrames} of that size fit` : 'not one fits';
      return new ImageError(
        'image_too_large',
        `This animation has ${frames} frames of ${width} × ${height} pixels; ${fitting}: send a shorter or smaller one, or ask for animation=first.`,
        { width, height, frames, limit_frames: limitFrames, limit_pixels: limitPixels },
      );
    }
    case 'file-too-large':
      return fileTooLarge(refusal.limitBytes);
    case 'max-bytes':
      return maxBytesUnreachable(refusal.smallestBytes);
    case 'overloaded':
      return new ImageError('overloaded', 'There is not enough memory at the moment: try again.');
  }
}

function tooLarge(source: Source, options: OptimizeOptions, limitPixels: number): ImageError {
  const { width, height } = uprightSize(source.image);
  const advice = sizeAdvice(source, options, limitPixels);
  return new ImageError('image_too_large', advice, { width, height, limit_pixels: limitPixels });
}

function maxBytesUnreachable(smallestBytes: number): ImageError {
  const advice = 'request a smaller width, another format or a larger max_bytes';
  return new ImageError(
    'max_bytes_unreachable',
    `This image takes at least ${smallestBytes} bytes with these options: ${advice}.`,
    { smallest_bytes: smallestBytes },
  );
}

/** A width that is small for any purpose; an image that does not fit even at this width is itself too large. */
const smallWidth = 800;

/** One sentence about an image that is too large: by how much, and what the client can do. */
export function sizeAdvice(source: Source, options: OptimizeOptions, limitPixels: number): string {
  const { width, height } = uprightSize(source.image);
  const size = megapixels(width * height, Math.ceil);
  const maximum = megapixels(limitPixels, Math.floor);
  const suggestions = alternatives(source, options);
  return suggestions.length > 0
    ? `This image has ${size} megapixels; with these options up to ${maximum} fit: ${suggestions.join(', or ')}.`
    : `This image has ${size} megapixels; up to ${maximum} of its kind fit: send a smaller one.`;
}

/** Changes to the options with which this image would fit. */
function alternatives(source: Source, options: OptimizeOptions): readonly string[] {
  const fits = (other: Partial<OptimizeOptions>) =>
    plan(source, { ...options, ...other }).kind !== 'refused';
  const { image } = source;
  const target = resizeTarget(uprightSize(image), options);
  const found: string[] = [];

  const isConverted = options.format !== 'keep' && options.format !== image.type;
  const wholeSize = { width: null, height: null };
  if (isConverted && fits({ format: 'keep' })) found.push('keep its format');
  else if (target && fits({ ...wholeSize, format: 'keep' })) {
    found.push(isConverted ? 'keep its format and size' : 'keep its size');
  }

  const targetWidth = target?.width ?? uprightSize(image).width;
  if (targetWidth > smallWidth && fits({ width: smallWidth, height: null, fit: 'inside' })) {
    found.push('request a smaller width');
  }
  return found;
}

/** Size and limit are rounded in opposite directions, so that an image just above the limit is visibly above it. */
function megapixels(pixels: number, round: (value: number) => number): string {
  const tenths = round(pixels / 1e5);
  return tenths === 0 ? 'less than 0.1' : (tenths / 10).toFixed(1);
}
