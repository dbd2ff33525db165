import { expect, test } from 'vitest';
import { ownFailure } from '../../../../../src/cabinet/browser/api/failure.ts';
import { inFormWords } from '../../../../../src/cabinet/browser/workbench/form-words.ts';

const said = (code: string, message: string) => inFormWords(ownFailure(code, message)).message;

test.each([
  [
    'invalid_image',
    'The light of an HDR picture (PQ or HLG) cannot be carried into another format or size: use format=keep without width and height.',
    'The light of an HDR picture (PQ or HLG) cannot be carried into another format or size: choose “Keep original” as the format, and leave “Max. width” and “Max. height” empty.',
  ],
  [
    'invalid_image',
    'Animations cannot become jpeg: choose a format that moves, or ask for animation=first.',
    'Animations cannot become JPEG: choose a format that moves, or choose “First frame” under “Animations”.',
  ],
  [
    'image_too_large',
    'This animation has 300 frames of 2000 × 2000 pixels; up to 125 of that size fit: send a shorter or smaller one, or ask for animation=first.',
    'This animation has 300 frames of 2000 × 2000 pixels; up to 125 of that size fit: choose a shorter or smaller one, or choose “First frame” under “Animations”.',
  ],
  [
    'invalid_image',
    'The JPEG ends in the middle of its picture.',
    'The JPEG ends in the middle of its picture. If other programs can open it, save it again there.',
  ],
  [
    'invalid_options',
    'JPEG cannot hold another format or size without loss: leave quality=lossless away.',
    'A JPEG can only be lossless if it was one before, and keeps its size: choose “Automatic” as the quality.',
  ],
  [
    'invalid_options',
    'No side of a WebP picture can be longer than 16383 pixels.',
    'No side of a WebP picture can be longer than 16383 pixels.',
  ],
  [
    'invalid_options',
    'Option "width": should be a whole number of pixels.',
    'This image can’t be created with these options. Try “Keep original” as the format, and leave “Max. width” and “Max. height” empty.',
  ],
  [
    'image_too_large',
    'This image has 12.2 megapixels; with these options up to 5.3 fit: keep its format, or request a smaller width.',
    'This image has 12.2 megapixels; with these options up to 5.3 fit: choose “Keep original” as the format, or enter a smaller “Max. width”.',
  ],
  [
    'image_too_large',
    'This image has 12.2 megapixels; with these options up to 5.3 fit: keep its format and size.',
    'This image has 12.2 megapixels; with these options up to 5.3 fit: choose “Keep original” as the format, and leave “Max. width” and “Max. height” empty.',
  ],
  [
    'unsupported_media_type',
    'This is not an image of a supported type: send JPEG, PNG, WebP, AVIF or GIF.',
    'This file isn’t a supported image. Choose JPEG, PNG, WebP, AVIF or GIF.',
  ],
  [
    'body_too_large',
    'Send one image of at most 12 MiB.',
    'This file is too large: with these options, the limit is 12 MiB. Make it smaller first.',
  ],
])('%s, "%s", is told as the form has it', (code, detail, words) => {
  expect(said(code, detail)).toBe(words);
});

test.each(['image_too_large', 'invalid_options', 'invalid_image'])(
  '%s with words that the form does not have is told in general ones',
  (code) => {
    const words = said(code, 'Set speed=slow in the query.');
    expect(words).not.toMatch(/speed|query/);
    expect(words).toMatch(/\.$/);
  },
);

test('a size that is out of reach is told with what is in reach', () => {
  const failure = ownFailure('max_bytes_unreachable', 'No.');
  expect(inFormWords({ ...failure, smallestBytes: 48_120 }).message).toBe(
    'With these options, this image takes at least 48.1 KB and doesn’t fit. Enter a smaller “Max. width”, choose another format, or allow more.',
  );
  expect(inFormWords(failure).message).toMatch(/^With these options, this image doesn’t fit\. /);
});

test('other failures are told as they are', () => {
  const failure = ownFailure('crashed', 'No.');
  expect(inFormWords(failure)).toBe(failure);
});
