import { expect, test } from 'vitest';
import type { Failure } from '../../../../../src/cabinet/browser/api/failure.ts';
import { smallerWidth } from '../../../../../src/cabinet/browser/workbench/options.ts';

const tooLarge = (limitPixels: number): Failure => ({
  code: 'image_too_large',
  message: 'Too many pixels.',
  fields: {},
  size: { width: 8000, height: 6000, limitPixels },
  retryAfter: null,
  requestId: null,
});

test('a width is offered that would fit, and a smaller one where that was refused', () => {
  expect(smallerWidth(tooLarge(12_000_000), '')).toBe(4000);
  expect(smallerWidth(tooLarge(40_000_000), 'format=avif')).toBe(6000);
  expect(smallerWidth(tooLarge(40_000_000), 'format=avif&width=6000')).toBe(4500);
});

test('none is offered where that is no way out', () => {
  expect(smallerWidth(tooLarge(100_000), '')).toBeNull();
  expect(smallerWidth({ ...tooLarge(1e7), code: 'invalid_image' }, '')).toBeNull();
});
