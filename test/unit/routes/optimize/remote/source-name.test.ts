import { expect, it } from 'vitest';
import { sourceName } from '../../../../../src/routes/optimize/remote/fetch-image.ts';

it.each([
  ['https://a.example/x/photo.jpg?y=/z.png#/w', 'photo.jpg'],
  ['https://a.example/%C3%9Cbersee%20%22.jpg', 'Übersee ".jpg'],
  ['https://a.example/a%2Fb.jpg', 'a/b.jpg'],
  ['https://a.example/100%25%.jpg', '100%25%.jpg'],
  ['https://a.example/%ff.jpg', '%ff.jpg'],
  ['https://a.example/folder/', ''],
  ['https://a.example', ''],
])('the file name in %s is %j', (url, name) => {
  expect(sourceName(url)).toBe(name);
});
