import { expect, it } from 'vitest';
import { errorTable } from '../../../../src/errors.ts';
import { explainRefusal } from '../../../../src/image/pipeline/explain.ts';
import { defaultOptions } from '../../../../src/image/pipeline/options.ts';
import { gif, jpeg, sourceOf } from '../../../support/inspections.ts';

it('a size that is out of reach is told, with what is in reach', () => {
  const smallestBytes = 48_120;
  const refusal = { kind: 'refused', reason: 'max-bytes', smallestBytes } as const;
  const error = explainRefusal(refusal, sourceOf(jpeg()), { ...defaultOptions, maxBytes: 20_000 });
  expect(error.code).toBe('max_bytes_unreachable');
  expect(error.members).toEqual({ smallest_bytes: 48_120 });
  // The documented example equals the real message.
  expect(error.message).toBe(errorTable.max_bytes_unreachable.detail);
});

it('an animation with too much to go through is told how many frames would fit', () => {
  const limits = { limitFrames: 8, limitPixels: 50_000_000 };
  const refusal = {
    kind: 'refused',
    reason: 'animation-too-large',
    frames: 10,
    ...limits,
  } as const;
  const source = sourceOf(gif({ width: 8000, height: 7500, frames: 10 }));
  const error = explainRefusal(refusal, source, defaultOptions);
  expect(error.code).toBe('image_too_large');
  expect(error.members).toEqual({
    ...{ width: 8000, height: 7500, limit_pixels: 50_000_000 },
    ...{ frames: 10, limit_frames: 8 },
  });
  expect(error.message).toBe(
    'This animation has 10 frames of 8000 × 7500 pixels; up to 8 of that size fit: send a shorter or smaller one, or ask for animation=first.',
  );
  // A single frame is a picture like any other.
  const first = explainRefusal({ ...refusal, frames: 1 }, source, defaultOptions);
  expect(first.message).toMatch(/^This image has 60\.0 megapixels; /);
  expect(first.members).not.toHaveProperty('frames');
});
