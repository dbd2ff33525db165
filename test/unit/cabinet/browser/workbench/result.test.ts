import { expect, test } from 'vitest';
import {
  framesText,
  hdrText,
  reasonText,
  resultName,
  resultOf,
} from '../../../../../src/cabinet/browser/workbench/result.ts';

test.each([
  ['photo.jpg', 'image/webp', 'photo.webp'],
  ['photo.JPEG', 'image/jpeg', 'photo.JPEG'],
  ['holiday.2026.png', 'image/jpeg', 'holiday.2026.jpg'],
  ['photo', 'image/png', 'photo.png'],
  ['.jpg', 'image/webp', '.jpg.webp'],
  ['', 'image/avif', 'image.avif'],
  ['снимок 🎉.png', 'image/avif', 'снимок 🎉.avif'],
  ['photo.jpg', 'image/heic', 'photo.jpg'],
])('what was made of "%s" as %s is called %s', (name, type, made) => {
  expect(resultName(name, type)).toBe(made);
});

test('an answer is read from its headers', () => {
  const headers = new Headers({
    'Content-Type': 'image/webp',
    'Image-Width': '800',
    'Image-Height': '600',
    'Image-Input-Bytes': '2000',
    'Image-Output-Bytes': '500',
    'Image-Quality': '77',
    'Image-Score': '77.4',
    'Image-Smaller-As': 'jpeg',
    'Image-HDR': 'dropped',
    'Image-Frames': '24',
    'Image-Optimized': 'true',
    'Quota-Remaining': '0',
  });
  const blob = new Blob(['x']);
  expect(resultOf(blob, (name) => headers.get(name), 'photo.jpg', 2000)).toEqual({
    blob,
    fileName: 'photo.webp',
    type: 'image/webp',
    width: 800,
    height: 600,
    bytesBefore: 2000,
    bytesAfter: 500,
    quality: '77',
    score: '77.4',
    smallerAs: 'jpeg',
    hdr: 'dropped',
    frames: 24,
    isSmaller: true,
    reason: null,
    quotaRemaining: 0,
    trialRemaining: null,
  });
});

test('an answer without a score, frames, or with a format that nobody knows, has none of them', () => {
  const headers = new Headers({ 'Image-Smaller-As': 'tiff' });
  const result = resultOf(new Blob(['x']), (name) => headers.get(name), 'photo.jpg', 2000);
  expect(result).toMatchObject({ score: null, smallerAs: null, frames: null });
});

test('the frames of an animation are told', () => {
  expect(framesText(1200)).toBe('original with 1,200 frames');
  expect(framesText(null)).toBeNull();
});

test.each([
  ['gain-map', 'HDR kept'],
  ['dropped', 'HDR removed'],
  [null, null],
])('what became of a gain map (%s) is said: %s', (hdr, words) => {
  expect(hdrText(hdr)).toBe(words);
});

test.each(['already-optimal', 'animated', 'larger-format', 'something-new', null])(
  'where nothing was saved (%s), it says why, and that nothing was charged',
  (reason) => {
    const charged = { isSmaller: false, reason, trialRemaining: null };
    expect(reasonText(charged)).toContain('Nothing was charged.');
    expect(reasonText({ ...charged, trialRemaining: 3 })).not.toContain('charged');
    expect(reasonText({ ...charged, isSmaller: true })).toBeNull();
  },
);
