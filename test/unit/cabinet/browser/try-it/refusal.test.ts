import { expect, test } from 'vitest';
import { largestPicture, refusalOf } from '../../../../../src/cabinet/browser/try-it/refusal.ts';
import { fileLimit as limit } from '../../../../../src/routes/optimize/held-bytes.ts';

test.each([
  { name: 'photo.jpg', type: 'image/jpeg', size: 1 },
  { name: 'photo.jpg', type: 'image/jpeg', size: limit },
  { name: 'PHOTO.AVIF', type: '', size: 100 },
  { name: 'image', type: 'image/png', size: 100 },
  { name: 'drawing.svg', type: 'image/svg+xml', size: 100 },
])('$name of type "$type" and $size bytes is for the service to decide on', (file) => {
  expect(refusalOf(file)).toBeNull();
});

test.each([
  [{ name: 'letter.pdf', type: 'application/pdf', size: 100 }, 'not a picture'],
  [{ name: 'notes', type: '', size: 100 }, 'not a picture'],
  [{ name: 'photo.jpg', type: 'image/jpeg', size: 0 }, 'empty'],
  [{ name: 'photo.jpg', type: 'image/jpeg', size: limit + 1 }, '32 MiB'],
])('%o is refused as %s', (file, word) => {
  expect(refusalOf(file)).toContain(word);
});

test('people are told the limit of the API', () => {
  expect(largestPicture * 1024 * 1024).toBe(limit);
});
