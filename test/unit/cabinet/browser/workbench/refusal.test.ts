import { expect, test } from 'vitest';
import {
  maxApiBytes,
  refusalOf,
} from '../../../../../src/cabinet/browser/workbench/chosen-files.ts';
import { bodyLimits } from '../../../../../src/policy/limits.ts';

const limit = 256 * 2 ** 20;

test.each([
  { name: 'photo.jpg', type: 'image/jpeg', size: 1 },
  { name: 'photo.jpg', type: 'image/jpeg', size: limit },
  { name: 'PHOTO.AVIF', type: '', size: 100 },
  { name: 'image', type: 'image/png', size: 100 },
  { name: 'photo.heic', type: 'image/jpeg', size: 100 },
  { name: 'page.jp2', type: 'image/jp2', size: 100 },
  { name: 'moving.gif', type: 'image/gif', size: 100 },
  { name: 'MOVING.GIF', type: '', size: 100 },
])('$name of type "$type" and $size bytes depends on what is in it', (file) => {
  expect(refusalOf(file)).toBeNull();
});

test.each([
  [{ name: 'letter.pdf', type: 'application/pdf', size: 100 }, 'isn’t an image'],
  [{ name: 'notes', type: '', size: 100 }, 'isn’t an image'],
  [{ name: 'drawing.svg', type: 'image/svg+xml', size: 100 }, 'SVG images aren’t supported'],
  [{ name: 'IMG_1.HEIC', type: '', size: 100 }, 'HEIC images aren’t supported'],
  [{ name: 'IMG_1.HEIC', type: '', size: 100 }, '“Most Compatible” makes JPEG'],
  [{ name: 'IMG_1', type: 'image/heif', size: 100 }, 'HEIC images aren’t supported'],
  [{ name: 'scan.tif', type: 'image/tiff', size: 100 }, 'TIFF images aren’t supported'],
  [{ name: 'photo.jxl', type: '', size: 100 }, 'JPEG XL images aren’t supported'],
  [{ name: 'screen.bmp', type: 'image/bmp', size: 100 }, 'BMP images aren’t supported'],
  [{ name: 'photo.jpg', type: 'image/jpeg', size: 0 }, 'empty'],
  [{ name: 'photo.jpg', type: 'image/jpeg', size: limit + 1 }, '256 MiB'],
])('%o is refused as %s', (file, word) => {
  expect(refusalOf(file)).toContain(word);
});

test('a picture just above the limit is seen to be above it', () => {
  const file = { name: 'photo.jpg', type: 'image/jpeg', size: 268_500_000 };
  expect(refusalOf(file)).toBe('This image is too large: 269 MB. The limit is 256 MiB (268 MB).');
});

test('the limit of the API is known', () => {
  expect(maxApiBytes).toBe(bodyLimits.maxFileBytes);
});
