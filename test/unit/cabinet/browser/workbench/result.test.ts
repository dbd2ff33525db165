import { expect, test } from 'vitest';
import {
  framesText,
  hdrText,
  reasonText,
  resultFrom,
  resultName,
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

const optimized = {
  bytes: new Uint8Array(500),
  type: 'webp',
  mediaType: 'image/webp',
  extension: 'webp',
  width: 800,
  height: 600,
  frames: 24,
  quality: 77,
  score: 77,
  smallerAs: 'jpeg',
  placeholder: null,
  hdr: 'dropped',
  engine: 'rows',
  optimized: true,
  reason: null,
} as const;
const file = new File([new Uint8Array(2000)], 'photo.jpg');

test('a result has what the engine says of it', async () => {
  const result = resultFrom(optimized, file, null);
  expect(result).toMatchObject({
    fileName: 'photo.webp',
    type: 'image/webp',
    width: 800,
    height: 600,
    bytesBefore: 2000,
    bytesAfter: 500,
    quality: '77',
    score: '77.0',
    smallerAs: 'jpeg',
    hdr: 'dropped',
    frames: 24,
    isSmaller: true,
    reason: null,
    apiRefusal: null,
  });
  expect([result.blob.size, result.blob.type]).toEqual([500, 'image/webp']);
});

test('a still has no frames, and what was not measured no score', () => {
  const still = { ...optimized, frames: 1, score: null };
  expect(resultFrom(still, file, null)).toMatchObject({ score: null, frames: null });
  expect(resultFrom({ ...optimized, score: 100 }, file, null).score).toBe('100');
});

test('the frames of an animation are told, and whether only the first was taken', () => {
  expect(framesText(1200, '')).toBe('animation, 1,200 frames');
  expect(framesText(16, 'format=webp&animation=first')).toBe('first of 16 frames');
  expect(framesText(null, '')).toBeNull();
});

test.each([
  ['gain-map', 'HDR kept'],
  ['dropped', 'HDR removed'],
  [null, null],
])('what became of a gain map (%s) is said: %s', (hdr, words) => {
  expect(hdrText(hdr)).toBe(words);
});

test.each(['already-optimal', 'animated', 'larger-format', 'something-new', null])(
  'where nothing was saved (%s), it says why',
  (reason) => {
    expect(reasonText({ isSmaller: false, reason })).toMatch(/\.$/);
    expect(reasonText({ isSmaller: true, reason })).toBeNull();
  },
);
